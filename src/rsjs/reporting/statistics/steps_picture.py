"""Distribution functions drawn as steps, with one legend for all panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsjs.reporting.names import folded
from rsjs.reporting.statistics.ecdf import distribution

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
