"""Performance profile of all methods, and of the best one with each other one."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsjs.reporting import canvas
from rsjs.reporting.names import folded
from rsjs.reporting.statistics import steps_picture
from rsjs.reporting.statistics.profiles import of_pair, ratios
from rsjs.reporting.statistics.steps_picture import LONGEST_LABEL, PANEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    return canvas.write(lambda: _draw_profiles(times, ranked), canvas.checked(path))


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
    styles = canvas.styles(times.columns)
    height = (PANEL[1] + 0.3) * rows + steps_picture.legend_lines(list(styles), columns)
    made = canvas.figure(max(3.6, PANEL[0] * columns), height, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    for ax, (title, found) in zip(axes, panels, strict=False):
        steps_picture.steps(ax, found, styles, (1.0, high))
        ax.set_title(title)
    for ax in axes[len(panels) :]:
        ax.remove()
    for ax in axes[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel("time by the least time of the problem")
        ax.tick_params(labelbottom=True)
    for ax in axes[: len(panels) : columns]:
        ax.set_ylabel("share of problems")
    steps_picture.legend(made, styles, columns)
    return made
