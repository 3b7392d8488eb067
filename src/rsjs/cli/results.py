"""The files and the table that `compare` and `demo` make of their runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.console import console, print_json
from rsjs.cli.progress import busy
from rsjs.cli.runs import Runs
from rsjs.instances.io.files import write_bytes
from rsjs.runs.compare import Row


def finish(runs: Runs, *, as_json: bool) -> list[Row]:
    """Write all files, print the table or the JSON document, return the rows."""
    rows = runs.rows()
    if not rows:  # Ctrl-C before the first run
        raise typer.Exit(INTERRUPTED)
    present(runs, rows, write(runs, rows), as_json=as_json)
    return rows


def write(runs: Runs, rows: list[Row]) -> list[Path]:
    """Write rows.csv, table.md, table.tex, events.json and the pictures; return all files."""
    from rsjs.reporting.figures.cost_bars import cost_split
    from rsjs.reporting.figures.gap_curves import gap_over_time
    from rsjs.reporting.tables import comparison

    folder, events = runs.folder, runs.events(rows)
    with busy("writing tables and pictures"):
        written = comparison.write_all(rows, folder)
        write_bytes(json.dumps(events, indent=1).encode(), folder / "events.json")
        gap_over_time(events, folder / "gap.png")
        cost_split(rows, folder / "cost.png")
    return [*written, *(folder / name for name in ("events.json", "gap.png", "cost.png"))]


def present(runs: Runs, rows: list[Row], written: list[Path], *, as_json: bool) -> None:
    """Print the table, what was not run and why, and where the files are."""
    if as_json:
        print_json(as_document(runs, rows, written))
        return
    from rsjs.reporting.tables.comparison import rich_table

    out = console()
    out.print(rich_table(rows, out.width))
    for line in left_out_lines(runs):
        print(line)
    names = ", ".join(path.name for path in written)
    print(f"\nWritten to {runs.folder}: {names}, solutions/")
    if runs.interrupted:
        print(f"Interrupted after {len(rows)} of {runs.total} runs.")


def as_document(runs: Runs, rows: list[Row], written: list[Path]) -> dict[str, Any]:
    """The same as a JSON object."""
    return {
        "rows": rows,
        "left_out": [vars(left) for left in runs.left_out],
        "interrupted": runs.interrupted,
        "folder": runs.folder,
        "files": written,
    }


def left_out_lines(runs: Runs) -> list[str]:
    """Each method that was left out, with its reason and where."""
    cases: dict[tuple[str, str], list[str]] = {}
    for left in runs.left_out:
        cases.setdefault((left.method, left.reason), []).append(left.instance)
    lines = [
        f"  {method} on {names[0] if len(names) == 1 else f'{len(names)} instances'}: {reason}"
        for (method, reason), names in cases.items()
    ]
    return ["", "Not run:", *lines] if lines else []


def exit_code(runs: Runs, rows: list[Row]) -> int:
    """130 after Ctrl-C, 1 if a run has no verified solution or a false claim, else 0."""
    if runs.interrupted:
        return INTERRUPTED
    return 0 if all(row["status"] == "ok" for row in rows) else 1
