"""
Pictures of MIG: workloads placed on GPUs, a repartition step by step, and a schedule over time.

All of them draw jobs or workloads on the memory slices of GPUs, with one colour per MIG profile.
"""

from __future__ import annotations

from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    durations,
    makespan,
)
from rsjs.instances.mig.scheduling.schedule import completion
from rsjs.reporting.figures import figure_style

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
    path = figure_style.checked(path)
    return figure_style.write(lambda: _draw_schedule(problem, schedule, title), path)


def _draw_schedule(problem: SchedulingProblem, schedule: Schedule, title: str) -> Figure:
    order = np.argsort(-problem.memory, kind="stable")
    gap = SPACE * float(problem.memory.mean())
    base = np.empty(len(order))
    base[order] = np.cumsum(problem.memory[order] + gap) - problem.memory[order] - gap
    made = figure_style.figure(WIDTH, MARGIN + UNIT * len(order), layout="constrained")
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


PALE = "0.93"  # slices without an instance


def colours(gpu: MigGpu) -> list[str]:
    """The colour of each profile of a GPU."""
    names = [profile.name for profile in gpu.profiles]
    return [str(figure_style.styles(names)[name]["color"]) for name in names]


def legend(made: Figure, gpu: MigGpu, used: set[int]) -> None:
    """The profiles in use, below the picture."""
    from matplotlib.patches import Patch

    shown = colours(gpu)
    made.legend(
        handles=[Patch(color=shown[p]) for p in sorted(used)],
        labels=[gpu.profiles[p].name for p in sorted(used)],
        loc="outside lower center",
        ncols=max(len(used), 1),
        frameon=False,
        fontsize=7,
    )


CELL, ROW = 0.14, 0.16  # inches: a memory slice, a GPU
GAP = 3.5  # slices between columns, for the numbers
SHAPE = 1.4  # width over height to come near to


def placement_picture(
    workloads: PlacementProblem, placement: MigPlacement, path: str | Path
) -> Path:
    """
    Draw every GPU as a bar of its memory slices, instances coloured by profile.

    Parameters
    ----------
    workloads : PlacementProblem
    placement : MigPlacement
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _draw_placement(workloads, placement), path)


def _draw_placement(workloads: PlacementProblem, placement: MigPlacement) -> Figure:
    from matplotlib.collections import PolyCollection

    slices = workloads.gpu.memory_slices
    gpus, place = np.unique(placement.gpu, return_inverse=True)
    pitch = slices + GAP
    lines = max(1, ceil(sqrt(len(gpus) * pitch * CELL / ROW / SHAPE)))
    columns = ceil(len(gpus) / lines)
    width, height = columns * pitch * CELL + 0.3, min(lines, len(gpus)) * ROW + 0.9
    made = figure_style.figure(max(width, 3.0), height, layout="constrained")
    ax = made.subplots()
    left, top = (np.arange(len(gpus)) // lines) * pitch, np.arange(len(gpus)) % lines
    shown = colours(workloads.gpu)
    size = np.array([profile.memory_slices for profile in workloads.gpu.profiles])
    begin = left[place] + placement.start
    bars = [_box(x, y, slices) for x, y in zip(left.tolist(), top.tolist(), strict=True)]
    instances = [
        _box(x, y, w) for x, y, w in zip(begin, top[place], size[placement.profile], strict=True)
    ]
    ax.add_collection(PolyCollection(bars, facecolors=PALE, edgecolors="none"))
    fill = [shown[p] for p in placement.profile.tolist()]
    ax.add_collection(PolyCollection(instances, facecolors=fill, edgecolors="white", lw=0.6))
    for number, x, y in zip(gpus.tolist(), left, top, strict=True):
        ax.text(x - 0.4, y + 0.5, str(number), ha="right", va="center", fontsize=5)
    ax.set(xlim=(-GAP, columns * pitch - GAP + 0.5), ylim=(min(lines, len(gpus)), 0))
    ax.set_axis_off()
    made.suptitle(f"{workloads.name}: {len(gpus)} GPUs", fontsize=8)
    legend(made, workloads.gpu, set(placement.profile.tolist()))
    return made


def _box(x: float, y: float, width: float) -> list[tuple[float, float]]:
    low, high = y + 0.1, y + 0.9
    return [(x, low), (x + width, low), (x + width, high), (x, high)]


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
    path = figure_style.checked(path)
    return figure_style.write(lambda: _draw_reconfiguration(jobs, schedule), path)


def _draw_reconfiguration(
    jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule
) -> Figure:
    from matplotlib.patches import Rectangle

    slices, end = jobs.gpu.memory_slices, makespan(jobs, schedule)
    made = figure_style.figure(GPU_WIDTH, slices * SLICE + 1.2, layout="constrained")
    ax = made.subplots()
    shown = colours(jobs.gpu)
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
    legend(made, jobs.gpu, set(schedule.profile.tolist()))
    return made
