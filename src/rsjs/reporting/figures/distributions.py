"""
Distribution functions: of the gaps at the end, and of the times to targets.

Distribution functions drawn as steps, with one legend for all panels.

Performance profile of all methods, and of the best one with each other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsjs.reporting.figures import figure_style
from rsjs.reporting.statistics.gaps import distribution
from rsjs.reporting.statistics.measures import of_pair, ratios
from rsjs.reporting.tables.formats import folded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Styles = Mapping[str, Mapping[str, Any]]

PANEL, LINE = (3.0, 2.3), 0.15  # inches: width and height of a panel, height of a legend line
LONGEST_LABEL = 36  # characters
FEW_DECADES = 100.0  # below this ratio of the ends, ticks stand between the powers of ten
WIDEST, FINEST = 2.4, 1.0  # points: a line that lies on another one leaves its edges to see


def steps(ax: Axes, values: pd.DataFrame, styles: Styles, ends: tuple[float, float]) -> None:
    """The distribution of each column between two ends, logarithmic; NaN and inf count in n."""
    from matplotlib.ticker import LogLocator

    low, high = ends
    widths = (
        np.linspace(WIDEST, FINEST, len(values.columns)) if len(values.columns) > 1 else [FINEST]
    )
    for i, (name, width) in enumerate(zip(values.columns, widths, strict=True)):
        x, share = distribution(values[name].replace(np.inf, np.nan).clip(lower=low))
        left = 0.0 if not len(x) or x[0] > low else share[0]
        right = share[-1] if len(x) else 0.0
        ax.plot(
            [low, *x, high],
            [left, *share, right],
            drawstyle="steps-post",
            linewidth=width,
            markersize=3.5,
            markevery=[len(x) + 1],
            clip_on=False,
            zorder=3 + 0.01 * i,
            **styles[name],
        )
    ax.set(xscale="log", xlim=(low, high), ylim=(0.0, 1.0))
    ax.grid(which="major", color="0.92", linewidth=0.6)
    if high < FEW_DECADES * low:
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")  # no 10^x: text stays text
    ax.xaxis.minorticks_off()


def legend_lines(names: Sequence[str], columns: int) -> float:
    """Inches that a legend below the panels takes."""
    tallest = max(len(folded(name, LONGEST_LABEL)) for name in names)
    return LINE * ceil(len(names) / columns) * tallest + 0.1


def legend(made: Figure, styles: Styles, columns: int) -> None:
    """The methods below the panels."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label="\n".join(folded(name, LONGEST_LABEL)), markersize=4, **style)
        for name, style in styles.items()
    ]
    made.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


LEAST_GAP, SOONEST = 0.001, 1e-3  # %, s: lesser values are drawn here
ACROSS = 2  # methods side by side in the legend


def distribution_of_gaps(gaps: pd.DataFrame, path: str | Path) -> Path:
    """
    Draw the share of problems against the gap at the end, logarithmic.

    Parameters
    ----------
    gaps : DataFrame
        In [0, 1], problems x methods, NaN = failed.
    path : path
        .png, .svg or .pdf.
    """

    def drawn() -> Figure:
        made = _draw_ecdf(100 * gaps, (LEAST_GAP, 100.0), "gap to the best bound [%]", "problems")
        made.axes[0].xaxis.set_major_formatter(
            lambda x, _: f"≤ {LEAST_GAP:g}" if x <= LEAST_GAP else f"{x:g}"
        )
        return made

    return figure_style.write(drawn, figure_style.checked(path))


def distribution_of_targets(hits: pd.DataFrame, limit: float, path: str | Path) -> Path:
    """
    Draw the share of (problem, target) pairs against the time at which they are hit, logarithmic.

    Parameters
    ----------
    hits : DataFrame
        Of `ecdf.seconds_to_targets`.
    limit : float
        Longest time limit, seconds.
    path : path
        .png, .svg or .pdf.
    """
    ends = (SOONEST, limit)
    return figure_style.write(
        lambda: _draw_ecdf(hits, ends, "wall-clock time [s]", "targets"), figure_style.checked(path)
    )


def _draw_ecdf(values: pd.DataFrame, ends: tuple[float, float], axis: str, counted: str) -> Figure:
    styles = figure_style.styles(values.columns)
    height = PANEL[1] + 0.3 + legend_lines(list(styles), ACROSS)
    made = figure_style.figure(1.6 * PANEL[0], height, layout="constrained")
    ax = made.subplots()
    steps(ax, values, styles, ends)
    ax.set(xlabel=axis, ylabel=f"share of {counted}")
    legend(made, styles, ACROSS)
    return made


MOST_PAIRS, COLUMNS = 5, 3


def performance_profiles(times: pd.DataFrame, ranked: Sequence[str], path: str | Path) -> Path:
    """
    Draw the share of problems solved within tau times the least time, tau logarithmic.

    Parameters
    ----------
    times : DataFrame
        Seconds, problems x methods, NaN = failed.
    ranked : sequence of str
        The methods, best first: it is paired with the `MOST_PAIRS` that follow.
    path : path
        .png, .svg or .pdf.
    """
    return figure_style.write(lambda: _draw_profiles(times, ranked), figure_style.checked(path))


def _draw_profiles(times: pd.DataFrame, ranked: Sequence[str]) -> Figure:
    best, *others = ranked[: MOST_PAIRS + 1]
    panels = [("all methods", ratios(times))]
    if len(times.columns) > 2:
        panels += [
            ("\n".join([*folded(best, LONGEST_LABEL), *folded(f"and {name}", LONGEST_LABEL)]), pair)
            for name in others
            for pair in [of_pair(times, best, name)]
        ]
    finite = [found.to_numpy()[np.isfinite(found.to_numpy())] for _, found in panels]
    high = 2.0 * max((values.max() for values in finite if len(values)), default=5.0)
    columns = min(COLUMNS, len(panels))
    rows = ceil(len(panels) / columns)
    styles = figure_style.styles(times.columns)
    height = (PANEL[1] + 0.3) * rows + legend_lines(list(styles), columns)
    made = figure_style.figure(max(3.6, PANEL[0] * columns), height, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    for ax, (title, found) in zip(axes, panels, strict=False):
        steps(ax, found, styles, (1.0, high))
        ax.set_title(title)
    for ax in axes[len(panels) :]:
        ax.remove()
    for ax in axes[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel("time by the least time of the problem")
        ax.tick_params(labelbottom=True)
    for ax in axes[: len(panels) : columns]:
        ax.set_ylabel("share of problems")
    legend(made, styles, columns)
    return made
