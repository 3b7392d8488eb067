"""Which pictures an analysis has, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.ecdf_picture import distribution_of_gaps, distribution_of_targets
from rsjs.reporting.statistics.integrals import with_courses
from rsjs.reporting.statistics.profile_picture import performance_profiles
from rsjs.reporting.statistics.rank_picture import rank_bars
from rsjs.reporting.statistics.scatter_picture import pairwise_times


@dataclass(frozen=True)
class Picture:
    """
    A picture that is not drawn yet.

    Attributes
    ----------
    name, title : str
    draw : callable
        Draws it to a path; another process may do it.
    """

    name: str
    title: str
    draw: Callable[[Path], object]


def pictures(analysis: Analysis) -> Iterator[Picture]:
    """
    Those that its rows have, of the methods that were run on all problems.

    Ranks and pairs need two methods, those by time seconds that may be ranked, targets the events
    of all runs.
    """
    ranked = analysis.ranked
    if not ranked:
        return
    gaps = measures.gaps(analysis.runs, "gap")[ranked]
    yield Picture("gaps", "Distribution of gaps", partial(distribution_of_gaps, gaps))
    if with_courses(analysis.runs):
        draw = partial(distribution_of_targets, analysis.hits[ranked], float(analysis.limits.max()))
        yield Picture("targets", "Targets reached over time", draw)
    if len(ranked) < 2:
        return
    draw = partial(rank_bars, analysis.ranks_by_cost, "Cost")
    yield Picture("ranks-by-cost", "Shares of ranks by cost", draw)
    if analysis.is_shared:
        return
    by_time, times = analysis.ranks_by_time, analysis.times[ranked]
    best_first = by_time.index.tolist()
    draw = partial(performance_profiles, times, best_first)
    yield Picture("profiles", "Performance profiles", draw)
    draw = partial(pairwise_times, times, analysis.limits, best_first)
    yield Picture("times", "Times in pairs", draw)
    draw = partial(rank_bars, by_time, "Time to solve")
    yield Picture("ranks-by-time", "Shares of ranks by time", draw)
