"""Distribution functions: of the gaps at the end, and of the times to targets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from rsjs.reporting import canvas
from rsjs.reporting.statistics import steps_picture
from rsjs.reporting.statistics.steps_picture import PANEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

    return canvas.write(drawn, canvas.checked(path))


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
    return canvas.write(
        lambda: _draw_ecdf(hits, ends, "wall-clock time [s]", "targets"), canvas.checked(path)
    )


def _draw_ecdf(values: pd.DataFrame, ends: tuple[float, float], axis: str, counted: str) -> Figure:
    styles = canvas.styles(values.columns)
    height = PANEL[1] + 0.3 + steps_picture.legend_lines(list(styles), ACROSS)
    made = canvas.figure(1.6 * PANEL[0], height, layout="constrained")
    ax = made.subplots()
    steps_picture.steps(ax, values, styles, ends)
    ax.set(xlabel=axis, ylabel=f"share of {counted}")
    steps_picture.legend(made, styles, ACROSS)
    return made
