"""Jobs on the memory slices of one GPU over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    durations,
    makespan,
)
from rsjs.reporting import canvas, mig_colours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GPU_WIDTH, SLICE = 8.0, 0.28  # inches: the picture, a memory slice
SMALL_LETTER = 0.055  # inches


def repartition_picture(
    jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule, path: str | Path
) -> Path:
    """
    Draw each job as a box over its memory slices; pale before it: the instance is being made.

    Parameters
    ----------
    jobs : ReconfigurationProblem
    schedule : ReconfigurationSchedule
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = canvas.checked(path)
    return canvas.write(lambda: _draw_reconfiguration(jobs, schedule), path)


def _draw_reconfiguration(
    jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule
) -> Figure:
    from matplotlib.patches import Rectangle

    slices, end = jobs.gpu.memory_slices, makespan(jobs, schedule)
    made = canvas.figure(GPU_WIDTH, slices * SLICE + 1.2, layout="constrained")
    ax = made.subplots()
    shown = mig_colours.colours(jobs.gpu)
    lasts = durations(jobs, schedule.profile).tolist()
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    for j, (p, start, begin) in enumerate(zip(*columns, strict=True)):
        high = jobs.gpu.profiles[p].memory_slices
        if jobs.delta:
            corner = (begin - jobs.delta, start)
            ax.add_patch(Rectangle(corner, jobs.delta, high, color=shown[p], alpha=0.35, lw=0))
        box = Rectangle((begin, start), lasts[j], high, facecolor=shown[p], edgecolor="white")
        ax.add_patch(box)
        if lasts[j] / end * (GPU_WIDTH - 1) > SMALL_LETTER * len(jobs.id[j]):
            middle = begin + lasts[j] / 2, start + high / 2
            ax.text(*middle, jobs.id[j], ha="center", va="center", fontsize=5, color="white")
    ax.set(xlim=(0, end), ylim=(slices, 0), xlabel=f"time [{jobs.time_unit}s]")
    ax.set_yticks([s + 0.5 for s in range(slices)], [str(s) for s in range(slices)])
    ax.set_ylabel("memory slice")
    made.suptitle(f"{jobs.name}: makespan {end}", fontsize=8)
    mig_colours.legend(made, jobs.gpu, set(schedule.profile.tolist()))
    return made
