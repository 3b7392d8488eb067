"""
The comparison of methods on instances as CSV, Markdown, LaTeX and text of a terminal.

Pure functions of rows. What stands below a table is made here, too: the definition of the gap,
limits, versions and remarks on runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Column, Table, latex_all, latex_escaped
from rsjs.rows.columns import Row
from rsjs.rows.csv import csv_text
from rsjs.rows.select import AnyRow, distinct, executed, how_it_ended, is_wrong, known

_cost = partial(Column, unit="$", part="cost", number=formats.cost)
_term = partial(Column, unit="$", part="cost", number=formats.term)
_gap = partial(Column, unit="%", part="cost", number=formats.percent)
_effort = partial(Column, unit="s", part="effort", number=formats.measured)
COLUMNS: Sequence[Column] = (
    Column("instance", "instance", part="instance"),
    Column("method", "method", part="method"),
    Column("stop", "ended", part="method", text=how_it_ended),
    _cost("objective", "objective"),
    _term("tardiness", "tardiness", latex="tard.", rank=9),
    _term("postponement", "postponement", latex="postp.", rank=6),
    _term("energy", "energy", rank=7),
    _term("idle", "idle", rank=10),
    _cost("bound", "bound", rank=4),
    _cost("best_bound", "best bound", part="instance", rank=8),
    _gap("own_gap", "own gap", rank=5),
    _gap("gap_to_best", "gap to best"),
    _gap("gap_without_postponement", "gap w/o postp.", rank=3),
    _gap("gap_over_energy", "gap over energy", rank=14),
    Column("executed", "jobs run", part="effort", rank=2, text=executed),
    _effort("build_s", "build", rank=12),
    _effort("solve_s", "solve", rank=13),
    _effort("total_s", "total", rank=1),
    _effort("peak_memory_mb", "memory", unit="MB", rank=11),
)

TITLES = {
    "cost": "Checked costs and gaps",
    "effort": "Executed jobs, wall-clock time and peak memory",
}
GAP = (
    "Gap to best = (z - b) / max(|z|, |b|): z is the checked cost, b the best valid lower bound of "
    "the instance (own gap: the method's bound). Without postponement: (z - b) / "
    "|z - postponement|; over energy: (z - b) / energy."
)
GAP_LATEX = (
    r"Gap to best: $(z-b)/\max(|z|,|b|)$, where $z$ is the checked cost and $b$ the best valid "
    r"lower bound of the instance (own gap: the method's bound); without postponement: "
    r"$(z-b)/|z-\mathrm{postponement}|$; over energy: $(z-b)/\mathrm{energy}$."
)
MOST_REMARKS = 10
LONGEST_MESSAGE = 200

LIMITS: dict[str, Callable[[Any], str]] = {
    "time_limit": lambda value: f"{value:g} s",
    "gap_limit": lambda value: f"gap {value:g}",
    "threads": lambda value: counted(int(value), "thread"),
    "seed": lambda value: f"seed {int(value)}",
}


def table(rows: Sequence[Row]) -> Table:
    """Return one row per run, with the definition of the gap, conditions and remarks below."""
    if not rows:
        raise InputError("", described("no rows"), "at least one run to make a table of")
    named = distinct(rows)
    return Table(
        name="comparison",
        title="comparison",
        columns=COLUMNS,
        rows=named,
        notes=[GAP, *conditions(named)],
        footnotes=remarks(named),
        mark=_mark,
    )


def write_all(rows: Sequence[Row], folder: str | Path) -> list[Path]:
    """Write rows.csv, table.md and table.tex, each whole or not at all; return their paths."""
    texts = {"rows.csv": csv_text(rows), "table.md": markdown(rows), "table.tex": latex(rows)}
    for name, text in texts.items():
        write_bytes(text.encode(), Path(folder) / name)
    return [Path(folder) / name for name in texts]


def markdown(rows: Sequence[Row]) -> str:
    """Return a GitHub Markdown table with its conditions and remarks below."""
    return table(rows).markdown()


def latex(rows: Sequence[Row]) -> str:
    """Return two LaTeX tables, of costs and of effort; a document needs `booktabs` only."""
    made = table(rows)
    told = " ".join(latex_escaped(text) for text in conditions(made.rows))
    parts = [
        replace(
            made,
            title=title,
            columns=[c for c in COLUMNS if c.part in ("instance", "method", part)],
            sections=("instance", "best_bound"),
            latex_notes=f"{GAP_LATEX} {told}".rstrip() if part == "cost" else told,
            footnotes=made.footnotes if part == "cost" else (),
        )
        for part, title in TITLES.items()
    ]
    return latex_all(parts)


def shortened_table(rows: Sequence[Row]) -> Table:
    """Return the table with what all names have in common as its title."""
    made = table(rows)
    common, short = shortened([str(row.get("instance")) for row in made.rows])
    shown = [{**row, "instance": short[str(row.get("instance"))]} for row in made.rows]
    names = list(dict.fromkeys(row["instance"] for row in shown))
    if len(names) == 1:
        columns = [column for column in COLUMNS if column.key != "instance"]
        return replace(made, title=common or names[0], columns=columns, rows=shown)
    return replace(made, title=common or made.title, rows=shown, sections=("instance",))


def _mark(row: AnyRow, key: str) -> str:
    if key != "stop":
        return ""
    return "bad" if is_wrong(row) else "warn" if known(row, "objective") is None else ""


def conditions(rows: Sequence[AnyRow]) -> list[str]:
    """Limits, threads and seed in one sentence, versions in another."""
    told = [_values(rows, key, show) for key, show in LIMITS.items()]
    limits = ", ".join(text for text, _ in told if text)
    head = "LIMITS DIFFER between rows" if any(several for _, several in told) else "Limits"
    own = dict.fromkeys(str(row["rsjs_version"]) for row in rows if known(row, "rsjs_version"))
    packages = {"rsjs-bench": [*own]} if own else {}
    found = packages | dict(sorted(solver_versions(rows).items()))
    versions = ", ".join(f"{name} {' and '.join(several)}" for name, several in found.items())
    return [f"{head}: {text}." for head, text in ((head, limits), ("Versions", versions)) if text]


def remarks(rows: Sequence[Row]) -> list[str]:
    """One line for each row whose claims are false or that has no solution, wrong ones first."""
    told = [row for row in rows if is_wrong(row) or row.get("status") == "no_solution"]
    told.sort(key=lambda row: not is_wrong(row))
    lines = []
    for row in told[:MOST_REMARKS]:
        mark = str(row.get("status")).replace("_", " ")
        mark = mark.upper() if is_wrong(row) else mark.capitalize()
        message = " ".join(str(known(row, "message") or "no reason given").split())
        if len(message) > LONGEST_MESSAGE:
            message = message[: LONGEST_MESSAGE - 1] + "…"
        lines.append(f"{mark}: {row.get('method')} on {row.get('instance')}: {message}")
    left = len(told) - len(lines)
    return [*lines, f"and {left} more: see the messages of the rows"] if left else lines


def _values(rows: Sequence[AnyRow], key: str, show: Callable[[Any], str]) -> tuple[str, bool]:
    found = Counter(row[key] for row in rows if known(row, key) is not None)
    if len(found) == 1:
        return show(next(iter(found))), False
    several = [f"{show(value)} ({counted(n, 'row')})" for value, n in sorted(found.items())]
    return " or ".join(several), len(found) > 1


def solver_versions(rows: Sequence[AnyRow]) -> dict[str, list[str]]:
    """Return solver -> its versions, by the methods that used one."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        _, at, rest = str(row.get("method")).partition("@")
        if at and known(row, "solver_version"):
            name = rest.partition("?")[0].partition(":")[0]
            found.setdefault(name, {})[str(row["solver_version"])] = None
    return {name: [*versions] for name, versions in found.items()}
