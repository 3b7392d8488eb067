"""A law of the number of epochs: its probabilities, and how many runs are left after each epoch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rsjs.instances.epoch_distribution import EpochDistribution

PMF, SURVIVAL, MEAN = figure_style.COLOURS[0], figure_style.COLOURS[1], "0.35"
SIZE = 4.5, 3.4  # inches
NARROWEST = 1 / 300  # of the axis: what still shows of a bar


def law_picture(law: EpochDistribution, path: str | Path, *, title: str = "") -> Path:
    """
    Draw a law from w = 0 on: bars P(W = w) below the steps P(W > w).

    Parameters
    ----------
    law : EpochDistribution
    path : path
        .png, .svg or .pdf.
    title : str

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(law, title), path)


def _drawn(law: EpochDistribution, title: str) -> Figure:
    made = figure_style.figure(*SIZE, layout="constrained")
    left, bars = made.subplots(2, 1, sharex=True)
    end = 1.02 * law.last + 1
    steps = np.concatenate([[0], law.epochs, [end]])
    left.step(steps, law.survival(steps), where="post", color=SURVIVAL, linewidth=1.2)
    left.set(ylabel="P(W > w)", ylim=(0, 1.05))
    bars.bar(law.epochs, law.pmf, width=max(0.8, NARROWEST * end), color=PMF)
    bars.set(ylabel="P(W = w)", xlabel="epochs w", xlim=(0, end))
    for ax in (left, bars):
        ax.axvline(law.mean, color=MEAN, linewidth=0.8, linestyle=":")
        ax.set_axisbelow(True)
        ax.grid(axis="y", color="0.92", linewidth=0.6)
    moments = f"mean {law.mean:.1f} (dotted), standard deviation {law.deviation:.1f}"
    left.set_title("\n".join(filter(None, [title, moments])))
    return made
