"""
Schedules on MIG instances: jobs of several steps on the fixed instances of a GPU.

Besides the files of `rsjs.runs.task_files` a worker leaves

    schedule.npz        minute and unit of each step, of the best schedule so far, replaced whole
    incumbents.npy      every schedule reported, where the task asks for it
    stages.json         value and bound of each stage of the objective, as claimed; written last

Objective and bound of a row are those of the first stage; `stages` and `stage_bounds` have all, and
the own gap is that of the first stage whose bound is not met. A record keeps the schedule as a file
of format `rsjs-mig-schedule/1`, which `rsjs check` reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rsjs.core.errors import told
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.mig.scheduling import problem as problems
from rsjs.instances.mig.scheduling import schedule as schedules
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, met, terms
from rsjs.runs.gap import gap
from rsjs.runs.kinds.base import Claimed, Json, ProblemKind, Verified
from rsjs.runs.kinds.mig_methods import METHODS, ScheduleMethod
from rsjs.runs.task_files import (
    INCUMBENTS,
    append_array,
    arrays,
    has_failed,
    read_arrays,
    replaced,
)

if TYPE_CHECKING:
    from rsjs.core.report import Report
    from rsjs.methods import Request
    from rsjs.rows.columns import Row

SCHEDULE, STAGES = "schedule.npz", "stages.json"

Claims = Mapping[str, Sequence[float | None] | None]
Figures = dict[str, Any]


class _Schedules(ProblemKind):
    name = "mig_scheduling"
    solution_file = "schedule.json.gz"

    def read(self, path: str | Path) -> SchedulingProblem:
        return problems.read_problem(path)

    def write(self, problem: SchedulingProblem, path: str | Path) -> None:
        problems.write_problem(problem, path)

    def size(self, problem: SchedulingProblem) -> tuple[int, int]:
        return len(problem.units), len(problem.jobs)

    def methods(self) -> Mapping[str, ScheduleMethod]:
        return METHODS

    def refusal(self, request: Request, problem: SchedulingProblem) -> str | None:
        return METHODS[request.method.name].refusal_of(problem)

    def keep(
        self,
        problem: SchedulingProblem,
        request: Request,
        returned: ScheduleResult,
        report: Report,
        folder: Path,
    ) -> SolveResult:
        values, bound = None, returned.bound
        if returned.schedule is not None:
            values = problem.objective.values(terms(problem, returned.schedule))
            report.incumbent(returned.schedule, values[0])
            write_schedule(returned.schedule, folder)
        if bound[0] is not None:
            report.bound(bound[0])
        claims = {"objective": values, "bound": bound}
        (folder / STAGES).write_text(json.dumps(claims, default=float), "utf-8")
        return SolveResult(
            stop=returned.stop,
            objective=None if values is None else float(values[0]),
            bound=None if bound[0] is None else float(bound[0]),
            bound_source=None if bound[0] is None else METHODS[request.method.name].bound_source,
            bound_variant=None if bound[0] is None else "instance",
            counts=returned.counts,
        )

    def verify(
        self,
        problem: SchedulingProblem,
        method: str,
        options: Json,
        result: SolveResult,
        work: Path,
    ) -> Verified:
        verdict, stages = None, len(problem.objective.stages)
        facts = {
            "steps": problem.steps,
            "units": problem.memory.tolist(),
            "reading": problem.reading,
            "goal": str(problem.objective),
        }
        try:
            claims = _read_claims(work)
            schedule = None if has_failed(result, work) else _read_schedule(work)
        except (OSError, ValueError, KeyError, TypeError) as error:
            return _unreadable(result, facts, f"the schedule cannot be read: {told(error)}")
        values = _claimed(claims.get("objective"), result.objective, stages)
        bounds = _claimed(claims.get("bound"), result.bound, stages)
        if schedule is not None:
            try:
                verdict = self.check(problem, Claimed(schedule, None, values, bounds))
            except (ValueError, TypeError, IndexError, OverflowError):
                return _unreadable(result, facts, "the schedule cannot be checked")
            values = _values(problem, verdict)
        figures = {**facts, "stage_values": values, "stage_bounds": bounds}
        return Verified(result=result, verdict=verdict, solution=schedule, figures=figures)

    def save(self, problem: SchedulingProblem, method: str, found: Verified, path: Path) -> None:
        if found.solution is not None:
            values, bounds = (found.figures[f"stage_{name}"] for name in ("values", "bounds"))
            schedules.write_schedule(
                problem, found.solution, path, method=method, objective=values, bound=bounds
            )

    def write_incumbent(self, solution: Schedule, folder: Path, every: bool) -> None:
        write_schedule(solution, folder)
        if every:
            append_array(np.stack([solution.minute, solution.unit]), folder / INCUMBENTS)

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

    def price(self, problem: SchedulingProblem, solution: Schedule) -> float | None:
        """Return the value of the first stage; None if the schedule breaks a constraint."""
        try:
            values = check_schedule(problem, solution).values
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        return None if values is None else float(values[0])

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        units, values, bounds = map(figures.get, ("units", "stage_values", "stage_bounds"))
        found = (verdict and verdict.terms) or {}
        terms = cast("Row", {name: found.get(name) for name in TERMS})
        return {
            **terms,
            "own_gap": _own_gap(figures) if verdict is not None and verdict.feasible else None,
            "steps": figures.get("steps"),
            "reading": figures.get("reading"),
            "goal": figures.get("goal"),
            "units": None if units is None else ",".join(map(str, units)),
            "stages": None if values is None else json.dumps(values),
            "stage_bounds": None if bounds is None else json.dumps(bounds),
            "construct_s": seconds.get("construct"),
            "search_s": seconds.get("search"),
            "bound_s": seconds.get("bound"),
        }


def _values(problem: SchedulingProblem, verdict: Verdict) -> tuple[float, ...] | None:
    """Return the value of each stage; None if the schedule has none."""
    return None if verdict.terms is None else problem.objective.values(verdict.terms)


def write_schedule(schedule: Schedule, folder: Path) -> None:
    """Write the arrays of a schedule, whole or not at all."""
    with replaced(folder / SCHEDULE) as file:
        np.savez(file, minute=schedule.minute, unit=schedule.unit)


def _read_schedule(folder: Path) -> Schedule | None:
    """Return the best schedule that a worker left, if there is one."""
    path = folder / SCHEDULE
    if not path.exists():
        return None
    minute, unit = read_arrays(path, ("minute", "unit"))
    return Schedule(minute=minute, unit=unit)


def _read_claims(folder: Path) -> Claims:
    """Return what a worker claims of each stage; nothing if it was ended before."""
    path = folder / STAGES
    if not path.exists():
        return {}
    claims: Claims = json.loads(read_bytes(path))
    for stages in claims.values():
        if not all(one is None or isinstance(one, int | float) for one in stages or ()):
            raise TypeError(f"{stages!r:.80} of stages")
    return claims


def _unreadable(result: SolveResult, facts: Json, message: str) -> Verified:
    """Return the error that a result is whose schedule makes no sense."""
    wrong = replace(result, stop=Stop.ERROR, objective=None, bound=None, message=message)
    return Verified(result=wrong, figures=facts)


def _claimed(
    stages: Sequence[float | None] | None, first: float | None, count: int
) -> Sequence[float | None] | None:
    """Return what is claimed of each stage; of the first what the result says, if it does."""
    if stages is None:
        return None if first is None else (first, *[None] * (count - 1))
    return stages if first is None else (first, *stages[1:])


def _own_gap(figures: Mapping[str, Any]) -> float | None:
    """Return the gap of the first stage whose bound is not met; 0 if all are."""
    values, bounds = (figures.get(f"stage_{name}") or [None] for name in ("values", "bounds"))
    for value, bound in zip(values, bounds, strict=False):
        if value is None or bound is None or not met(value, bound):
            return gap(value, bound)
    return 0.0


KIND = _Schedules()
