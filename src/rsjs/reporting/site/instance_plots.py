"""The figures of an instance: incumbents, bounds and gaps over time, and what costs are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low
from typing import Any

from rsjs.reporting.figures.runs import FLOOR, SOONEST, TERMS, gap_curve
from rsjs.reporting.site.families import grouped
from rsjs.reporting.site.family_plots import SHARED_NOTE
from rsjs.reporting.site.plots import Plot, Styles, Trace, axes, line
from rsjs.reporting.site.urls import run_place
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import headed
from rsjs.rows.select import are_shared, is_schedule, known

MOST_RUNS = 40  # beyond, one run of each method is drawn
SHOWN_BOUNDS = 0.1  # of the least cost: lesser bounds are left out
CUT, ROOM = 20.0, 1.15  # costs above so many times the least run out of the picture; its width
MOST_METHODS = 8  # shown at once, the others when asked for in the legend

Row = Mapping[str, Any]


def course(rows: Sequence[Row], styles: Styles) -> Plot | None:
    """Incumbent and bound of each run against time; None if no course was kept."""
    traces, drawn = [], _drawn(rows)
    least = min((cost for row in rows for _, cost in _points(row, "incumbent")), default=0.0)
    below = f", from {SHOWN_BOUNDS:.0%} of the least cost on" if least > 0 else ""
    for row, style in _styled(drawn, styles):
        for key, width, name in (("incumbent", 2, "cost"), ("bound", 1, "bound")):
            points = _points(row, key)
            if least > 0:  # first bounds may be negative, or next to nothing
                points = [point for point in points if point[1] >= SHOWN_BOUNDS * least]
            if points:
                traces.append(_of_run(row, points, {**style, "width": width}, name))
    if not traces:
        return None
    return Plot(
        id="course",
        title="Cost and bound over time",
        data=_legend(traces),
        layout=axes("wall-clock time [s]", headed("cost", rows), x_log=True, y_log=least > 0),
        note=f"Thick: incumbents; thin: bounds{below}. {_which(rows, drawn)}{_warned(rows)}",
        height=480,
        is_shared=are_shared(rows),
    )


def gaps(rows: Sequence[Row], styles: Styles) -> Plot | None:
    """The gap of each incumbent to the best bound against time; None if there is no gap."""
    traces, drawn = [], _drawn(rows)
    for row, style in _styled(drawn, styles):
        run = {**row, "seconds": known(row, "total_s")}
        if row["events"] and (points := gap_curve(run)):
            traces.append(_of_run(row, points, {**style, "width": 2}, "gap"))
    if not traces:
        return None
    return Plot(
        id="gap",
        title="Gap to the best bound over time",
        data=_legend(traces),
        layout=axes("wall-clock time [s]", "gap [%]", x_log=True, y_log=True),
        note=f"Gaps below {FLOOR} % are drawn there. {_which(rows, drawn)}{_warned(rows)}",
        is_shared=are_shared(rows),
    )


def costs(rows: Sequence[Row]) -> Plot | None:
    """The terms of the cost, of the cheapest run of each method; None without a cost in $."""
    best = [
        min(group, key=lambda row: row["objective"])
        for group in grouped(
            [row for row in rows if known(row, "objective") is not None and not is_schedule(row)],
            "method",
        ).values()
    ]
    if not best:
        return None
    best.sort(key=lambda row: row["objective"])
    layout: dict[str, Any] = axes("cost [$]", "", barmode="stack")
    layout["yaxis"] |= {"autorange": "reversed", "automargin": True, "type": "category"}
    note = "The cheapest run of each method; terms are chosen in the legend."
    shown = [row["objective"] for row in best if row["objective"] <= CUT * best[0]["objective"]]
    if 0 < len(shown) < len(best) and shown[-1] > 0:
        layout["xaxis"] |= {"range": [0, ROOM * shown[-1]]}
        note += " Longer bars run out of the picture: a double click shows them whole."
    return Plot(
        id="costs",
        title="What the cost is made of",
        data=[_term(best, term, colour) for term, colour in TERMS.items()],
        layout=layout,
        note=note,
        height=150 + 26 * len(best),
    )


def _term(rows: Sequence[Row], term: str, colour: str) -> Trace:
    return {
        "type": "bar",
        "orientation": "h",
        "name": term,
        "x": [known(row, term) or 0.0 for row in rows],
        "y": [f"{row['method']}: {formats.cost(row['objective'])} $" for row in rows],
        "marker": {"color": colour},
        "customdata": [run_place(row) for row in rows],
        "hovertemplate": f"%{{y}}<br>{term}: %{{x:.6g}} $<extra></extra>",
    }


def _drawn(rows: Sequence[Row]) -> Sequence[Row]:
    """All runs, or of many the one of each method whose cost is the median."""
    if len(rows) <= MOST_RUNS:
        return rows
    chosen = []
    for group in grouped(rows, "method").values():
        of_cost = {known(row, "objective"): row for row in reversed(group)}
        costs = [cost for cost in of_cost if cost is not None]
        chosen.append(of_cost[median_low(costs)] if costs else group[0])
    return chosen


def _which(rows: Sequence[Row], drawn: Sequence[Row]) -> str:
    return "" if len(rows) == len(drawn) else "Of each method the run of median cost."


def _warned(rows: Sequence[Row]) -> str:
    return SHARED_NOTE if are_shared(rows) else ""


def _styled(rows: Sequence[Row], styles: Styles) -> Iterator[tuple[Row, Mapping[str, Any]]]:
    for row in rows:
        yield row, styles[row["method"]]


def _points(row: Row, key: str) -> list[tuple[float, float]]:
    """Seconds and values, up to the end of the run."""
    found = [
        (max(SOONEST, event["seconds"]), event[key])
        for event in row["events"] or ()
        if known(event, key) is not None
    ]
    end = known(row, "total_s")
    if found and end is not None and end > found[-1][0]:
        found.append((end, found[-1][1]))
    return found


def _of_run(
    row: Row, points: Sequence[tuple[float, float]], style: Mapping[str, Any], what: str
) -> Trace:
    made = line(row["method"], points, style)
    made["line"]["width"] = style["width"]
    if len(points) == 1:
        made |= {"mode": "markers", "marker": {"color": style["color"], "symbol": style["symbol"]}}
    label = f"seed {row['seed']}, {what}"
    return made | {
        "legendgroup": row["method"],
        "customdata": [run_place(row)] * len(made["x"]),
        "hovertemplate": f"%{{x:.3g}} s: %{{y:.6g}}<br>{label}",
    }


def _legend(traces: list[Trace]) -> list[Trace]:
    """One entry for each method, the first `MOST_METHODS` of them drawn."""
    order = {name: i for i, name in enumerate(dict.fromkeys(trace["name"] for trace in traces))}
    told: set[str] = set()
    for trace in traces:
        trace["showlegend"] = trace["name"] not in told
        told.add(trace["name"])
        if order[trace["name"]] >= MOST_METHODS:
            trace["visible"] = "legendonly"
    return traces
