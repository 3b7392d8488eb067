"""Figures of the runs on some instances: gaps over time, and the terms of the cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures.boxes import Box, boxes
from rsjs.reporting.figures.figure import Axis, Figure, Mark, Panel, Series
from rsjs.reporting.references import cost_ratio
from rsjs.reporting.tables.formats import cost, folded
from rsjs.reporting.tables.labels import shortened
from rsjs.rows.select import AnyRow, distinct, group_by, how_it_ended, is_wrong, known
from rsjs.runs.gap import gap

Run = Mapping[str, Any]

FLOOR = 0.001  # %: smaller gaps are drawn here
SOONEST = 1e-4  # s
OWN_LABEL = "gap to its own bound"
LONGEST_LABEL, LONGEST_TITLE = 36, 50  # characters

# postponement, which dwarfs the others under overload, comes last: bars cut off show them
TERMS = {
    "energy": ["#0072B2"],
    "idle": ["#999999"],
    "changes": ["#009E73"],
    "tardiness": ["#E69F00"],
    "postponement": ["#D55E00"],
}
CUT = 20.0  # costs above so many times the least are cut off,
SHOWN = 4.0  # at least so many times as long as the least
CUT_OFF = "»"
BARS, BAR, LETTER = 2.6, 0.2, 0.075  # inches: length and height of bars, width of a letter


def gap_over_time(runs: Sequence[Run]) -> Figure:
    """
    Return a panel per instance: gap of the incumbent to the instance's best bound, axes log.

    Runs have instance, method, events (seconds, incumbent, bound each), best_bound; perhaps
    seconds, the time at which the method ended, tip and link, see `Series`.
    """
    y = Axis(title="gap to the best bound [%]", is_log=True, ends=(FLOOR * 0.7, 140.0), floor=FLOOR)
    found = _over_time(runs, _gap_series, y, mark=FLOOR, lacking="no gap")
    note = f"Gaps below {FLOOR} % are drawn there."
    return replace(found, name="gap", title="Gap to the best bound over time", note=note)


def cost_over_time(runs: Sequence[Run]) -> Figure:
    """
    Return a panel per instance: cost of the incumbent / best cost, axes log.

    Runs are those of `gap_over_time` with `best_cost`; costs and best costs > 0 are drawn.
    """
    found = _over_time(runs, _ratio_series, Axis(title="cost / best", is_log=True), mark=1.0)
    return replace(found, name="ratio", title="Cost over time", is_shared=(True, False))


def _over_time(
    runs: Sequence[Run],
    series_of: Callable[[Run], list[Series]],
    y: Axis,
    *,
    mark: float,
    lacking: str = "",
) -> Figure:
    """Return a panel per instance, with a line at `mark`; `lacking` names runs without series."""
    if not runs:
        raise InputError("", described("no runs"), "at least one run to draw")
    common, groups = _by_instance(runs)
    x = Axis(title="wall-clock time [s]", is_log=True)
    panels = []
    for name, group in groups.items():
        series = [(run["method"], series_of(run)) for run in group]
        without = [method for method, found in series if not found]
        told = f"({lacking}: {', '.join(without)})" if without and lacking else ""
        note = folded(told, LONGEST_TITLE) if told else []
        panels.append(
            Panel(
                series=[one for _, found in series for one in found],
                x=x,
                y=y,
                title="\n".join([*folded(name, LONGEST_TITLE), *note]),
                marks=[Mark(at=mark, axis="y")],
            )
        )
    size = (4.5 if len(panels) == 1 else 3.3, 2.6)
    return Figure(name="", title="", panels=panels, heading=common, size=size)


def _gap_series(run: Run) -> list[Series]:
    """The gap of a run to the best bound, and to its own."""
    method, curve, own = run["method"], gap_curve(run), gap_curve(run, own=True)
    if not curve:
        return []
    found = [step_series(method, curve, **_tips(run))]
    if own:
        found.append(step_series(OWN_LABEL, own, style=method, look="dashed", **_tips(run)))
    return found


def _ratio_series(run: Run) -> list[Series]:
    """Cost / best of a run, where both are > 0."""

    def of_event(event: Run) -> float | None:
        ratio = cost_ratio(event.get("incumbent"), run.get("best_cost"))
        return ratio if ratio is not None and ratio > 0 else None

    curve = trajectory(run, of_event)
    return [step_series(run["method"], curve, **_tips(run))] if curve else []


def _tips(run: Run) -> dict[str, Any]:
    return {f"{key}s": [run[key]] for key in ("tip", "link") if key in run}


def _by_instance(rows: Sequence[Run]) -> tuple[str, dict[str, list[Run]]]:
    """What the names of instances have in common, and rows by what differs."""
    panels = group_by(rows, lambda row: str(row["instance"]))
    common, short = shortened(list(panels))
    return common, {short[name]: group for name, group in panels.items()}


def step_series(name: str, points: Sequence[tuple[float, float]], **more: Any) -> Series:
    """Return the steps of a trajectory, marked at its first and last event."""
    x, y = zip(*points, strict=True)
    marked = [0] if len(set(y)) == 1 else [0, len(y) - 1]
    return Series(name=name, x=x, y=y, kind="steps", marked=marked, **more)


def gap_curve(run: Run, *, own: bool = False) -> list[tuple[float, float]]:
    """Return seconds and gap [%] at each event, to the best bound of the instance or its own."""

    def of_event(event: Run) -> float | None:
        return gap(event.get("incumbent"), event.get("bound") if own else run.get("best_bound"))

    return [(time, max(FLOOR, 100 * value)) for time, value in trajectory(run, of_event)]


def trajectory(run: Run, of_event: Callable[[Run], float | None]) -> list[tuple[float, float]]:
    """Return seconds and values of events, and the last value at the end of the run."""
    found = [(max(SOONEST, event["seconds"]), of_event(event)) for event in run["events"]]
    points = [(time, value) for time, value in found if value is not None]
    if len(found) > 1 and points and run.get("seconds"):
        points.append((max(points[-1][0], run["seconds"]), points[-1][1]))
    return points


def cost_split(rows: Sequence[AnyRow]) -> Figure:
    """
    Return a panel per instance: stacked bars of the terms [$] by method.

    Bars far longer than the shortest are cut off; every bar tells its total.
    """
    if not rows:
        raise InputError("", described("no rows"), "at least one run to draw")
    common, panels = _by_instance(distinct(rows))
    labels = {str(row["method"]): folded(str(row["method"]), LONGEST_LABEL) for row in rows}
    longest = max(len(line) for lines in labels.values() for line in lines)
    bars = max(map(len, panels.values())) * max(map(len, labels.values()))
    return Figure(
        name="costs",
        title="What the cost is made of",
        panels=[_costs(name, group) for name, group in panels.items()],
        heading=common,
        size=(max(5.0 if len(panels) == 1 else 0, BARS + LETTER * longest), bars * BAR + 0.8),
        columns=2,
        is_shared=(False, False),
    )


def _costs(instance: str, rows: Sequence[Run]) -> Panel:
    limit = _limit([row["objective"] for row in rows if known(row, "objective") is not None])
    found: list[Box] = []
    words: list[tuple[float, int, str]] = []
    for place, row in enumerate(rows):
        total, left = known(row, "objective"), 0.0
        for term, (colour,) in TERMS.items() if total is not None else ():
            value = known(row, term) or 0.0
            wide = min(value, limit - left)
            if wide > 0:
                tip = f"{row['method']}: {cost(total)} $, {term} {value:.6g} $"
                text = CUT_OFF if wide < value else ""
                found.append(Box(left, wide, place, 0.7, term, colour, text, tip))
                left += wide
        told = how_it_ended(row) if total is None else cost(total)
        words.append((left + 0.01 * limit, place, f"{told}  WRONG" if is_wrong(row) else told))
    at, places, texts = zip(*words, strict=True)
    totals = Series(name="", x=at, y=places, kind="words", texts=texts, colour="0.15")
    note = f", {CUT_OFF}: cut off" if any(box.text for box in found) else ""
    room = 1.7 if any(map(is_wrong, rows)) else 1.35  # for the totals
    ticks = {
        float(i): "\n".join(folded(str(row["method"]), LONGEST_LABEL)) for i, row in enumerate(rows)
    }
    return Panel(
        series=[*boxes(found, TERMS), totals],
        x=Axis(title=f"cost [$]{note}", ends=(0.0, room * limit)),
        y=Axis(ticks=ticks, ends=(len(rows) - 0.4, -0.6)),
        title="\n".join(folded(instance, LONGEST_LABEL)),
    )


def _limit(costs: Sequence[float]) -> float:
    """Where bars end: at the largest cost, or earlier if that would hide the least."""
    positive = [value for value in costs if value > 0]
    if not positive:
        return 1.0
    least, most = min(positive), max(positive)
    near = max(value for value in positive if value <= CUT * least)
    return most if near == most else max(near, SHOWN * least)
