"""
Figures of an analysis: distributions, the ranking, shares of ranks, and times in pairs.

Distributions are the share of problems at or below x: of gaps at the end, of seconds to targets,
and performance profiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from rsjs.reporting.figures.boxes import Box, boxes
from rsjs.reporting.figures.figure import MOST_SERIES, Axis, Figure, Panel, Series
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.gaps import distribution, with_trajectories
from rsjs.reporting.statistics.means import RESOLUTION, penalised, ratios
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tidy import matrix
from rsjs.reporting.tables.formats import folded

LEAST_GAP, SOONEST = 0.001, 1e-3  # %, s: lesser values are drawn here
MOST_PAIRS, MOST_TIMES = 5, 6  # of the best method: performance profiles, times
LONGEST_LABEL, LONGEST_TICK = 36, 34  # characters
DARKEST, PALEST = (8, 69, 148), (222, 235, 247)  # of the bars of ranks
TOLD = 0.06  # share of a rank that is wide enough for its number
BAR = 0.32  # inches: height of a bar


def figures(analysis: Analysis) -> Iterator[Figure]:
    """
    Yield the figures that its rows have, of the methods that were run on all problems.

    Ranks and pairs need two methods, those by time seconds that may be ranked, targets the events
    of all runs. Methods stand best first.
    """
    best_first = analysis.best_first
    if not best_first:
        return
    yield costs(matrix(analysis.runs, "cost_ratio")[best_first])
    proving = matrix(analysis.runs, "bound")[best_first].notna().any()
    if proving.any():
        yield gaps(matrix(analysis.runs, "gap_to_best")[[*proving.index[proving]]])
    if with_trajectories(analysis.runs):
        yield targets(analysis.hits[best_first], float(analysis.limits.max()))
    if len(best_first) < 2:
        return
    yield ranking(rank_spread(analysis.ranks_by_cost))
    yield rank_bars(analysis.ranks_by_cost, "cost")
    if analysis.is_shared:
        return
    by_time = analysis.ranks_by_time
    times = analysis.times[by_time.index.tolist()]
    yield profiles(times)
    yield pairwise_times(times, analysis.limits)
    yield rank_bars(by_time, "time")


def costs(ratios: pd.DataFrame) -> Figure:
    """Return the distribution of cost / best, problems x methods, NaN = no solution."""
    axis = Axis(
        title="cost / best", is_log=True, ends=(1.0, max(1.1, float(ratios.max(axis=None))))
    )
    note = "Costs below the best known are drawn at 1; a run without a solution is in no share."
    return _figure("costs", "Distribution of costs", [_steps(ratios, axis)], note)


def gaps(found: pd.DataFrame) -> Figure:
    """Return the distribution of gaps at the end, problems x methods in [0, 1], NaN = none."""
    ends = (LEAST_GAP, 100.0)
    axis = Axis(title="gap to the best bound [%]", is_log=True, ends=ends, floor=LEAST_GAP)
    note = f"Gaps below {LEAST_GAP} % are drawn there; a run without a gap is in no share."
    panel = _steps(100 * found, axis)
    return _figure("gaps", "Distribution of gaps", [panel], note)


def targets(hits: pd.DataFrame, limit: float) -> Figure:
    """Return the distribution of seconds to targets; `limit` is the longest time limit."""
    axis = Axis(title="wall-clock time [s]", is_log=True, ends=(SOONEST, limit))
    note = "Targets: primal gaps of 10, 5, 2, 1, 0.5, 0.1 and 0 % on each problem."
    panel = _steps(hits, axis, counted="targets")
    return _figure("targets", "Targets reached over time", [panel], note)


def profiles(times: pd.DataFrame) -> Figure:
    """
    Return performance profiles of all methods, and of the first one with each that follows.

    `times` are seconds, problems x methods, NaN = failed; the best method first.
    """
    found = ratios(times)
    finite = found.to_numpy()[np.isfinite(found.to_numpy())]
    end = 2.0 * float(finite.max()) if len(finite) else 10.0
    axis = Axis(title="time by the least time of the problem", is_log=True, ends=(1.0, end))
    panels = [_steps(found, axis, "all methods")]
    best, *others = times.columns[: MOST_PAIRS + 1]
    if len(times.columns) > 2:
        for name in others:
            lines = [*folded(best, LONGEST_LABEL), *folded(f"and {name}", LONGEST_LABEL)]
            panels.append(_steps(ratios(times[[best, name]]), axis, "\n".join(lines)))
    note = "With more than two methods their order may depend on the others: see the pairs."
    return _figure("profiles", "Performance profiles", panels, note)


def _figure(name: str, title: str, panels: Sequence[Panel], note: str) -> Figure:
    size = (5.4, 2.5) if len(panels) == 1 else (3.0, 2.4)
    return Figure(name=name, title=title, panels=panels, note=note, size=size)


def _steps(values: pd.DataFrame, axis: Axis, title: str = "", counted: str = "problems") -> Panel:
    """A step for each value of each method, from end to end of the axis; inf is never."""
    low, high = axis.ends[0] or 0.0, axis.ends[1] or 0.0
    series = []
    for name in values.columns:
        x, share = distribution(values[name].replace(np.inf, np.nan).clip(lower=low))
        first = 0.0 if not len(x) or x[0] > low else float(share[0])
        last = float(share[-1]) if len(x) else 0.0
        ends = [low, *x, high], [first, *share, last]
        series.append(Series(name=name, x=ends[0], y=ends[1], kind="steps"))
    y = Axis(title=f"share of {counted}", is_share=True, ends=(0.0, 1.0))
    return Panel(series=series, x=axis, y=y, title=title)


def _by_method(
    name: str, title: str, note: str, names: Sequence[str], x: Axis, series: Sequence[Series]
) -> Figure:
    """A line for each method, the best one on top."""
    ticks = {float(i): "\n".join(folded(name, LONGEST_TICK)) for i, name in enumerate(names)}
    y = Axis(ticks=ticks, ends=(len(ticks) - 0.4, -0.6))
    panels = [Panel(series=series, x=x, y=y)]
    size = (6.0, 0.6 + BAR * len(ticks))
    return Figure(name=name, title=title, panels=panels, note=note, size=size, has_legend=False)


def ranking(spread: pd.DataFrame) -> Figure:
    """Return the mean rank by cost of the best methods with its 95 % interval, by `rank_spread`."""
    found = spread.head(MOST_SERIES)
    series = [
        Series(
            name=name,
            x=[mean],
            y=[float(place)],
            kind="points",
            x_interval=([low], [high]),
            tips=[f"mean rank {mean:.2f}, from {low:.0f} to {high:.0f}"],
        )
        for place, (name, mean, low, high) in enumerate(found.itertuples())
    ]
    ends = (0.8, max(1.0, found["high"].max()) + 0.2)
    x = Axis(title="mean rank by cost, with its 95 % interval (1 is best)", ends=ends)
    note = f"Instances, then seeds, are drawn again. At most {MOST_SERIES} methods are drawn."
    return _by_method("ranking", "Mean rank by cost", note, [*found.index], x, series)


def rank_bars(shares: pd.DataFrame, measure: str) -> Figure:
    """Return stacked bars of `rank_shares` by "cost" or "time", rank 1 darkest, the best on top."""
    begin, legend = shares.cumsum(axis=1) - shares, {}
    for i, rank in enumerate(shares.columns):
        pale = i / max(1, len(shares.columns) - 1)
        colour = [round(a + pale * (b - a)) for a, b in zip(DARKEST, PALEST, strict=True)]
        legend[f"rank {rank}"] = ["#" + bytes(colour).hex()]
    found = []
    for i, name in enumerate(shares.index):
        for rank, share in shares.loc[name].items():
            word, text = f"rank {rank}", str(rank) if share >= TOLD else ""
            tip = f"{name}: {word} in {share:.1%}"
            left = begin.loc[name, rank]
            found.append(Box(left, share, i, 0.75, word, legend[word][0], text, tip))
    x = Axis(title="share of the bootstrap's draws", is_share=True, ends=(0.0, 1.0))
    note = "How often each method has each rank when instances, then seeds, are drawn again."
    name, title = f"ranks-by-{measure}", f"Shares of ranks by {measure}"
    return _by_method(
        name,
        title,
        f"{note} Rank 1 is darkest.",
        [*map(str, shares.index)],
        x,
        boxes(found, legend),
    )


def pairwise_times(times: pd.DataFrame, limits: pd.Series) -> Figure:
    """
    Return the best method, first in `times`, against each of the `MOST_TIMES` that follow.

    Seconds, problems x methods, NaN = failed; failures are hollow, at the problem's limit [s].
    """
    best, *others = times.columns[: MOST_TIMES + 1]
    counted = penalised(times, limits).clip(lower=RESOLUTION)
    ends = float(counted.min(axis=None)) / 1.5, float(limits.max()) * 1.5
    panels = []
    for name in others:
        both = times[[best, name]].notna().all(axis=1)
        x, y = counted[best], counted[name]
        won = Series(name="", style=name, x=x[both].tolist(), y=y[both].tolist(), kind="points")
        lost = replace(won, x=x[~both].tolist(), y=y[~both].tolist(), look="hollow")
        across = Axis(title=f"{best} [s]", is_log=True, ends=ends)
        up = Axis(title="method above the panel [s]", is_log=True, ends=ends)
        title = "\n".join(folded(name, LONGEST_TICK))
        panels.append(Panel(series=[won, lost], x=across, y=up, title=title, has_diagonal=True))
    return Figure(
        name="times",
        title="Times in pairs",
        panels=panels,
        note="Hollow: one of the two failed, and counts its time limit.",
        size=(2.5, 2.6),
        has_legend=False,
    )
