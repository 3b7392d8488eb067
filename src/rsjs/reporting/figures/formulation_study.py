"""Size and build time of formulations against the number of nodes, both logarithmic."""

from __future__ import annotations

from collections.abc import Sequence

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.tables.formulation_study import Record, records
from rsjs.rows.select import AnyRow, group_by, known

QUANTITIES = {  # column -> its axis
    "nonzeros": Axis(title="nonzeros", is_log=True),
    "build_s": Axis(title="build [s]", is_log=True),
}


def formulation_sizes(rows: Sequence[AnyRow]) -> Figure:
    """
    Return, for each family, nonzeros and build time of every formulation against the nodes.

    A hollow marker is a build that the time limit ended.
    """
    relaxed = (record for record in records(rows) if record.relaxed is not None)
    families = group_by(relaxed, lambda record: record.family)
    if not families:
        raise InputError("", described("no rows"), "at least one relaxation to draw")
    nodes = sorted({record.nodes for group in families.values() for record in group})
    ticks = {float(n): str(n) for n in nodes}
    x = Axis(title="nodes", is_log=True, ticks=ticks, ends=(nodes[0] / 1.25, nodes[-1] * 1.25))
    return Figure(
        name="sizes",
        title="Size and build time of formulations",
        panels=[
            Panel(series=_series(group, column), x=x, y=y, title=family)
            for column, y in QUANTITIES.items()
            for family, group in families.items()
        ],
        note="A hollow marker is a build that the time limit ended.",
        columns=len(families),
        is_shared=(True, False),
    )


def _series(group: Sequence[Record], column: str) -> list[Series]:
    """Return a line for each formulation, and points where the limit came before the model."""
    series = []
    for formulation in dict.fromkeys(record.formulation for record in group):
        points = sorted(
            (record.nodes, value, known(record.measured, "columns") is None)
            for record in group
            if record.formulation == formulation and (value := known(record.measured, column))
        )
        if points:
            x, y, _ = zip(*points, strict=True)
            series.append(Series(name=formulation, x=x, y=y))
        if ended := [(n, value) for n, value, unbuilt in points if unbuilt]:
            x, y = zip(*ended, strict=True)
            hollow = Series(name="", style=formulation, x=x, y=y, kind="points", look="hollow")
            series.append(hollow)
    return series
