"""CP-SAT on the stages of an objective, one after the other, from a start and known bounds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from ortools.sat.python import cp_model

from rsjs.formulations.backends.backend import small_seed
from rsjs.formulations.mig.scheduling_cpsat import ScheduleModel
from rsjs.instances.method import Limits
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, better, terms
from rsjs.instances.mig.scheduling.schedule_result import EQUAL, ROUNDING, ScheduleResult, met
from rsjs.instances.solution import Stop

SHARE = 0.5  # of the time left, for a stage that is not the last


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What CP-SAT said of a stage."""

    values: Sequence[int] | None
    bound: float
    branches: int
    conflicts: int


def solve(
    problem: SchedulingProblem,
    start: Schedule,
    bounds: Sequence[float | None],
    limits: Limits,
) -> ScheduleResult:
    """
    Minimise the stages of the objective.

    Parameters
    ----------
    problem
    start : Schedule
        Feasible; the search begins from it.
    bounds : sequence
        Known lower bounds on each stage, or None; a stage whose value meets it is not searched.
    limits : Limits
    """
    end = time.monotonic() + limits.time_limit
    stages = problem.objective.stages
    best, proven = start, True
    known: list[float | None] = list(bounds)
    counts = {"branches": 0, "conflicts": 0}
    model = ScheduleModel(problem, _horizon(problem, start))
    in_use = float(problem.jobs.memory.sum())
    for stage, weights in enumerate(stages):
        value = problem.objective.values(terms(problem, best))[stage]
        total = sum(weight * model.terms[term] for term, weight in weights.items())
        constant = weights.get("waste", 0) * in_use
        if not met(value, known[stage]):
            left = end - time.monotonic()
            seconds = left if stage == len(stages) - 1 else SHARE * left
            answer = _minimised(model, total, best, known[stage], constant, seconds, limits)
            counts["branches"] += answer.branches
            counts["conflicts"] += answer.conflicts
            if answer.values is not None:
                best = better(problem, best, model.schedule(answer.values))
                value = problem.objective.values(terms(problem, best))[stage]
            found = answer.bound - constant
            if proven and (known[stage] is None or found > (known[stage] or 0.0)):
                known[stage] = found
        proven = proven and met(value, known[stage])
        model.model.add(total <= round(value + constant))
    return ScheduleResult(
        stop=Stop.OPTIMAL if proven else Stop.TIME_LIMIT,
        schedule=best,
        bound=tuple(known),
        counts=counts,
    )


def _horizon(problem: SchedulingProblem, start: Schedule) -> int:
    """
    Minutes that hold an optimal schedule.

    After the last release a minute in which nothing runs can be taken out.
    """
    if {*problem.objective.stages[0]} == {"makespan"}:
        return int(terms(problem, start)["makespan"])
    return max(int(problem.release.max()) + problem.steps, int(terms(problem, start)["makespan"]))


def _minimised(
    model: ScheduleModel,
    total: Any,
    start: Schedule,
    bound: float | None,
    constant: float,
    seconds: float,
    limits: Limits,
) -> _Answer:
    model.hint(start)
    model.model.minimize(total)
    if bound is not None:
        whole = bound + constant
        model.model.add(total >= ceil(whole - EQUAL - ROUNDING * abs(whole)))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(0.0, seconds)
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = small_seed(limits)
    solver.parameters.cp_model_presolve = False
    status = solver.solve(model.model)
    if status in (cp_model.MODEL_INVALID, cp_model.INFEASIBLE):
        raise ValueError(f"cp-sat: {solver.status_name(status)} with a start that is feasible")
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return _Answer(
        values=list(solver.response_proto.solution) if solved else None,
        bound=solver.best_objective_bound,
        branches=solver.num_branches,
        conflicts=solver.num_conflicts,
    )
