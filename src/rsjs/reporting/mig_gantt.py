"""Which job is on which MIG instance of a GPU in which minute, and how much memory it uses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.mig.scheduling.schedule import completion
from rsjs.reporting import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rsjs.instances.mig.scheduling.problem import SchedulingProblem
    from rsjs.instances.mig.scheduling.schedule import Schedule

IN_TIME = ("#0072B2", "#56B4E9", "#009E73", "#999999")  # told apart, no other meaning
TOO_LATE = ("#D55E00", "#E69F00")
WIDTH, UNIT, MARGIN = 9.0, 0.9, 1.0  # inches: picture, mean height of a unit, around them
SPACE = 0.08  # between units, in mean heights
LETTER = 0.06  # inches


def mig_gantt(
    problem: SchedulingProblem, schedule: Schedule, path: str | Path, *, title: str = ""
) -> Path:
    """
    Draw every unit as a band as high as its memory, filled by the memory that its jobs use.

    Parameters
    ----------
    problem
    schedule : Schedule
        Feasible.
    path : path
        .png, .svg or .pdf.
    title : str
        Beside the name of the problem.

    Returns
    -------
    Path
        The file written.
    """
    path = canvas.checked(path)
    return canvas.write(lambda: _draw_schedule(problem, schedule, title), path)


def _draw_schedule(problem: SchedulingProblem, schedule: Schedule, title: str) -> Figure:
    order = np.argsort(-problem.memory, kind="stable")
    gap = SPACE * float(problem.memory.mean())
    base = np.empty(len(order))
    base[order] = np.cumsum(problem.memory[order] + gap) - problem.memory[order] - gap
    made = canvas.figure(WIDTH, MARGIN + UNIT * len(order), layout="constrained")
    ax = made.subplots()
    end = int(schedule.minute.max()) + 1
    for i, (low, size) in enumerate(zip(base.tolist(), problem.memory.tolist(), strict=True)):
        ax.axhspan(low, low + size, color="0.93", linewidth=0, zorder=0)
        ax.text(
            -0.01,
            low + size / 2,
            f"{problem.units[i]}: {size} MB",
            ha="right",
            va="center",
            fontsize=7,
            transform=ax.get_yaxis_transform(),
        )
    _bars(ax, problem, schedule, base, end)
    top = float(base.max() + problem.memory[order[-1]])
    ax.set(xlim=(0, end), ylim=(top, 0), xlabel=f"time [{problem.jobs.time_unit}s]", yticks=[])
    ax.spines["left"].set_visible(False)
    made.suptitle(f"{problem.name}, reading {problem.reading}, {title}", fontsize=9)
    _legend(made, problem, schedule)
    return made


def _bars(ax: Axes, problem: SchedulingProblem, schedule: Schedule, base: Floats, end: int) -> None:
    from matplotlib.collections import PolyCollection

    late = completion(problem, schedule) > problem.due
    height = problem.memory[schedule.unit]
    corners, colours = [], []
    for s, j in enumerate(problem.step_job.tolist()):
        begin, bottom = int(schedule.minute[s]), float(base[schedule.unit[s]] + height[s])
        top = bottom - float(problem.jobs.memory[s])
        corners.append([(begin, bottom), (begin + 1, bottom), (begin + 1, top), (begin, top)])
        kinds = TOO_LATE if late[j] else IN_TIME
        colours.append(kinds[j % len(kinds)])
    ax.add_collection(PolyCollection(corners, facecolors=colours, lw=0))
    for first, last in _runs(problem, schedule):
        floor = float(base[schedule.unit[first]] + height[first])
        ax.vlines(schedule.minute[first], floor - height[first], floor, color="white", lw=0.6)
        name = str(problem.step_job[first])
        if (last - first + 1) / end * (WIDTH - MARGIN) > LETTER * len(name):
            middle = (schedule.minute[first] + schedule.minute[last] + 1) / 2
            ax.text(middle, floor, name, ha="center", va="bottom", fontsize=5, clip_on=True)


def _runs(problem: SchedulingProblem, schedule: Schedule) -> list[tuple[int, int]]:
    """First and last step of each run of a job on a unit without a break."""
    breaks = np.ones(problem.steps, dtype=np.bool_)
    breaks[1:] = (
        (np.diff(schedule.minute) != 1)
        | (np.diff(schedule.unit) != 0)
        | (np.diff(problem.step_job) != 0)
    )
    first = np.flatnonzero(breaks)
    last = np.append(first[1:], problem.steps) - 1
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _legend(made: Figure, problem: SchedulingProblem, schedule: Schedule) -> None:
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.patches import Patch

    kinds = {"memory in use by a job": IN_TIME, "of a late job": TOO_LATE, "unused": ("0.93",)}
    if not (completion(problem, schedule) > problem.due).any():
        del kinds["of a late job"]
    made.legend(
        handles=[tuple(Patch(color=colour) for colour in colours) for colours in kinds.values()],
        labels=[*kinds],
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=4,
        loc="outside lower center",
        ncols=len(kinds),
        frameon=False,
        fontsize=7,
    )
