"""What the commands of `rsjs trace` print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsjs.cli.console import console, number, percent, plain_table, print_facts, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rsjs.instances.instance import Workload
    from rsjs.instances.traces.convert import Selection
    from rsjs.instances.traces.flaws import FlawKind
    from rsjs.instances.traces.quality_report import QualityReport, RowLocation

GAPS = 3  # that are listed


def print_report(report: QualityReport, picture: Path | None, *, as_json: bool) -> None:
    """What is wrong, the load, and what looks odd."""
    if as_json:
        print_json({**report.as_document(), "picture": picture})
        return
    tally = report.tally
    files = ", ".join(source.name for source in report.trace.tables.values())
    facts = {
        "format": f"{report.trace.format.name}: {report.trace.format.title}",
        "read": files,
        "ignored": ", ".join(report.trace.ignored),
        "rows": f"{tally.rows}, {tally.usable} with a load",
        "span": f"{number(report.span / 86400, 4)} days",
        "run time": f"{number(report.median_run_time, 4)} s (median)" if tally.usable else "",
        "picture": str(picture) if picture else "",
    }
    print_facts((name, value) for name, value in facts.items() if value)
    _print_kinds(report)
    _print_loads(report)
    for at, length in report.gaps[:GAPS]:
        print(f"gap: nothing submitted for {length} h from hour {at} on")
    if len(report.gaps) > GAPS:
        print(f"gap: {len(report.gaps) - GAPS} more of a day or longer")
    for remark in report.remarks:
        print(f"odd: {remark}")


def print_conversion(made: Workload, selection: Selection, path: Path, *, as_json: bool) -> None:
    """The workload, and what was left out for which reason."""
    from rsjs.cli.generated import report

    if as_json:
        print_json(
            {
                "file": path,
                "name": made.name,
                "sha256": made.digest,
                "nodes": made.cluster.nodes,
                "jobs": len(made.jobs),
                "dropped": dict(selection.dropped),
                "not_wanted": selection.left,
            }
        )
        return
    report(made, path, as_json=False)
    for kind, rows in selection.dropped.items():
        print(f"dropped: {rows} rows, {kind}")
    if selection.left:
        print(f"not wanted by --after and -J: {selection.left} rows")


def _print_kinds(report: QualityReport) -> None:
    from rsjs.instances.traces.flaws import KINDS

    tally = report.tally
    table = plain_table("What is wrong")
    table.add_column("kind", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("meaning")
    table.add_column("first lines")
    for kind in KINDS:
        if tally.flaws[kind.name]:
            table.add_row(
                kind.name,
                str(tally.flaws[kind.name]),
                "error" if kind.error else "notice",
                kind.meaning,
                _shown(kind, tally.places[kind.name]),
            )
    if table.row_count:
        console().print(table)
    else:
        print("nothing is wrong")


def _shown(kind: FlawKind, places: Sequence[RowLocation]) -> str:
    """Lines; of a flaw of a file the file too, and the columns that it lacks."""
    if not kind.whole:
        return ", ".join(str(place.line) for place in places)
    return "; ".join(f"{place.file}: {place.id or place.line}" for place in places)


def _print_loads(report: QualityReport) -> None:
    if not report.loads:
        return
    table = plain_table("Offered load by GPU type")
    table.add_column("GPU type")
    for name in ("jobs", "GPU-hours", "GPUs busy", "of GPUs", "load"):
        table.add_column(name, justify="right")
    for load in report.loads:
        table.add_row(
            load.model or "not recorded",
            str(load.jobs),
            number(load.gpu_hours, 4),
            number(load.busy, 4),
            number(load.capacity, 1),
            percent(load.busy / load.capacity if load.capacity else None),
        )
    console().print(table)
