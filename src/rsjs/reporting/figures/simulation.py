"""Cost, queue and GPUs in use over the simulated time, policy beside policy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import folded
from rsjs.simulation.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, PANEL, LINE = 7.0, 1.4, 0.17  # inches
LONGEST_LABEL = 60  # characters


def cluster_course(outcomes: Sequence[Outcome], path: str | Path) -> Path:
    """
    Draw cost so far and energy (dashed), jobs that wait, and GPUs in use by type.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of one workload.
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    if not outcomes:
        raise InputError("", described("no runs"), "at least one run to draw")
    return figure_style.write(lambda: _drawn(outcomes), path)


def _drawn(outcomes: Sequence[Outcome]) -> Figure:
    gpus = outcomes[0].workload.cluster.gpu_types
    styles = figure_style.styles(outcome.policy for outcome in outcomes)
    height = PANEL * (2 + len(gpus)) + 0.6 + LINE * len(styles)
    made = figure_style.figure(WIDTH, height, layout="constrained")
    axes = made.subplots(2 + len(gpus), 1, sharex=True)
    for ax in axes:
        ax.grid(color="0.92", linewidth=0.6)
        ax.set_axisbelow(True)
    for outcome in outcomes:
        colour = styles[outcome.policy]["color"]
        time = [record.time for record in outcome.records]
        _cost(axes[0], outcome, colour)
        waiting = [record.waiting for record in outcome.records]
        for ax, values in ((axes[1], waiting), *zip(axes[2:], _in_use(outcome), strict=True)):
            ax.step(time, values, where="post", color=colour, lw=0.9)
    axes[0].set_ylabel("cost [$],\nof it energy (- -)")
    axes[1].set_ylabel("jobs waiting")
    for i, (gpu, ax) in enumerate(zip(gpus, axes[2:], strict=True)):
        ax.set_ylabel(f"{gpu.name} in use\nof {_gpus(outcomes[0], i)}")
    for ax in axes:
        ax.set_ylim(bottom=0)
    for ax in axes[1:]:  # where all is 0, an axis of its own would be of hundredths
        ax.set_ylim(top=max(1.0, ax.get_ylim()[1]))
        ax.yaxis.get_major_locator().set_params(integer=True)
    axes[-1].set_xlabel("time [h]")
    axes[-1].margins(x=0.01)
    made.align_ylabels(list(axes))
    made.suptitle(outcomes[0].workload.name, fontsize=9)
    _legend(made, {name: style["color"] for name, style in styles.items()})
    return made


def _cost(ax: Axes, outcome: Outcome, colour: str) -> None:
    """Energy grows from event to event, tardiness is due at completions."""
    time = np.array([record.time for record in outcome.records])
    energy = np.array([record.energy for record in outcome.records])
    tardiness = np.array([record.tardiness for record in outcome.records])
    before = np.concatenate([[0.0], tardiness[:-1]])
    cost = np.column_stack([energy + before, energy + tardiness]).ravel()
    ax.plot(np.repeat(time, 2), cost, color=colour, lw=1.2)
    ax.plot(time, energy, color=colour, lw=0.8, linestyle=(0, (3, 2)))


def _in_use(outcome: Outcome) -> list[list[int]]:
    """GPUs in use after each event, by GPU type."""
    gpus = range(len(outcome.workload.cluster.gpu_types))
    return [[record.in_use[i] for record in outcome.records] for i in gpus]


def _gpus(outcome: Outcome, gpu: int) -> int:
    """GPUs of a type that the cluster has at most."""
    cluster = outcome.workload.cluster
    of_gpu = cluster.allowed_in_class & (cluster.gpu_of_type == gpu)
    size = np.where(of_gpu, cluster.gpus_of_type, 0).max(axis=1)
    return int(size @ cluster.class_sizes)


def _legend(made: Figure, colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, label="\n".join(folded(name, LONGEST_LABEL)))
        for name, colour in colours.items()
    ]
    made.legend(
        handles=handles, loc="outside lower center", ncols=min(2, len(handles)), frameon=False
    )
