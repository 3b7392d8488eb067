"""
Figures of MIG: workloads placed on GPUs, a repartition step by step, and a schedule over time.

All of them draw jobs or workloads on the memory slices of GPUs, with one colour per MIG profile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from rsjs.reporting.figures.boxes import (
    HIGH,
    IN_TIME,
    PALE,
    TOO_LATE,
    Box,
    Legend,
    in_columns,
    over_time,
)
from rsjs.reporting.figures.figure import Axis, Figure

if TYPE_CHECKING:
    from rsjs.instances.mig.scheduling.problem import SchedulingProblem
    from rsjs.instances.mig.scheduling.schedule import Schedule

UNIT = 0.9  # inches: mean height of a unit
SPACE = 0.08  # between units, in mean heights
CELL, SLICE = 0.16, 0.28  # inches: width and height of a memory slice
USED, LATE, UNUSED = "memory in use by a job", "of a late job", "unused"
BEFORE = "instance is being made"


def schedule_figure(problem: SchedulingProblem, schedule: Schedule, method: str = "") -> Figure:
    """Return every unit as a band as high as its memory, filled by the memory that its jobs use."""
    order = np.argsort(-problem.memory, kind="stable")
    pitch = problem.memory + SPACE * float(problem.memory.mean())
    middle = np.empty(len(order))
    middle[order] = np.cumsum(pitch[order]) - pitch[order] + problem.memory[order] / 2
    end = int(schedule.minute.max()) + 1
    late = completion(problem, schedule) > problem.due
    floor = middle[schedule.unit] + problem.memory[schedule.unit] / 2  # of each step
    bands = list(zip(problem.units, middle.tolist(), problem.memory.tolist(), strict=True))
    found = [Box(0, end, y, size, UNUSED, PALE) for _, y, size in bands]
    state = (schedule.minute - np.arange(problem.steps), schedule.unit, problem.step_job)
    breaks = np.flatnonzero(np.diff(np.stack(state)).any(axis=0)) + 1
    for steps in np.split(np.arange(problem.steps), breaks):  # of a job on a unit without a break
        first = steps[0]
        job = int(problem.step_job[first])
        word, colours = (LATE, TOO_LATE) if late[job] else (USED, IN_TIME)
        colour, begin = colours[job % len(colours)], int(schedule.minute[first])
        memory = problem.jobs.memory[steps]
        for x, used in enumerate(memory.tolist(), start=begin):
            found.append(Box(x, 1, float(floor[first]) - used / 2, used, word, colour))
        low = float(memory.min())
        y = float(floor[first]) - low / 2
        found.append(Box(begin, len(memory), y, low, word, colour, str(job)))
    legend: dict[str, tuple[str, ...]] = {UNUSED: (PALE,), USED: IN_TIME}
    told = f"{problem.name}, reading {problem.reading}"
    return over_time(
        found,
        legend | ({LATE: TOO_LATE} if late.any() else {}),
        name="schedule",
        title="Best schedule",
        heading=f"{told}, {method}" if method else told,
        unit=f"{problem.jobs.time_unit}s",
        height=0.3 + UNIT * len(order),
        ends=(0, end),
        y=Axis(
            ticks={y: f"{unit}: {size} MB" for unit, y, size in bands},
            ends=(float(np.max(middle + problem.memory / 2)), 0),
        ),
    )


def _legend(gpu: MigGpu, used: np.ndarray) -> Legend:
    """The profiles in use, each with its colour among those of the GPU."""
    names = [profile.name for profile in gpu.profiles]
    styles = figure_style.styles(names)
    return {names[p]: [styles[names[p]]["color"]] for p in np.unique(used).tolist()}


def placement_figure(workloads: PlacementProblem, placement: MigPlacement) -> Figure:
    """Return every GPU as a line of its memory slices, instances coloured by profile."""
    slices, legend = workloads.gpu.memory_slices, _legend(workloads.gpu, placement.profile)
    gpus = {
        gpu: [Box(0, slices, 0, HIGH, "free", PALE)] for gpu in np.unique(placement.gpu).tolist()
    }
    columns = (placement.gpu.tolist(), placement.start.tolist(), placement.profile.tolist())
    for gpu, start, p in zip(*columns, strict=True):
        profile = workloads.gpu.profiles[p]
        colour = legend[profile.name][0]
        gpus[gpu].append(Box(start, profile.memory_slices, 0, HIGH, profile.name, colour))
    return in_columns(
        [(str(gpu), line) for gpu, line in gpus.items()],
        {"free": [PALE], **legend},
        unit=("memory slices", slices, CELL),
        name="placement",
        title="Instances on GPUs",
        heading=f"{workloads.name}: {len(gpus)} GPUs",
    )


def repartition_figure(jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule) -> Figure:
    """Return each job as a box over its memory slices, before it the making of its instance."""
    slices, end = jobs.gpu.memory_slices, makespan(jobs, schedule)
    legend = _legend(jobs.gpu, schedule.profile)
    lasts, found = durations(jobs, schedule.profile).tolist(), []
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    for j, (p, start, begin) in enumerate(zip(*columns, strict=True)):
        name, high = jobs.gpu.profiles[p].name, jobs.gpu.profiles[p].memory_slices
        y = start + high / 2
        found.append(Box(begin - jobs.delta, jobs.delta, y, high, BEFORE, PALE))
        found.append(Box(begin, lasts[j], y, high, name, legend[name][0], jobs.id[j]))
    return over_time(
        found,
        ({BEFORE: [PALE]} if jobs.delta else {}) | {**legend},
        name="repartition",
        title="Instances of a GPU over time",
        heading=f"{jobs.name}: makespan {end}",
        unit=f"{jobs.time_unit}s",
        height=slices * SLICE,
        ends=(0, end),
        y=Axis(
            title="memory slice", ticks={s + 0.5: str(s) for s in range(slices)}, ends=(slices, 0)
        ),
    )


FIGURES: Mapping[str, Callable[..., Figure]] = {  # kind of problem -> the figure of its solution
    "mig_scheduling": schedule_figure,
    "mig_placement": placement_figure,
    "mig_reconfiguration": repartition_figure,
}
