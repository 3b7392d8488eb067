"""Optimal speed profiles of a job: GPUs and time against epochs, one line per GPU type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rsjs.heuristics.sts.job_profiles import JobProfile
    from rsjs.instances.epoch_distribution import EpochDistribution

SIZE = 4.8, 5.0  # inches
SURVIVAL, DUE = "0.45", "0.2"


def profile_picture(
    profiles: Sequence[JobProfile],
    law: EpochDistribution,
    path: str | Path,
    *,
    done: float,
    time: float,
    title: str = "",
) -> Path:
    """
    Draw P(W > w | W > done), the GPUs of each profile, and the hours they take until epoch w.

    Parameters
    ----------
    profiles : sequence of JobProfile
    law : EpochDistribution
        Of the job's epochs.
    path : path
        .png, .svg or .pdf.
    done : float
        Epochs done.
    time : float [h]
        Until the due date.
    title : str

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(profiles, law, done, time, title), path)


def _drawn(
    profiles: Sequence[JobProfile], law: EpochDistribution, done: float, time: float, title: str
) -> Figure:
    made = figure_style.figure(*SIZE, layout="constrained")
    top, middle, bottom = made.subplots(3, 1, sharex=True, height_ratios=(1, 2, 2))
    points = np.concatenate([[done], law.epochs[law.epochs > done]])
    left = law.survival(points) / law.survival([done])
    top.step(points, left, where="post", color=SURVIVAL, linewidth=1.2)
    given = f" | W > {done:.12g}" if done else ""
    top.set(ylabel=f"P(W > w{given})", ylim=(0, 1.05))
    top.set_title(title)
    styles = figure_style.styles(own.gpu_type for own in profiles)
    for i, own in enumerate(profiles):
        style: dict[str, Any] = {
            name: styles[own.gpu_type][name] for name in ("color", "linestyle")
        }
        label = f"{own.gpu_type}: {own.status}, {own.energy:.4g} $"
        above = len(profiles) - 1 - i  # lines under others still show
        epochs = [done, *(row.ends for row in own.used if row.ends is not None)]
        gpus = [float(row.gpus) for row in own.used]
        width = 1.4 + 1.1 * above
        middle.step(epochs, [*gpus, gpus[-1]], where="post", linewidth=width, **style)
        hours = np.cumsum([0.0, *(row.hours for row in own.used)])
        bottom.plot(epochs, hours, linewidth=1.4, label=label, **style)
    middle.set(ylabel="GPUs", ylim=(0, None))
    if time < 0:
        bottom.plot([], [], linestyle="none", label=f"due {-time:.4g} h ago")
    else:
        bottom.axhline(time, color=DUE, linewidth=0.8, linestyle=":", label="due date")
    bottom.set(ylabel="hours from now", xlabel="epochs w", xlim=(done, None), ylim=(0, None))
    bottom.legend(fontsize=7, frameon=False)
    for ax in (top, middle, bottom):
        ax.set_axisbelow(True)
        ax.grid(axis="y", color="0.92", linewidth=0.6)
    return made
