"""Times of the best method against those of each other one, problem by problem."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from rsjs.reporting import canvas
from rsjs.reporting.names import folded
from rsjs.reporting.statistics.failures import penalised
from rsjs.reporting.statistics.profiles import RESOLUTION
from rsjs.reporting.statistics.rank_picture import LONGEST_LABEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    return canvas.write(lambda: _draw_times(times, limits, ranked), canvas.checked(path))


def _draw_times(times: pd.DataFrame, limits: pd.Series, ranked: Sequence[str]) -> Figure:
    best, *others = ranked[: MOST + 1]
    columns = min(COLUMNS, len(others))
    rows = ceil(len(others) / columns)
    made = canvas.figure(PANEL * columns + 0.3, (PANEL + 0.2) * rows, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    counted = penalised(times, limits).clip(lower=RESOLUTION)
    ends = float(counted.min(axis=None)) / 1.5, float(limits.max()) * 1.5
    styles = canvas.styles(times.columns)
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
