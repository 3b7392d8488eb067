"""
Jobs on MIG instances in CP-SAT: every reading and objective, stage by stage.

    s_jk          minute of step k of job j
    x_ki          step k (of a job that may not move: the job) on unit i, where units matter

    (order)       s_j,k+1 >= s_jk + 1, for a job that may not stop s_j,k+1 = s_jk + 1
    (size)        at most m_c steps of size c or more in a minute           for every size c
    (unit)        sum_i x_ki = 1, C_i >= memory needed; no two intervals of a unit overlap
    (preemption)  p_k or s_j,k+1 = s_jk + 1       (migration)  m_k or x_k,i -> x_k+1,i
    (late)        l_j or s_j,last < d_j           (makespan)   z > s_j,last

Where every job may move and neither waste nor migrations count, (size) is enough: steps sorted by
memory find a unit each, since the units that hold a step hold every smaller one (Hall's theorem).
CP-SAT's presolve encodes every minute of every step: on section 4's sets it takes 99 % of the
time to a proof, and is left out. Stages are minimised one after the other, from a start and known
bounds; an earlier stage keeps its value.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Ints
from rsjs.formulations.backends.backend import small_seed
from rsjs.formulations.backends.cpsat import ORTOOLS
from rsjs.formulations.mig.scheduling_bounds import horizon
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import (
    EQUAL,
    ROUNDING,
    Schedule,
    ScheduleResult,
    best_of,
    met,
    stage_values,
)

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpSolver


def fitted_units(problem: SchedulingProblem, minute: Ints) -> Ints:
    """
    Return (S,) the unit of each step whose minute is known, for jobs that may move.

    In every minute the step with the most memory takes the smallest free unit that holds it, its
    last one if there are several of a size. No step is left without one if for every size of unit
    no more steps need at least that size than there are units: a unit that holds a step holds all
    that follow.
    """
    by_size = np.argsort(problem.memory, kind="stable").tolist()
    unit = np.full(problem.steps, -1)
    begins = np.isin(np.arange(problem.steps), problem.jobs.start[:-1])
    busy: dict[int, int] = {}
    # Minute by minute, the largest need first; among units of a size the last one of the job.
    for s in np.lexsort([-problem.need, minute]).tolist():
        t, last = int(minute[s]), -1 if begins[s] else int(unit[s - 1])
        free = [i for i in by_size if problem.memory[i] >= problem.need[s] and busy.get(i) != t]
        same = [i for i in free if problem.memory[i] == problem.memory[free[0]]]
        unit[s] = last if last in same else same[0]
        busy[int(unit[s])] = t
    return unit


class ScheduleModel:
    """The model of a problem, with a variable or an expression for every term that counts."""

    def __init__(self, problem: SchedulingProblem, horizon: int) -> None:
        from ortools.sat.python import cp_model

        self.problem, self.horizon = problem, horizon
        self.model = cp_model.CpModel()
        self.last = problem.jobs.start[1:] - 1
        self.minute = self._minutes()
        moving = bool(problem.moves.all())
        counted = problem.objective.terms
        self.by_unit = not moving or bool(counted & {"waste", "migrations"})
        self._sizes()
        self.on: list[dict[int, Any]] = self._units() if self.by_unit else []
        self.terms = {term: self._term(term) for term in sorted(counted)}

    def schedule(self, values: Sequence[int]) -> Schedule:
        """Return the schedule in a solution: values of the variables in the order of the model."""
        minute = np.array([values[one.index] for one in self.minute], dtype=np.int64)
        if not self.by_unit:
            return Schedule(minute=minute, unit=fitted_units(self.problem, minute))
        taken = [next(i for i, x in row.items() if values[x.index]) for row in self.on]
        return Schedule(minute=minute, unit=np.array(taken, dtype=np.int64))

    def hint(self, schedule: Schedule) -> None:
        """Hint at a schedule to begin from."""
        self.model.clear_hints()
        for one, value in zip(self.minute, schedule.minute.tolist(), strict=True):
            self.model.add_hint(one, value)
        hinted = set()
        for row, unit in zip(self.on, schedule.unit.tolist(), strict=False):
            for i, x in row.items():
                if x.index not in hinted:
                    hinted.add(x.index)
                    self.model.add_hint(x, i == unit)

    def _minutes(self) -> list[Any]:
        p, made = self.problem, []
        for s, j in enumerate(p.step_job.tolist()):
            before, after = s - int(p.jobs.start[j]), int(self.last[j]) - s
            low, high = int(p.release[j]) + before, self.horizon - after - 1
            made.append(self.model.new_int_var(low, high, f"s{s}"))
            if before and p.stops[j]:
                self.model.add(made[s] >= made[s - 1] + 1)
            elif before:
                self.model.add(made[s] == made[s - 1] + 1)
        return made

    def _sizes(self) -> None:
        p = self.problem
        # (size): steps that need at least a size, on the units that have it.
        whole = [self.model.new_fixed_size_interval_var(t, 1, "") for t in self.minute]
        for size, units in enumerate(p.units_from.tolist()):
            large = [whole[s] for s in np.flatnonzero(p.size_class >= size).tolist()]
            if units == 1:
                self.model.add_no_overlap(large)
            elif len(large) > units:
                self.model.add_cumulative(large, [1] * len(large), units)

    def _units(self) -> list[dict[int, Any]]:
        p, model = self.problem, self.model
        on: list[dict[int, Any]] = []
        of_unit: list[list[Any]] = [[] for _ in p.memory]
        # A literal per step and unit, or per job that may not move, and an interval for it.
        for s, j in enumerate(p.step_job.tolist()):
            first = s == int(p.jobs.start[j])
            fits = np.flatnonzero(p.memory >= p.need[s]).tolist()
            if first or p.moves[j]:
                on.append({i: model.new_bool_var("") for i in fits})
                model.add_exactly_one(on[s].values())
            else:
                on.append(on[s - 1])
            if not first and not p.stops[j]:
                continue  # in the interval of the first step
            length = 1 if p.stops[j] else int(p.jobs.run_length[j])
            for i, x in on[s].items():
                of_unit[i].append(
                    model.new_optional_fixed_size_interval_var(self.minute[s], length, x, "")
                )
        for intervals in of_unit:
            model.add_no_overlap(intervals)
        return on

    def _within(self) -> list[int]:
        """Return the steps that are not the first of their job."""
        return sorted({*range(self.problem.steps)} - {*self.problem.jobs.start[:-1].tolist()})

    def _term(self, term: str) -> Any:
        p = self.problem
        ends = [self.minute[s] + 1 for s in self.last.tolist()]
        if term == "completion":
            return sum(ends)
        if term == "weighted_completion":
            return sum(w * end for w, end in zip(p.jobs.priority.tolist(), ends, strict=True))
        if term == "makespan":
            latest = self.model.new_int_var(0, self.horizon, "makespan")
            for end in ends:
                self.model.add(latest >= end)
            return latest
        if term == "late":
            return sum(self._late(j, end) for j, end in enumerate(ends))
        if term == "waste":
            sizes = p.memory.tolist()
            return sum(sizes[i] * x for row in self.on for i, x in row.items())
        if term == "preemptions":
            return sum(self._preempted(s) for s in self._within() if p.stops[p.step_job[s]])
        return sum(self._migrated(s) for s in self._within() if p.moves[p.step_job[s]])

    def _late(self, j: int, end: Any) -> Any:
        late = self.model.new_bool_var(f"late{j}")
        due = int(self.problem.due[j])
        if due < self.horizon:
            self.model.add(end <= due).only_enforce_if(~late)
        return late

    def _preempted(self, s: int) -> Any:
        gap = self.model.new_bool_var(f"p{s}")
        self.model.add(self.minute[s] == self.minute[s - 1] + 1).only_enforce_if(~gap)
        return gap

    def _migrated(self, s: int) -> Any:
        moved = self.model.new_bool_var(f"m{s}")
        for i, x in self.on[s].items():
            before = self.on[s - 1].get(i)
            self.model.add_bool_or([moved, ~x] if before is None else [moved, ~x, before])
        return moved


SHARE = 0.5  # of the time left, for a stage that is not the last


def solve_here(
    problem: SchedulingProblem,
    start: Schedule,
    bounds: Sequence[float | None],
    limits: Limits,
) -> ScheduleResult:
    """
    Minimise the stages of the objective.

    Parameters
    ----------
    start : Schedule
        Feasible; the search begins from it.
    bounds : sequence
        Known lower bounds on each stage, or None; a stage whose value meets it is not searched.
    """
    end = time.monotonic() + limits.time_limit
    stages = problem.objective.stages
    best, proven = start, True
    known: list[float | None] = list(bounds)
    counts = {"branches": 0, "conflicts": 0}
    model = ScheduleModel(problem, horizon(problem, start))
    in_use = float(problem.jobs.memory.sum())
    for stage, weights in enumerate(stages):
        value = stage_values(problem, best)[stage]
        # Minimise the stage unless its bound is met, then fix its value.
        total = sum(weight * model.terms[term] for term, weight in weights.items())
        constant = weights.get("waste", 0) * in_use
        if not met(value, known[stage]):
            left = end - time.monotonic()
            seconds = left if stage == len(stages) - 1 else SHARE * left
            model.hint(best)
            model.model.minimize(total)
            if (bound := known[stage]) is not None:
                whole = bound + constant
                model.model.add(total >= ceil(whole - EQUAL - ROUNDING * abs(whole)))
            solver, solved = _search(model, seconds, limits)
            counts["branches"] += solver.num_branches
            counts["conflicts"] += solver.num_conflicts
            if solved:
                values = list(solver.response_proto.solution)
                best = best_of(problem, best, model.schedule(values))
                value = stage_values(problem, best)[stage]
            bound = solver.best_objective_bound - constant
            if proven and (known[stage] is None or bound > (known[stage] or 0.0)):
                known[stage] = bound
        proven = proven and met(value, known[stage])
        model.model.add(total <= round(value + constant))
    return ScheduleResult(
        stop=Stop.OPTIMAL if proven else Stop.TIME_LIMIT,
        schedule=best,
        bound=tuple(known),
        counts=counts,
    )


solve = ORTOOLS.runs(solve_here)


def _search(model: ScheduleModel, seconds: float, limits: Limits) -> tuple[CpSolver, bool]:
    """Minimise; return the solver, and whether it has a solution."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(0.0, seconds)
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = small_seed(limits)
    solver.parameters.cp_model_presolve = False
    status = solver.solve(model.model)
    if status in (cp_model.MODEL_INVALID, cp_model.INFEASIBLE):
        raise ValueError(f"cp-sat: {solver.status_name(status)} with a start that is feasible")
    return solver, status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
