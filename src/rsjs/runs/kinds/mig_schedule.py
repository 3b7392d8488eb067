"""
Schedules on MIG instances: jobs of several steps on the fixed instances of a GPU.

Besides the files of `rsjs.runs.task_files` a worker leaves

    schedule.npy        minute and unit of each step, of the best schedule so far, replaced whole
    incumbents.npy      every schedule reported, where the task asks for it
    figures.json        value and bound of each stage of the objective, as claimed; written last

Objective and bound of a row are those of the first stage; `stages` and `stage_bounds` have all, and
the own gap is that of the first stage whose bound is not met. A record keeps the schedule as a file
of format `rsjs-mig-schedule/1`, which `rsjs check` reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import told
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.mig.scheduling import problem as problems
from rsjs.instances.mig.scheduling import schedule as schedules
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, met, stage_values
from rsjs.runs.gap import gap
from rsjs.runs.kinds.base import (
    NONSENSE,
    Claimed,
    Json,
    ProblemKind,
    Verified,
    read_figures,
    write_figures,
)
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.runs.task_files import (
    INCUMBENTS,
    append_array,
    arrays,
    has_failed,
    read_array,
    write_array,
)

if TYPE_CHECKING:
    from rsjs.core.report import Report
    from rsjs.methods import Request
    from rsjs.rows.columns import Row

SCHEDULE = "schedule.npy"
Stages = Sequence[float | None] | None


class _Schedules(ProblemKind):
    def size(self, problem: SchedulingProblem) -> tuple[int, int]:
        return len(problem.units), len(problem.jobs)

    def refusal(self, request: Request, problem: SchedulingProblem) -> str | None:
        method = METHODS[request.method.name]
        for what, most, size in (
            ("jobs", method.max_jobs, len(problem.jobs)),
            ("steps", method.max_steps, problem.steps),
        ):
            if most is not None and size > most:
                return f"{method.name} serves up to {most} {what}, not {size}"
        return None

    def keep(
        self,
        problem: SchedulingProblem,
        request: Request,
        returned: ScheduleResult,
        report: Report,
        folder: Path,
    ) -> SolveResult:
        values, schedule, bound = None, returned.schedule, returned.bound
        if schedule is not None:
            values = stage_values(problem, schedule)
            report.incumbent(schedule, values[0])
            write_schedule(schedule, folder)
        write_figures({"objective": values, "bound": bound}, folder)
        result = SolveResult(
            stop=returned.stop,
            objective=None if values is None else float(values[0]),
            counts=returned.counts,
        )
        if bound[0] is None:
            return result
        report.bound(bound[0])
        source = METHODS[request.method.name].bound_source
        return replace(result, bound=float(bound[0]), bound_source=source, bound_variant="instance")

    def verify(
        self,
        problem: SchedulingProblem,
        method: str,
        options: Json,
        result: SolveResult,
        work: Path,
    ) -> Verified:
        facts = {
            "steps": problem.steps,
            "units": problem.memory.tolist(),
            "reading": problem.reading,
            "goal": str(problem.objective),
        }
        try:
            values, bounds = _claims(problem, result, work)
            schedule = None if has_failed(result, work) else _read_schedule(work)
            verdict = None
            if schedule is not None:
                verdict = self.check(problem, Claimed(schedule, method, values, bounds))
                values = _values(problem, verdict)
        except NONSENSE as error:
            message = f"the schedule cannot be checked: {told(error)}"
            wrong = replace(result, stop=Stop.ERROR, objective=None, bound=None, message=message)
            return Verified(result=wrong, figures=facts)
        figures = {**facts, "stage_values": values, "stage_bounds": bounds}
        return Verified(result=result, verdict=verdict, solution=schedule, figures=figures)

    def save(self, problem: SchedulingProblem, method: str, found: Verified, path: Path) -> None:
        if found.solution is not None:
            values, bounds = (found.figures[f"stage_{name}"] for name in ("values", "bounds"))
            schedules.write_schedule(
                problem, found.solution, path, method=method, objective=values, bound=bounds
            )

    def write_incumbent(
        self, solution: Schedule, objective: float, folder: Path, every: bool
    ) -> None:
        write_schedule(solution, folder)
        if every:
            append_array(_packed(solution), folder / INCUMBENTS)

    def incumbents(self, path: Path) -> Iterator[Schedule]:
        for array in arrays(path):
            if array.ndim != 2 or len(array) != 2:
                return  # somebody else has written to the file
            yield Schedule(minute=array[0], unit=array[1])

    def read_solution(self, problem: SchedulingProblem, path: Path) -> Claimed:
        stored = schedules.read_schedule(path, problem)
        return Claimed(stored.schedule, stored.method, stored.objective, stored.bound)

    def check(self, problem: SchedulingProblem, claimed: Claimed) -> Verdict:
        schedule, _, values, bounds = claimed
        found = check_schedule(problem, schedule, objective=values, bound=bounds)
        return Verdict(
            feasible=found.feasible,
            violations=found.violations,
            terms=None if found.terms is None else dict(found.terms),
            objective=None if found.values is None else found.values[0],
            counts={"executed": len(problem.jobs)},
        )

    def facts(self, problem: SchedulingProblem, verdict: Verdict) -> Json:
        values = _values(problem, verdict)
        return {"objective": values, "reading": problem.reading, "goal": str(problem.objective)}

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        units, values, bounds = map(figures.get, ("units", "stage_values", "stage_bounds"))
        row = {
            **super().columns(options, figures, verdict, seconds),
            "own_gap": _own_gap(values, bounds) if verdict and verdict.feasible else None,
            "units": None if units is None else ",".join(map(str, units)),
            "stages": None if values is None else json.dumps(values),
            "stage_bounds": None if bounds is None else json.dumps(bounds),
            **{f"{phase}_s": seconds.get(phase) for phase in ("construct", "search", "bound")},
        }
        return cast("Row", row)


def _values(problem: SchedulingProblem, verdict: Verdict) -> tuple[float, ...] | None:
    """Return the value of each stage; None if the schedule has none."""
    return None if verdict.terms is None else problem.objective.values(verdict.terms)


def write_schedule(schedule: Schedule, folder: Path) -> None:
    """Write the arrays of a schedule, whole or not at all."""
    write_array(_packed(schedule), folder / SCHEDULE)


def _packed(schedule: Schedule) -> NDArray[np.int64]:
    return np.stack([schedule.minute, schedule.unit])


def _read_schedule(folder: Path) -> Schedule | None:
    """Return the best schedule that a worker left, if there is one."""
    array = read_array(folder / SCHEDULE)
    if array is None:
        return None
    minute, unit = array
    return Schedule(minute=minute, unit=unit)


def _claims(problem: SchedulingProblem, result: SolveResult, folder: Path) -> Iterator[Stages]:
    """Yield the claimed values and bounds of the stages, of the first as the result says."""
    left = read_figures(folder)  # nothing if it was ended before
    for name in ("objective", "bound"):
        stages, first = left.get(name), getattr(result, name)
        if not all(one is None or isinstance(one, int | float) for one in stages or ()):
            raise TypeError(f"{stages!r:.80} of stages")
        if first is not None:
            missing = [None] * len(problem.objective.stages)
            stages = (first, *(missing if stages is None else stages)[1:])
        yield stages


def _own_gap(values: Stages, bounds: Stages) -> float | None:
    """Return the gap of the first stage whose bound is not met; 0 if all are."""
    for value, bound in zip(values or [None], bounds or [None], strict=False):
        if value is None or bound is None or not met(value, bound):
            return gap(value, bound)
    return 0.0


KIND = _Schedules(
    name="mig_scheduling",
    keys=("mig_scheduling", "methods"),
    solution_file="schedule.json.gz",
    terms=TERMS,
    metrics=("steps", "reading", "goal"),
    read=problems.read_problem,
    write=problems.write_problem,
    methods=METHODS.copy,
)
