"""
Reconfiguration of one GPU: the best schedule that is found, and a bound that holds for every one.

    bounds      those of `reconfiguration_bounds`
    assignment  jobs released together: the laminar model of `reconfiguration_assignment` is all;
                it is minimised, and in what is left of the limit makespans are tried from both
                ends, the bound and one less than what was found, for longer and longer
    tail        jobs with releases: an instance made before the last release stays, and a slice is
                free when the last job on it is over; jobs whose instance is made later are an
                assignment, whatever their order was
    time        then model R of `reconfiguration_cpsat`, the best schedule as hint

A static partition is a set of placements that stay: these models with those placements alone.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.backend import Solve, SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.backends.stop import relative_gap
from rsjs.formulations.mig import (
    reconfiguration_assignment,
    reconfiguration_bounds,
    reconfiguration_cpsat,
)
from rsjs.formulations.mig.reconfiguration_assignment import AssignmentModel
from rsjs.formulations.mig.reconfiguration_bounds import Candidates, chosen, find_candidates
from rsjs.formulations.milp.from_pyomo import declared_matrix
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    durations,
    makespan,
)

PlacedJobs = dict[int, tuple[int, int, int]]  # profile, start and begin of a job


def tail(
    candidates: Candidates, schedule: ReconfigurationSchedule
) -> tuple[AssignmentModel, PlacedJobs]:
    """Return the model of the jobs at the end, and where the others are."""
    jobs = candidates.jobs
    first = max(int(jobs.release.max()) - jobs.delta, 0)
    early = schedule.begin - jobs.delta < first
    size = np.array([own.memory_slices for own in jobs.gpu.profiles])[schedule.profile]
    end = schedule.begin + durations(jobs, schedule.profile)
    free = np.full(jobs.gpu.memory_slices, first)
    before: PlacedJobs = {}
    # Slices are free when the last of the early jobs on them is over.
    for j in np.flatnonzero(early).tolist():
        over = slice(schedule.start[j], schedule.start[j] + size[j])
        free[over] = np.maximum(free[over], end[j])
        before[j] = int(schedule.profile[j]), int(schedule.start[j]), int(schedule.begin[j])
    return AssignmentModel(candidates, np.flatnonzero(~early[candidates.job]), free), before


TAIL_SHARE = 0.25  # of the limit, for the jobs after the last release
FIRST_SHARE = 0.1  # of the limit, for minimising, and for the first makespans that are tried


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationResult:
    """Result of a repartitioning method; a missing number is None."""

    stop: Stop
    schedule: ReconfigurationSchedule | None
    bound: int  # no schedule is shorter; of those on the partition, if there is one
    seconds: float  # wall clock, imports of solvers apart


def solve(
    jobs: ReconfigurationProblem,
    limits: Limits,
    *,
    start: ReconfigurationSchedule | None = None,
    partition: Collection[int] | None = None,
    solver: str = "cpsat",
) -> ReconfigurationResult:
    """
    Minimise the makespan.

    Parameters
    ----------
    start : ReconfigurationSchedule or None
        A feasible schedule to begin from, on the partition if there is one.
    partition : collection of int or None
        Placements of `geometry` that are all there is.
    solver : str
        Backend of the assignment model; model R is for CP-SAT only.
    """
    ask = backend(solver).load()
    clock = time.monotonic()
    candidates = find_candidates(jobs, partition)
    bound = reconfiguration_bounds.best(candidates)
    search = _ReconfigurationSearch(candidates, limits, solver, ask, clock, start, bound)
    together = candidates.laminar and (jobs.release == jobs.release[0]).all()
    failed = search.assigned() if together else search.timed()
    return ReconfigurationResult(
        stop=search.ended(failed),
        schedule=search.best,
        bound=search.bound,
        seconds=time.monotonic() - clock,
    )


@dataclass
class _ReconfigurationSearch:
    """Search for schedules and bounds: the incumbent and the best bound so far."""

    candidates: Candidates
    limits: Limits
    solver: str
    ask: Solve
    clock: float
    best: ReconfigurationSchedule | None
    bound: int

    @property
    def value(self) -> float:
        """Return the makespan of the best schedule; inf without one."""
        return np.inf if self.best is None else float(makespan(self.candidates.jobs, self.best))

    @property
    def reached(self) -> bool:
        """Return whether they are as near as asked for."""
        return relative_gap(self.value, self.bound) <= self.limits.gap

    def left(self) -> float:
        """Return the seconds left of the limit."""
        return max(0.0, self.limits.time_limit - (time.monotonic() - self.clock))

    def ended(self, failed: bool) -> Stop:
        """Return why the search ends now."""
        if self.reached:
            return Stop.OPTIMAL if self.value <= self.bound else Stop.GAP
        return Stop.ERROR if failed else Stop.TIME_LIMIT

    def assigned(self) -> bool:
        """Solve the assignment of all jobs, which is exact; return whether the solver failed."""
        data = AssignmentModel.of(self.candidates)
        stop = self._solve_assignment(data, None, FIRST_SHARE * self.left())
        seconds = FIRST_SHARE * self.limits.time_limit
        while stop is not Stop.ERROR and not self.reached and self.left() > 0:
            # The bound from below, one less than the incumbent from above.
            for end in (self.bound, int(min(self.value, data.horizon)) - 1):
                if self.bound <= end < self.value:
                    stop = self._try_makespan(data, end, min(seconds, self.left()))
            seconds *= 2
        return stop is Stop.ERROR

    def _try_makespan(self, data: AssignmentModel, length: int, seconds: float) -> Stop:
        """Look for a schedule of a makespan; without one, the bound is above it."""
        if self.solver == "cpsat":
            stop, x = reconfiguration_assignment.fits(data, length, self.limits, seconds)
        else:
            model = declared_matrix(reconfiguration_assignment.build(data))
            model.lower[-1] = model.upper[-1] = length
            raw = self.ask(SolveTask(model, self.limits, seconds=seconds))
            stop, x = raw.stop, raw.x
        if x is not None:
            self._offer(self._schedule(data, x, {}))
        elif stop is Stop.INFEASIBLE:
            self.bound = max(self.bound, length + 1)
        return stop

    def timed(self) -> bool:
        """Solve model R from a better end of the schedule; return whether the solver failed."""
        if self.best is not None and self.candidates.laminar and not self.reached:
            data, before = tail(self.candidates, self.best)
            if len(data.rows):
                self._solve_assignment(data, before, TAIL_SHARE * self.left())
        if self.reached:
            return False
        # Model R, for makespans from the bound to the incumbent.
        horizon = AssignmentModel.of(self.candidates).horizon
        stop, schedule, bound = reconfiguration_cpsat.solve(
            self.candidates,
            self.limits,
            self.left(),
            horizon if self.best is None else int(self.value),
            self.bound,
            self.best,
        )
        self._offer(schedule)
        self.bound = max(self.bound, bound)
        return stop is Stop.ERROR

    def _solve_assignment(
        self, data: AssignmentModel, before: PlacedJobs | None, seconds: float
    ) -> Stop:
        """Solve the assignment of all jobs (None), or of those at the end, after others."""
        if self.reached:
            return Stop.GAP
        model, start = declared_matrix(reconfiguration_assignment.build(data)), None
        model.lower[-1] = self.bound
        if self.best is not None:
            start = reconfiguration_assignment.warm_start(data, chosen(self.candidates, self.best))
        found = self.ask(SolveTask(model, self.limits, seconds=seconds, start=start))
        if found.x is not None:
            self._offer(self._schedule(data, found.x, before or {}))
        if found.bound is not None and before is None:
            self.bound = max(self.bound, int(np.ceil(found.bound - 1e-6)))
        return found.stop

    def _schedule(
        self, data: AssignmentModel, x: Floats, before: PlacedJobs
    ) -> ReconfigurationSchedule:
        return ReconfigurationSchedule.of(
            self.candidates.jobs, before | reconfiguration_assignment.extract(data, x)
        )

    def _offer(self, schedule: ReconfigurationSchedule | None) -> None:
        if schedule is not None and makespan(self.candidates.jobs, schedule) < self.value:
            self.best = schedule
