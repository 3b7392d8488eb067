"""
One schedule on MIG instances as a run: in the worker process, a method on a scheduling problem.

Besides the files of `protocol` it leaves

    schedule.npz        minute and unit of each step, of the best schedule so far, replaced whole
    incumbents.npy      every schedule reported, where the task asks for it
    stages.json         value and bound of each stage of the objective, as claimed; written last
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.report import SolveResult
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, terms
from rsjs.runs.solution_arrays import append_array, arrays, read_arrays, replaced
from rsjs.runs.task_files import Task

if TYPE_CHECKING:
    from rsjs.runs.streaming_report import StreamingReport

SCHEDULING = "scheduling"  # the kind of MIG problem, in specifications of runs
SCHEDULE, STAGES = "schedule.npz", "stages.json"

Claims = Mapping[str, Sequence[float | None] | None]


def run(task: Task, report: StreamingReport, folder: Path) -> SolveResult:
    """Carry out the task of a folder and leave its files there."""
    with report.phase("import"):
        from rsjs.instances.mig.scheduling.problem import read_problem
        from rsjs.runs.kinds.mig_methods import call_of, declared, request, schedule
    with report.phase("read"):
        problem = read_problem(task.instance)
    asked = request(task.method)
    with report.phase("import"):
        asked.method.prepared(call_of(asked, task.limits), len(problem.jobs))
    report.start_clock()
    found = schedule(problem, asked, task.limits, report)
    if found.schedule is not None:
        write_schedule(found.schedule, folder)
    claims = {"objective": values_of(problem, found), "bound": found.bound}
    (folder / STAGES).write_text(json.dumps(claims, default=float), "utf-8")
    return solve_result(problem, found, declared(asked).bound_source)


def values_of(problem: SchedulingProblem, found: ScheduleResult) -> tuple[float, ...] | None:
    """The value of each stage of what a method found."""
    if found.schedule is None:
        return None
    return problem.objective.values(terms(problem, found.schedule))


def solve_result(
    problem: SchedulingProblem, found: ScheduleResult, bound_source: str
) -> SolveResult:
    """What a method claims of the first stage; its schedule travels apart."""
    values, bound = values_of(problem, found), found.bound[0]
    return SolveResult(
        stop=found.stop,
        objective=None if values is None else float(values[0]),
        bound=None if bound is None else float(bound),
        bound_source=None if bound is None else bound_source,
        bound_variant=None if bound is None else "instance",
        seconds=found.seconds,
        counts=found.counts,
    )


def write_schedule(schedule: Schedule, folder: Path) -> None:
    """Write the arrays of a schedule, whole or not at all."""
    with replaced(folder / SCHEDULE) as file:
        np.savez(file, minute=schedule.minute, unit=schedule.unit)


def append_schedule(schedule: Schedule, path: Path) -> None:
    """Append the arrays of a schedule to those before."""
    append_array(np.stack([schedule.minute, schedule.unit]), path)


def read_schedule(folder: Path) -> Schedule | None:
    """The best schedule that a worker left, if there is one."""
    path = folder / SCHEDULE
    if not path.exists():
        return None
    minute, unit = read_arrays(path, ("minute", "unit"))
    return Schedule(minute=minute, unit=unit)


def schedules(path: Path) -> Iterator[Schedule]:
    """The schedules that were appended, as far as they are whole."""
    for array in arrays(path):
        if array.ndim != 2 or len(array) != 2:
            return  # somebody else has written to the file
        yield Schedule(minute=array[0], unit=array[1])


def read_claims(folder: Path) -> Claims:
    """What a worker claims of each stage; nothing if it was ended before."""
    path = folder / STAGES
    if not path.exists():
        return {}
    claims: Claims = json.loads(read_bytes(path))
    for stages in claims.values():
        if not all(one is None or isinstance(one, int | float) for one in stages or ()):
            raise TypeError(f"{stages!r:.80} of stages")
    return claims
