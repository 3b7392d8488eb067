"""The time-indexed program on the stages of an objective, one after the other."""

from __future__ import annotations

import time
from math import ceil

import numpy as np

from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig import scheduling_milp as formulation
from rsjs.formulations.milp.from_pyomo import from_pyomo
from rsjs.instances.errors import InputError, described
from rsjs.instances.method import Limits
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, better, terms
from rsjs.instances.mig.scheduling.schedule_result import ScheduleResult, met
from rsjs.instances.solution import Stop

MOST_CELLS = 50_000  # steps * units * minutes
WHOLE = 1e-6  # how far a solver's bound may be above the integer that it means
ROUNDING = 1e-10  # the same, relative


def solve(
    problem: SchedulingProblem, start: Schedule, limits: Limits, solver: str = "highs"
) -> ScheduleResult:
    """
    Minimise the stages of the objective.

    Parameters
    ----------
    problem
    start : Schedule
        Feasible; its makespan is the horizon if only that counts. Solvers do not begin from it.
    limits : Limits
    solver : str
        Name of a backend.
    """
    ask = backend(solver).load()
    end = time.monotonic() + limits.time_limit
    horizon = _horizon(problem, start)
    best, stop = start, Stop.OPTIMAL
    known: list[float | None] = []
    fixed: list[int] = []
    counts: dict[str, int] = {}
    in_use = float(problem.jobs.memory.sum())
    for stage, weights in enumerate(problem.objective.stages):
        constant = weights.get("waste", 0) * in_use
        model = formulation.build(problem, horizon, stage, fixed)
        matrix, theirs = from_pyomo(model)
        place = {id(variable): i for i, variable in enumerate(theirs)}
        ours = np.array([place[id(variable)] for variable in formulation.columns(model)])
        raw = ask(matrix, limits, seconds=max(0.0, end - time.monotonic()))
        counts = {"columns": len(theirs), "rows": int(matrix.A.shape[0])}
        if raw.x is not None:
            best = better(problem, best, formulation.extract(problem, horizon, raw.x[ours]))
        known.append(None if raw.bound is None else _whole(raw.bound) - constant)
        value = problem.objective.values(terms(problem, best))[stage]
        if not met(value, known[stage]):
            stop = Stop.GAP if raw.stop is Stop.OPTIMAL else raw.stop
            break
        fixed.append(round(value + constant))
    unknown = len(problem.objective.stages) - len(known)
    return ScheduleResult(
        stop=stop,
        schedule=best,
        bound=(*known, *[None] * unknown),
        counts=counts,
    )


def _whole(bound: float) -> int:
    """The least integer that a solver's bound leaves."""
    return ceil(bound - WHOLE - ROUNDING * abs(bound))


def _horizon(problem: SchedulingProblem, start: Schedule) -> int:
    made = int(terms(problem, start)["makespan"])
    if {*problem.objective.stages[0]} == {"makespan"}:
        horizon = made
    else:
        horizon = max(made, int(problem.release.max()) + problem.steps)
    cells = problem.steps * len(problem.memory) * horizon
    if cells > MOST_CELLS:
        found = described(f"{problem.steps} steps, {len(problem.memory)} units, {horizon} minutes")
        raise InputError("/jobs", found, f"a product of at most {MOST_CELLS} for this program")
    return horizon
