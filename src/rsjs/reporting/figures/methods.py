"""
The pictures of an analysis by name: distributions, the ranking, ranks, and times in pairs.

`ranking` computes the mean rank of each method with its interval, which pages draw, too.
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

from rsjs.reporting.figures import distributions, figure_style
from rsjs.reporting.figures.distributions import (
    Styles,
    distribution_picture,
    performance_profiles,
)
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.gaps import with_courses
from rsjs.reporting.statistics.means import penalised
from rsjs.reporting.statistics.measures import RESOLUTION
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.tables.formats import folded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, BAR = 6.0, 0.32  # inches: of the picture, height of a bar
LONGEST_LABEL = 34  # characters
MOST_SERIES = 8  # in a panel
DARK, SHOWN = 0.45, 0.06  # of the scale of greys; share that is told in figures


def rank_bars(shares: pd.DataFrame, title: str, path: str | Path) -> Path:
    """
    Draw stacked bars, rank 1 darkest, best method on top.

    Parameters
    ----------
    shares : DataFrame
        Of `rsjs.reporting.statistics.ranks.rank_shares`.
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
    times: pd.DataFrame,
    limits: pd.Series,
    ranked: Sequence[str],
    path: str | Path,
    styles: Styles | None = None,
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
        lambda: _draw_times(times, limits, ranked, styles), figure_style.checked(path)
    )


def _draw_times(
    times: pd.DataFrame, limits: pd.Series, ranked: Sequence[str], styles: Styles | None
) -> Figure:
    best, *others = ranked[: MOST + 1]
    columns = min(COLUMNS, len(others))
    rows = ceil(len(others) / columns)
    made = figure_style.figure(PANEL * columns + 0.3, (PANEL + 0.2) * rows, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    counted = penalised(times, limits).clip(lower=RESOLUTION)
    ends = float(counted.min(axis=None)) / 1.5, float(limits.max()) * 1.5
    styles = styles or figure_style.styles(times.columns)
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


def pictures(analysis: Analysis, styles: Styles | None = None) -> Iterator[Picture]:
    """
    Yield the pictures that its rows have, of the methods that were run on all problems.

    Ranks and pairs need two methods, those by time seconds that may be ranked, targets the events
    of all runs. Distributions are those of the best `MOST_SERIES` methods by cost.

    Parameters
    ----------
    styles : mapping, optional
        Of each method, so that it has one colour in several analyses.
    """
    ranked, shown = analysis.ranked, analysis.best_first[:MOST_SERIES]
    styles = styles or figure_style.styles(analysis.ran.columns)
    if not ranked:
        return
    few = f" of the {MOST_SERIES} best methods by cost" if len(shown) < len(ranked) else ""
    gaps = distributions.gaps(measures.gaps(analysis.runs, "gap")[shown])
    draw = partial(distribution_picture, gaps, styles=styles)
    yield Picture("gaps", f"Distribution of gaps{few}", draw)
    if with_courses(analysis.runs):
        targets = distributions.targets(analysis.hits[shown], float(analysis.limits.max()))
        draw = partial(distribution_picture, targets, styles=styles)
        yield Picture("targets", f"Targets reached over time{few}", draw)
    if len(ranked) < 2:
        return
    yield Picture("ranking", "Mean rank by cost", partial(ranking_picture, analysis, styles=styles))
    draw = partial(rank_bars, analysis.ranks_by_cost, "Cost")
    yield Picture("ranks-by-cost", "Shares of ranks by cost", draw)
    if analysis.is_shared:
        return
    by_time = analysis.ranks_by_time
    best_first = by_time.index.tolist()
    times = analysis.times[best_first[:MOST_SERIES]]
    draw = partial(performance_profiles, times, best_first[:MOST_SERIES], styles=styles)
    yield Picture("profiles", "Performance profiles", draw)
    draw = partial(pairwise_times, times, analysis.limits, best_first, styles=styles)
    yield Picture("times", "Times in pairs", draw)
    draw = partial(rank_bars, by_time, "Time to solve")
    yield Picture("ranks-by-time", "Shares of ranks by time", draw)


def ranking(analysis: Analysis) -> pd.DataFrame:
    """Return mean rank by cost with the ends of its 95 % interval, by method, the best first."""
    return rank_spread(analysis.ranks_by_cost)


def ranking_picture(analysis: Analysis, path: str | Path, styles: Styles | None = None) -> Path:
    """
    Draw the mean rank by cost of each method with its 95 % bootstrap interval, best on top.

    Parameters
    ----------
    analysis : Analysis
        With at least two methods that were run on all problems.
    path : path
        .png, .svg or .pdf.
    styles : mapping, optional
        Of each method, see `figure_style.styles`.
    """

    def drawn() -> Figure:
        found = ranking(analysis)
        own = styles or figure_style.styles(found.index)
        made = figure_style.figure(WIDTH, 0.9 + BAR * len(found), layout="constrained")
        ax = made.subplots()
        for y, (name, line) in zip(range(len(found))[::-1], found.iterrows(), strict=True):
            colour = own[str(name)]["color"]
            ax.plot([line["low"], line["high"]], [y, y], color=colour, linewidth=2)
            ax.plot(line["mean"], y, color=colour, marker=own[str(name)]["marker"], markersize=5)
        names = ["\n".join(folded(str(name), LONGEST_LABEL)) for name in found.index]
        ax.set(yticks=range(len(found))[::-1], yticklabels=names)
        ax.set(xlabel="mean rank by cost, with its 95 % interval", xlim=(0.8, len(found) + 0.2))
        ax.grid(axis="x", color="0.92", linewidth=0.6)
        return made

    return figure_style.write(drawn, figure_style.checked(path))
