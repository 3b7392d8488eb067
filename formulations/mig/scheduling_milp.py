"""
Jobs on MIG instances as a time-indexed mixed-integer program, stage by stage.

Sets and data: steps k of all jobs, units i with C_i >= need_k, minutes t < T from the release on
(T: after the last release, a minute in which nothing runs can be taken out).

    x_kit in {0, 1}   step k runs on unit i in minute t;   y_kt = sum_i x_kit

    (once)        sum_t y_kt = 1                                      for all k
    (unit)        sum_k x_kit <= 1                                    for all i, t
    (order)       sum_{u <= t + 1} y_k+1,u <= sum_{u <= t} y_ku       for all t, k not the last
    (stop)        y_k+1,t+1 = y_kt                                    job that may not stop
    (move)        sum_t x_k+1,it = sum_t x_kit                        job that may not move
    (makespan)    z >= sum_t (t + 1) y_kt                             k the last step
    (late)        l_j >= sum of y_kt over t + 1 > d_j                 k the last step
    (preemption)  p_k >= y_kt - y_k+1,t+1                             for all t
    (migration)   m_k >= sum_t x_k+1,it - sum_t x_kit                 for all i
    (before)      earlier stages keep their values
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig.scheduling_bounds import horizon
from rsjs.formulations.milp.from_pyomo import from_pyomo
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import (
    Schedule,
    ScheduleResult,
    best_of,
    met,
    stage_values,
)

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {
    **dict.fromkeys(("unit", "order", "stop", "move", "before", "preemption", "migration"), "r"),
    **{"x": "fot", "once": "f", "z": "", "latest": "j", "p": "f", "m": "f", "cost": ""},
}


@dataclass(frozen=True, kw_only=True, eq=False)
class StageModel:
    """Data of the program of a stage."""

    problem: SchedulingProblem
    horizon: int  # T
    stage: int = 0  # index of the stage to minimise
    values: Sequence[int] = ()  # of the stages before, waste with the memory in use

    def in_use(self, stage: int) -> float:
        """Return what the memory in use counts in a stage: a constant of its waste."""
        weight = self.problem.objective.stages[stage].get("waste", 0)
        return weight * float(self.problem.jobs.memory.sum())


def data_of(problem: SchedulingProblem) -> StageModel:
    """Return the program of the first stage, minutes enough for any order of the jobs."""
    return StageModel(problem=problem, horizon=int(problem.release.max()) + problem.steps)


def build(data: StageModel) -> ConcreteModel:
    """Build the Pyomo model; x comes first among its variables."""
    import pyomo.core as pyo

    problem, horizon, stage, values = data.problem, data.horizon, data.stage, data.values
    m = pyo.ConcreteModel(name="mig_schedule")
    steps, job = range(problem.steps), problem.step_job.tolist()
    m.x = pyo.Var(_places(problem, horizon), domain=pyo.Binary)
    # Sums of x: over units, over steps of a unit and minute, over minutes.
    y: dict[tuple[int, int], Any] = {}
    units: dict[tuple[int, int], list[Any]] = {}
    per_unit: dict[tuple[int, int], list[Any]] = {}
    for (k, i, t), x in m.x.items():
        y[k, t] = y.get((k, t), 0) + x
        units.setdefault((i, t), []).append(x)
        per_unit.setdefault((k, i), []).append(x)
    minutes = range(horizon)

    def until(k: int, t: int) -> Any:
        return pyo.quicksum(y[k, u] for u in minutes if u <= t and (k, u) in y)

    m.once = pyo.Constraint(steps, rule=lambda m, k: until(k, horizon) == 1)
    m.unit = pyo.ConstraintList()
    for together in units.values():
        m.unit.add(pyo.quicksum(together) <= 1)
    m.order, m.stop, m.move = pyo.ConstraintList(), pyo.ConstraintList(), pyo.ConstraintList()
    # (order), (stop), (move) between a step and the one before it
    within = [k for k in steps if k and job[k] == job[k - 1]]
    for k in within:
        for t in range(-1, horizon):
            before, after = y.get((k - 1, t)), y.get((k, t + 1))
            if after is None and before is None:
                continue
            if problem.stops[job[k]]:
                m.order.add(until(k, t + 1) <= until(k - 1, t))
            else:
                m.stop.add((0 if after is None else after) == (0 if before is None else before))
        if not problem.moves[job[k]]:
            for i in _units(problem, k):
                m.move.add(pyo.quicksum(per_unit[k, i]) == pyo.quicksum(per_unit[k - 1, i]))
    totals = _terms(m, problem, y, per_unit, within)
    stages = [
        sum(weight * totals[term] for term, weight in weights.items())
        for weights in problem.objective.stages[: stage + 1]
    ]
    m.before = pyo.ConstraintList()
    for total, value in zip(stages, values, strict=False):
        if not isinstance(total, int):
            m.before.add(total <= value)
    m.cost = pyo.Objective(expr=stages[stage] - data.in_use(stage))
    return m


def extract(problem: SchedulingProblem, values: Mapping[tuple[int, int, int], float]) -> Schedule:
    """Return the schedule in the values of x."""
    minute, unit = np.zeros((2, problem.steps), dtype=np.int64)
    for (k, i, t), value in values.items():
        if value > 0.5:
            minute[k], unit[k] = t, i
    return Schedule(minute=minute, unit=unit)


def _units(problem: SchedulingProblem, step: int) -> list[int]:
    return list(np.flatnonzero(problem.memory >= problem.need[step]).tolist())


def _places(problem: SchedulingProblem, horizon: int) -> list[tuple[int, int, int]]:
    found = []
    start = problem.jobs.start.tolist()
    for k, j in enumerate(problem.step_job.tolist()):
        first, end = int(problem.release[j]) + k - start[j], horizon - (start[j + 1] - 1 - k)
        found += [(k, i, t) for i in _units(problem, k) for t in range(first, end)]
    return found


def _terms(
    m: ConcreteModel,
    problem: SchedulingProblem,
    y: Mapping[tuple[int, int], Any],
    per_unit: Mapping[tuple[int, int], list[Any]],
    within: Sequence[int],
) -> dict[str, Any]:
    """Return the terms that count as expressions; add their variables and constraints."""
    import pyomo.core as pyo

    counted, jobs = problem.objective.terms, range(len(problem.jobs))
    last = (problem.jobs.start[1:] - 1).tolist()
    end: dict[int, Any] = dict.fromkeys(jobs, 0)
    late: dict[int, Any] = dict.fromkeys(jobs, 0)
    of_last = {k: j for j, k in enumerate(last)}
    for (k, t), running in y.items():
        if (j := of_last.get(k)) is not None:
            end[j] += (t + 1) * running
            late[j] += running if t + 1 > problem.due[j] else 0
    priority, sizes = problem.jobs.priority.tolist(), problem.memory.tolist()
    found = {
        "completion": sum(end.values()),
        "weighted_completion": sum(priority[j] * end[j] for j in jobs),
        "late": sum(late.values()),
        "waste": sum(sizes[i] * pyo.quicksum(xs) for (_, i), xs in per_unit.items()),
    }
    m.z = pyo.Var(bounds=(0, None))
    m.latest = pyo.Constraint(jobs, rule=lambda m, j: m.z >= end[j])
    found["makespan"] = m.z
    if counted & {"preemptions"}:
        m.p = pyo.Var(within, bounds=(0, 1))
        m.preemption = pyo.ConstraintList()
        for (k, t), running in y.items():
            if k + 1 in m.p:
                m.preemption.add(m.p[k + 1] >= running - y.get((k + 1, t + 1), 0))
        found["preemptions"] = pyo.quicksum(m.p.values())
    if counted & {"migrations"}:
        m.m = pyo.Var(within, bounds=(0, 1))
        m.migration = pyo.ConstraintList()
        for k in within:
            for i in _units(problem, k):
                before = pyo.quicksum(per_unit.get((k - 1, i), []))
                m.migration.add(m.m[k] >= pyo.quicksum(per_unit[k, i]) - before)
        found["migrations"] = pyo.quicksum(m.m.values())
    return found


MOST_CELLS = 50_000  # steps * units * minutes
WHOLE = 1e-6  # how far a solver's bound may be above the integer that it means
ROUNDING = 1e-10  # that distance, relative


def solve(
    problem: SchedulingProblem, start: Schedule, limits: Limits, solver: str = "highs"
) -> ScheduleResult:
    """
    Minimise the stages of the objective.

    Parameters
    ----------
    start : Schedule
        Feasible; its makespan is the horizon if only that counts. Solvers do not begin from it.
    solver : str
        Name of a backend.
    """
    ask = backend(solver).load()
    end = time.monotonic() + limits.time_limit
    minutes = horizon(problem, start)
    if problem.steps * len(problem.memory) * minutes > MOST_CELLS:
        shown = described(f"{problem.steps} steps, {len(problem.memory)} units, {minutes} minutes")
        raise InputError("/jobs", shown, f"a product of at most {MOST_CELLS} for this program")
    best, stop = start, Stop.OPTIMAL
    known: list[float | None] = []
    fixed: list[int] = []
    counts: dict[str, int] = {}
    data = StageModel(problem=problem, horizon=minutes)
    for stage in range(len(problem.objective.stages)):
        constant = data.in_use(stage)
        model = build(replace(data, stage=stage, values=fixed))
        matrix, columns = from_pyomo(model)
        raw = ask(SolveTask(matrix, limits, seconds=max(0.0, end - time.monotonic())))
        counts = {"columns": len(columns), "rows": int(matrix.A.shape[0])}
        if raw.x is not None:
            value_of = dict(zip(map(id, columns), raw.x.tolist(), strict=True))
            values = {place: value_of[id(x)] for place, x in model.x.items()}
            best = best_of(problem, best, extract(problem, values))
        # The least integer that the solver's bound leaves.
        known.append(None)
        if raw.bound is not None:
            bound = raw.bound + constant
            known[stage] = ceil(bound - WHOLE - ROUNDING * abs(bound)) - constant
        value = stage_values(problem, best)[stage]
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
