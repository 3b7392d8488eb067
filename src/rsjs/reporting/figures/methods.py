"""
How often each method has each rank, as one bar per method.

Times of the best method against those of each other one, problem by problem.

Which pictures an analysis has, each by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.distributions import (
    distribution_of_gaps,
    distribution_of_targets,
    performance_profiles,
)
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.gaps import with_courses
from rsjs.reporting.statistics.means import penalised
from rsjs.reporting.statistics.measures import RESOLUTION
from rsjs.reporting.tables.formats import folded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, BAR = 6.0, 0.32  # inches: of the picture, height of a bar
LONGEST_LABEL = 34  # characters
DARK, SHOWN = 0.45, 0.06  # of the scale of greys; share that is told in figures


def rank_bars(shares: pd.DataFrame, title: str, path: str | Path) -> Path:
    """
    Draw stacked bars, rank 1 darkest, best method on top.

    Parameters
    ----------
    shares : DataFrame
        Of `rank_stability.rank_shares`.
    title : str
        What is ranked.
    path : path
        .png, .svg or .pdf.
    """
    return figure_style.write(lambda: _draw_ranks(shares, title), figure_style.checked(path))


def _draw_ranks(shares: pd.DataFrame, title: str) -> Figure:
    from matplotlib import colormaps

    names = ["\n".join(folded(name, LONGEST_LABEL)) for name in shares.index]
    made = figure_style.figure(WIDTH, 0.9 + BAR * len(names), layout="constrained")
    ax = made.subplots()
    at = np.arange(len(names))[::-1]
    colours = colormaps["Blues"](np.linspace(0.95, 0.12, len(shares.columns)))
    left = np.zeros(len(names))
    for rank, colour in zip(shares.columns, colours, strict=True):
        width = shares[rank].to_numpy()
        ax.barh(at, width, left=left, height=0.75, color=colour, edgecolor="white", linewidth=0.5)
        for y, x, share in zip(at, left + width / 2, width, strict=True):
            if share >= SHOWN:
                ink = "white" if colour[:3].mean() < 1 - DARK else "black"
                ax.text(x, y, str(rank), ha="center", va="center", color=ink, fontsize=7)
        left += width
    ax.set(yticks=at, yticklabels=names, xlim=(0, 1), xlabel="share of the bootstrap's draws")
    ax.set_title(f"{title}: rank of each method")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return made


PANEL, COLUMNS, MOST = 2.4, 3, 6  # inches; panels in a line; methods drawn


def pairwise_times(
    times: pd.DataFrame, limits: pd.Series, ranked: Sequence[str], path: str | Path
) -> Path:
    """
    Draw one panel per method, both axes logarithmic; failures are hollow, at the time limit.

    Parameters
    ----------
    times : DataFrame
        Seconds, problems x methods, NaN = failed.
    limits : Series
        Seconds of each problem.
    ranked : sequence of str
        The methods, best first: it has the horizontal axis, against the `MOST` that follow.
    path : path
        .png, .svg or .pdf.
    """
    return figure_style.write(
        lambda: _draw_times(times, limits, ranked), figure_style.checked(path)
    )


def _draw_times(times: pd.DataFrame, limits: pd.Series, ranked: Sequence[str]) -> Figure:
    best, *others = ranked[: MOST + 1]
    columns = min(COLUMNS, len(others))
    rows = ceil(len(others) / columns)
    made = figure_style.figure(PANEL * columns + 0.3, (PANEL + 0.2) * rows, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    counted = penalised(times, limits).clip(lower=RESOLUTION)
    ends = float(counted.min(axis=None)) / 1.5, float(limits.max()) * 1.5
    styles = figure_style.styles(times.columns)
    for ax, name in zip(axes, others, strict=False):
        both = times[[best, name]].notna().all(axis=1)
        colour = styles[name]["color"]
        _panel(ax, ends)
        for chosen, face in ((both, colour), (~both, "white")):
            x, y = counted[best][chosen], counted[name][chosen]
            ax.scatter(x, y, s=14, facecolor=face, edgecolor=colour, clip_on=False, zorder=3)
        ax.set_title("\n".join(folded(name, LONGEST_LABEL)))
    for ax in axes[len(others) :]:
        ax.remove()
    for ax in axes[max(0, len(others) - columns) : len(others)]:
        ax.tick_params(labelbottom=True)
    made.supxlabel(f"{best} [s]", fontsize=8)
    made.supylabel("method above the panel [s]", fontsize=8)
    return made


def _panel(ax: Axes, ends: tuple[float, float]) -> None:
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal")
    ax.plot(ends, ends, color="0.6", linewidth=0.6, zorder=2)
    ax.grid(which="major", color="0.92", linewidth=0.6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")  # no 10^x: text stays text
    ax.minorticks_off()


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
