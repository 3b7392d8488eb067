"""
Distribution functions: of gaps at the end, of times to targets, and performance profiles.

`gaps`, `targets` and `profiles` compute what is drawn; files draw it with matplotlib here, report
pages with plotly (`site.plots`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
LEAST_GAP, SOONEST = 0.001, 1e-3  # %, s: lesser values are drawn here
MOST_PAIRS, COLUMNS = 5, 3  # of the best method in performance profiles; panels side by side
ACROSS = 2  # methods side by side in a legend


@dataclass(frozen=True, kw_only=True)
class Distributions:
    """
    The share of problems at or below x, for each method.

    Attributes
    ----------
    values : DataFrame
        Problems x methods; NaN and infinity count as never.
    ends : (float, float)
        Of the horizontal axis, logarithmic; lesser values are drawn at the first.
    title, axis, counted, note : str
    """

    values: pd.DataFrame
    ends: tuple[float, float]
    title: str
    axis: str
    counted: str = "problems"
    note: str = ""

    def curve(self, name: str) -> tuple[list[float], list[float]]:
        """Return x and share of the steps of a method, from end to end."""
        low, high = self.ends
        x, share = distribution(self.values[name].replace(np.inf, np.nan).clip(lower=low))
        first = 0.0 if not len(x) or x[0] > low else float(share[0])
        last = float(share[-1]) if len(x) else 0.0
        return [low, *x.tolist(), high], [first, *share.tolist(), last]


def gaps(found: pd.DataFrame) -> Distributions:
    """Return the distribution of gaps at the end, problems x methods in [0, 1], NaN = none."""
    return Distributions(
        values=100 * found,
        ends=(LEAST_GAP, 100.0),
        title="Gaps at the end",
        axis="gap to the best bound [%]",
        note=f"Gaps below {LEAST_GAP} % are drawn there; a run without a gap is in no share.",
    )


def targets(hits: pd.DataFrame, limit: float) -> Distributions:
    """Return the distribution of seconds to targets; `limit` is the longest time limit."""
    return Distributions(
        values=hits,
        ends=(SOONEST, limit),
        title="Targets hit over time",
        axis="wall-clock time [s]",
        counted="targets",
        note="Targets: primal gaps of 10, 5, 2, 1, 0.5, 0.1 and 0 % on each problem.",
    )


def profiles(times: pd.DataFrame) -> Distributions:
    """Return performance profiles of seconds, problems x methods, NaN = failed."""
    found = ratios(times)
    finite = found.to_numpy()[np.isfinite(found.to_numpy())]
    return Distributions(
        values=found,
        ends=(1.0, 2.0 * float(finite.max()) if len(finite) else 10.0),
        title="Performance profiles",
        axis="time by the least time of the problem",
        note="With more than two methods their order may depend on the others: see the pairs.",
    )


def distribution_picture(
    data: Distributions, path: str | Path, styles: Styles | None = None
) -> Path:
    """
    Draw the distribution of each method as steps.

    Parameters
    ----------
    data : Distributions
    path : path
        .png, .svg or .pdf.
    styles : mapping, optional
        Of each method, see `figure_style.styles`.
    """

    def drawn() -> Figure:
        own = styles or figure_style.styles(data.values.columns)
        shown = {name: own[name] for name in data.values.columns}
        height = PANEL[1] + 0.3 + legend_lines(list(shown), ACROSS)
        made = figure_style.figure(1.6 * PANEL[0], height, layout="constrained")
        ax = made.subplots()
        steps(ax, data, shown)
        ax.set(xlabel=data.axis, ylabel=f"share of {data.counted}")
        if data.ends[0] == LEAST_GAP and "%" in data.axis:
            ax.xaxis.set_major_formatter(
                lambda x, _: f"≤ {LEAST_GAP:g}" if x <= LEAST_GAP else f"{x:g}"
            )
        legend(made, shown, ACROSS)
        return made

    return figure_style.write(drawn, figure_style.checked(path))


def performance_profiles(
    times: pd.DataFrame, ranked: Sequence[str], path: str | Path, styles: Styles | None = None
) -> Path:
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
    styles : mapping, optional
        Of each method, see `figure_style.styles`.
    """
    return figure_style.write(
        lambda: _draw_profiles(times, ranked, styles), figure_style.checked(path)
    )


def _draw_profiles(times: pd.DataFrame, ranked: Sequence[str], styles: Styles | None) -> Figure:
    best, *others = ranked[: MOST_PAIRS + 1]
    panels = [("all methods", profiles(times))]
    if len(times.columns) > 2:
        panels += [
            (
                "\n".join([*folded(best, LONGEST_LABEL), *folded(f"and {name}", LONGEST_LABEL)]),
                replace(panels[0][1], values=of_pair(times, best, name)),
            )
            for name in others
        ]
    columns = min(COLUMNS, len(panels))
    rows = ceil(len(panels) / columns)
    own = styles or figure_style.styles(times.columns)
    shown = {name: own[name] for name in times.columns}
    height = (PANEL[1] + 0.3) * rows + legend_lines(list(shown), columns)
    made = figure_style.figure(max(3.6, PANEL[0] * columns), height, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    for ax, (title, found) in zip(axes, panels, strict=False):
        steps(ax, found, shown)
        ax.set_title(title)
    for ax in axes[len(panels) :]:
        ax.remove()
    for ax in axes[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel(panels[0][1].axis)
        ax.tick_params(labelbottom=True)
    for ax in axes[: len(panels) : columns]:
        ax.set_ylabel("share of problems")
    legend(made, shown, columns)
    return made


def steps(ax: Axes, data: Distributions, styles: Styles) -> None:
    """Draw the curve of each method, the first ones widest."""
    from matplotlib.ticker import LogLocator

    names = list(data.values.columns)
    widths = np.linspace(WIDEST, FINEST, len(names)) if len(names) > 1 else [FINEST]
    for i, (name, width) in enumerate(zip(names, widths, strict=True)):
        x, share = data.curve(name)
        ax.plot(
            x,
            share,
            drawstyle="steps-post",
            linewidth=width,
            markersize=3.5,
            markevery=[len(x) - 1],
            clip_on=False,
            zorder=3 + 0.01 * i,
            **styles[name],
        )
    low, high = data.ends
    ax.set(xscale="log", xlim=(low, high), ylim=(0.0, 1.0))
    ax.grid(which="major", color="0.92", linewidth=0.6)
    if high < FEW_DECADES * low:
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")  # no 10^x: text stays text
    ax.xaxis.minorticks_off()


def legend_lines(names: Sequence[str], columns: int) -> float:
    """Return the inches that a legend below the panels takes."""
    tallest = max(len(folded(name, LONGEST_LABEL)) for name in names)
    return LINE * ceil(len(names) / columns) * tallest + 0.1


def legend(made: Figure, styles: Styles, columns: int) -> None:
    """Draw the methods below the panels."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label="\n".join(folded(name, LONGEST_LABEL)), markersize=4, **style)
        for name, style in styles.items()
    ]
    made.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
