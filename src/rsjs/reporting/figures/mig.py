"""
Pictures of MIG: workloads placed on GPUs, a repartition step by step, and a schedule over time.

All of them draw jobs or workloads on the memory slices of GPUs, with one colour per MIG profile.
"""

from __future__ import annotations

from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

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
from rsjs.reporting.figures.gantt import IN_TIME, TOO_LATE, WIDTH, Bar, Gantt, write

if TYPE_CHECKING:
    from rsjs.instances.mig.scheduling.problem import SchedulingProblem
    from rsjs.instances.mig.scheduling.schedule import Schedule

UNIT = 0.9  # inches: mean height of a unit
SPACE = 0.08  # between units, in mean heights
PALE = "#ededed"  # memory or slices without a job
CELL, ROW = 0.14, 0.16  # inches: a memory slice, a GPU
GAP = 3.5  # slices between columns, for the numbers
SHAPE = 1.4  # width over height to come near to
SLICE = 0.28  # inches: a memory slice


def mig_gantt(
    problem: SchedulingProblem, schedule: Schedule, path: str | Path, *, title: str = ""
) -> Path:
    """Draw every unit as a band as high as its memory, filled by the memory that its jobs use."""
    order = np.argsort(-problem.memory, kind="stable")
    pitch = problem.memory + SPACE * float(problem.memory.mean())
    top = np.empty(len(order))
    top[order] = np.cumsum(pitch[order]) - pitch[order]
    end = int(schedule.minute.max()) + 1
    late = completion(problem, schedule) > problem.due
    floor = top[schedule.unit] + problem.memory[schedule.unit]  # of each step
    bars = [
        Bar(0, low, end, size, PALE, edge=0)
        for low, size in zip(top.tolist(), problem.memory.tolist(), strict=True)
    ]
    for first, last in _runs(problem, schedule):
        job = int(problem.step_job[first])
        colours = TOO_LATE if late[job] else IN_TIME
        colour = colours[job % len(colours)]
        steps = np.arange(first, last + 1)
        memory = problem.jobs.memory[steps]
        for s, used in zip(steps.tolist(), memory.tolist(), strict=True):
            bars.append(
                Bar(int(schedule.minute[s]), float(floor[s]) - used, 1, used, colour, edge=0)
            )
        x, low = int(schedule.minute[first]), float(memory.min())
        bars.append(Bar(x, float(floor[first]) - low, len(steps), low, colour, str(job)))
    legend = {"memory in use by a job": IN_TIME, "of a late job": TOO_LATE, "unused": (PALE,)}
    if not late.any():
        del legend["of a late job"]
    units = zip(problem.units, top.tolist(), problem.memory.tolist(), strict=True)
    chart = Gantt(
        title=f"{problem.name}, reading {problem.reading}, {title}",
        bars=bars,
        size=(WIDTH, 1.0 + UNIT * len(order)),
        x_ends=(0, end),
        y_end=float(np.max(top + problem.memory)),
        x_title=f"time [{problem.jobs.time_unit}s]",
        ticks={low + size / 2: f"{unit}: {size} MB" for unit, low, size in units},
        legend=legend,
    )
    return write(chart, path)


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


def _colours(gpu: MigGpu) -> list[str]:
    """The colour of each profile of a GPU."""
    names = [profile.name for profile in gpu.profiles]
    return [str(figure_style.styles(names)[name]["color"]) for name in names]


def _legend(gpu: MigGpu, used: np.ndarray) -> dict[str, list[str]]:
    """The profiles in use."""
    return {gpu.profiles[p].name: [_colours(gpu)[p]] for p in np.unique(used).tolist()}


def placement_picture(
    workloads: PlacementProblem, placement: MigPlacement, path: str | Path
) -> Path:
    """Draw every GPU as a bar of its memory slices, instances coloured by profile."""
    slices, shown = workloads.gpu.memory_slices, _colours(workloads.gpu)
    gpus, place = np.unique(placement.gpu, return_inverse=True)
    pitch = slices + GAP
    lines = max(1, ceil(sqrt(len(gpus) * pitch * CELL / ROW / SHAPE)))
    columns = ceil(len(gpus) / lines)
    left, top = (np.arange(len(gpus)) // lines) * pitch, np.arange(len(gpus)) % lines
    bars = [
        Bar(x, y + 0.1, slices, 0.8, PALE) for x, y in zip(left.tolist(), top.tolist(), strict=True)
    ]
    bars += [
        Bar(x - 3, y + 0.1, 3, 0.8, "none", str(number))
        for number, x, y in zip(gpus.tolist(), left.tolist(), top.tolist(), strict=True)
    ]
    for at, start, p in zip(
        place.tolist(), placement.start.tolist(), placement.profile.tolist(), strict=True
    ):
        wide = workloads.gpu.profiles[p].memory_slices
        bars.append(Bar(float(left[at]) + start, int(top[at]) + 0.1, wide, 0.8, shown[p]))
    width, height = columns * pitch * CELL + 0.3, min(lines, len(gpus)) * ROW + 0.9
    chart = Gantt(
        title=f"{workloads.name}: {len(gpus)} GPUs",
        bars=bars,
        size=(max(width, 3.0), height),
        x_ends=(-GAP, columns * pitch - GAP + 0.5),
        y_end=min(lines, len(gpus)),
        ticks={},
        legend=_legend(workloads.gpu, placement.profile),
        has_axes=False,
    )
    return write(chart, path)


def repartition_picture(
    jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule, path: str | Path
) -> Path:
    """Draw each job as a box over its memory slices; pale before it: the instance is being made."""
    slices, end = jobs.gpu.memory_slices, makespan(jobs, schedule)
    shown, lasts = _colours(jobs.gpu), durations(jobs, schedule.profile).tolist()
    bars = []
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    for j, (p, start, begin) in enumerate(zip(*columns, strict=True)):
        high = jobs.gpu.profiles[p].memory_slices
        if jobs.delta:
            x = begin - jobs.delta
            bars.append(Bar(x, start, jobs.delta, high, shown[p], is_pale=True))
        bars.append(Bar(begin, start, lasts[j], high, shown[p], jobs.id[j]))
    chart = Gantt(
        title=f"{jobs.name}: makespan {end}",
        bars=bars,
        size=(8.0, slices * SLICE + 1.2),
        x_ends=(0, end),
        y_end=slices,
        x_title=f"time [{jobs.time_unit}s]",
        y_title="memory slice",
        ticks={s + 0.5: str(s) for s in range(slices)},
        legend=_legend(jobs.gpu, schedule.profile),
    )
    return write(chart, path)
