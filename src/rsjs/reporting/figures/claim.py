"""The picture of an experiment on claims: our runs, and the published values beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf
from typing import TYPE_CHECKING, Any

import pandas as pd

from rsjs.reporting.figures.figure import Axis, Figure, Mark, Panel, Series
from rsjs.reporting.tables.formats import folded
from rsjs.rows.select import AnyRow

if TYPE_CHECKING:
    from rsjs.paper_claims.claim import Claim, Values

AXES = {
    "nodes": "nodes",
    "objective": "cost [$]",
    "energy": "energy [$]",
    "total_s": "decision [s]",
    "solve_s": "decision [s]",
    "decision_median_s": "median decision [s]",
    "jobs": "jobs",
    "nonzeros": "nonzeros",
    "build_s": "build [s]",
}
UNITS = {"share": "%", "ratio": "ratio", "s": "s", "count": "number"}
PUBLISHED, OURS = "published value or range", "our values, by case"
BLACK, BLUE = "#000000", "#0072B2"
LONGEST_TICK = 16  # characters
OPEN = 1.3  # of our largest value: where a range without an upper end is cut


def claim_figure(
    rows: Sequence[AnyRow], plot: Mapping[str, Any], published: Sequence[tuple[Claim, Values]] = ()
) -> Figure:
    """
    Return the mean of a column against another, a panel per case, and a panel of claims per unit.

    `plot` names columns `x` and `y`, among `AXES`, and `log` for logarithmic axes; `published` are
    the claims that rest on the rows, with our values by case.
    """
    panels = _runs(rows, plot["x"], plot["y"], is_log=bool(plot.get("log")))
    units = dict.fromkeys(claim.unit for claim, values in published if values)
    panels += [_claims(unit, [one for one in published if one[0].unit == unit]) for unit in units]
    return Figure(
        name="claim",
        title="Published values and ours",
        panels=panels,
        size=(2.6, 2.4),
        is_shared=(not units, not units),
    )


def formulation_sizes(rows: Sequence[AnyRow]) -> Figure:
    """Return nonzeros and build time of formulations against nodes, each family by itself."""
    relaxed = [row for row in rows if "@relaxation" in row["method"]] or rows
    own = [{**row, "case": row["instance"].partition("-N")[0]} for row in relaxed]
    panels = [
        panel for y in ("nonzeros", "build_s") for panel in _runs(own, "nodes", y, is_log=True)
    ]
    return Figure(
        name="sizes",
        title="Size and build time of formulations",
        panels=panels,
        columns=len({row["case"] for row in own}),
        is_shared=(True, False),
    )


def _runs(rows: Sequence[AnyRow], x: str, y: str, *, is_log: bool) -> list[Panel]:
    """Return a panel per case with a line per method."""
    frame = pd.DataFrame({key: [row[key] for row in rows] for key in ("case", "method", x, y)})
    frame[y] = frame[y].astype(float)
    ticks = {at: f"{at:g}" for at in sorted({*frame[x]})} if is_log else {}
    across = Axis(title=AXES[x], is_log=is_log, ticks=ticks)
    least, most = float(frame[y].min()), float(frame[y].max())
    ends = (least / 1.5, most * 1.5) if is_log and least > 0 else (None, None)  # of all cases
    up = Axis(title=AXES[y], is_log=is_log, ends=ends)
    return [
        Panel(series=_means(own.dropna(subset=[y]), x, y), x=across, y=up, title=str(case))
        for case, own in frame.groupby("case", sort=False)
    ]


def _means(rows: pd.DataFrame, x: str, y: str) -> list[Series]:
    """The mean of each method at each x, with the least and the largest value of its seeds."""
    made = []
    for method, own in rows.groupby("method", sort=False):
        at = own.groupby(x)[y].agg(["mean", "min", "max"])
        ends = (at["min"].tolist(), at["max"].tolist())
        x_of, y_of = at.index.tolist(), at["mean"].tolist()
        made.append(Series(name=str(method), x=x_of, y=y_of, y_interval=ends))
    return made


def _claims(unit: str, published: Sequence[tuple[Claim, Values]]) -> Panel:
    """A line per claim: the published range as a bar, our values as points."""
    scale = 100.0 if unit == "share" else 1.0
    tested = [(claim, values) for claim, values in published if values]
    known = [claim for claim, _ in tested]
    ours = [(i, scale * x) for i, (_, values) in enumerate(tested) for x in values.values()]
    most = max(value for _, value in ours)
    lows = [scale * claim.low for claim in known]
    highs = [
        OPEN * max(scale * one.low, most) if isinf(one.high) else scale * one.high for one in known
    ]
    closed = [i for i, claim in enumerate(known) if not isinf(claim.high)]
    upper = [highs[i] for i in closed]
    bars = Series(
        name=PUBLISHED,
        x=[*lows, *upper],
        y=[*range(len(known)), *closed],
        kind="points",
        colour=BLACK,
        look="tick",
        x_interval=([*lows, *upper], [*highs, *upper]),
    )
    y_of, x_of = zip(*ours, strict=True)
    points = Series(name=OURS, x=x_of, y=y_of, kind="points", colour=BLUE, look="hollow")
    names = {float(i): "\n".join(folded(c.id, LONGEST_TICK)) for i, c in enumerate(known)}
    x = Axis(title=f"claimed and measured [{UNITS[unit]}]")
    y = Axis(ticks=names, ends=(len(known) - 0.4, -0.6))
    marks = [Mark(at=0.0, axis="x")] if unit == "share" else ()
    return Panel(series=[bars, points], x=x, y=y, marks=marks)
