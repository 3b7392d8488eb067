"""
Repartitioning of one GPU: the best schedule that is found, and a bound that holds for every one.

    bounds   those of `mig_repartition_bounds`
    nested   jobs released together: the assignment of `mig_repartition_nested` is all; it is
             minimised, and in what is left of the limit makespans are tried from both ends, the
             bound and one less than what was found, for longer and longer
    tail     jobs with releases: what is made before the last release stays, the rest is assigned
    time     then model R of `mig_repartition_time`, the best schedule as hint

A static partition is a set of placements that stay: the same models with these alone.

The end of a schedule with releases: jobs whose instance is made when all jobs are released.

What is made before stays, and a slice is free when the last of it is over: the jobs at the end are
an assignment of `mig_repartition_nested`, whatever their order was.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from rsjs.core.method import Limits, Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.callbacks import relative_gap
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig import (
    reconfiguration_assignment,
    reconfiguration_bounds,
    reconfiguration_cpsat,
)
from rsjs.formulations.mig import reconfiguration_assignment as mig_repartition_fits
from rsjs.formulations.mig.reconfiguration_assignment import AssignmentModel
from rsjs.formulations.mig.reconfiguration_bounds import Candidates, chosen, places
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    durations,
    makespan,
)

PlacedJobs = dict[int, tuple[int, int, int]]  # profile, start and begin of a job


def tail(
    among: Candidates, schedule: ReconfigurationSchedule
) -> tuple[AssignmentModel, PlacedJobs]:
    """The model of the jobs at the end, and where the others are."""
    jobs = among.jobs
    first = max(int(jobs.release.max()) - jobs.delta, 0)
    early = schedule.begin - jobs.delta < first
    size = np.array([own.memory_slices for own in jobs.gpu.profiles])[schedule.profile]
    end = schedule.begin + durations(jobs, schedule.profile)
    free = np.full(jobs.gpu.memory_slices, first)
    before: PlacedJobs = {}
    for j in np.flatnonzero(early).tolist():
        over = slice(schedule.start[j], schedule.start[j] + size[j])
        free[over] = np.maximum(free[over], end[j])
        before[j] = int(schedule.profile[j]), int(schedule.start[j]), int(schedule.begin[j])
    return AssignmentModel(among, np.flatnonzero(~early[among.job]), free), before


TAIL_SHARE = 0.25  # of the limit, for the jobs after the last release
FIRST_SHARE = 0.1  # of the limit, for minimising, and for the first makespans that are tried


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationResult:
    """
    What is known when the method ends.

    Attributes
    ----------
    stop : Stop
    schedule : ReconfigurationSchedule or None
    bound : int
        No schedule is shorter; of those on the partition, if there is one.
    seconds : float
        Wall clock, imports of solvers apart.
    """

    stop: Stop
    schedule: ReconfigurationSchedule | None
    bound: int
    seconds: float


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
    backend(solver).load()
    clock = time.monotonic()
    among = places(jobs, partition)
    search = _ReconfigurationSearch(among, limits, solver, clock, start)
    failed = search.nested() if among.nested and among.common_release else search.timed()
    return ReconfigurationResult(
        stop=search.ended(failed),
        schedule=search.best,
        bound=search.bound,
        seconds=time.monotonic() - clock,
    )


class _ReconfigurationSearch:
    """The best schedule and the best bound so far."""

    def __init__(
        self,
        among: Candidates,
        limits: Limits,
        solver: str,
        clock: float,
        start: ReconfigurationSchedule | None,
    ) -> None:
        self.places, self.limits, self.solver, self.clock = among, limits, solver, clock
        self.best = start
        self.bound = reconfiguration_bounds.best(among)

    @property
    def value(self) -> float:
        """Makespan of the best schedule; inf without one."""
        return np.inf if self.best is None else float(makespan(self.places.jobs, self.best))

    @property
    def met(self) -> bool:
        """Whether schedule and bound meet."""
        return self.value <= self.bound

    @property
    def reached(self) -> bool:
        """Whether they are as near as asked for."""
        return relative_gap(self.value, self.bound) <= self.limits.gap

    def raise_to(self, bound: int) -> None:
        """Keep the larger bound."""
        self.bound = max(self.bound, bound)

    def left(self) -> float:
        """Seconds left of the limit."""
        return max(0.0, self.limits.time_limit - (time.monotonic() - self.clock))

    def ended(self, failed: bool) -> Stop:
        """Why the search ends now."""
        if self.reached:
            return Stop.OPTIMAL if self.met else Stop.GAP
        return Stop.ERROR if failed else Stop.TIME_LIMIT

    def nested(self) -> bool:
        """The assignment of all jobs, which is exact; whether the solver failed."""
        data = AssignmentModel.of(self.places)
        stop = self._assigned(data, {}, FIRST_SHARE * self.left())
        seconds = FIRST_SHARE * self.limits.time_limit
        while stop is not Stop.ERROR and not self.reached and self.left() > 0:
            for end in (self.bound, int(min(self.value, data.horizon)) - 1):
                if self.bound <= end < self.value:
                    stop = self._tried(data, end, min(seconds, self.left()))
            seconds *= 2
        return stop is Stop.ERROR

    def _tried(self, data: AssignmentModel, length: int, seconds: float) -> Stop:
        """Look for a schedule of a makespan; without one, the bound is above it."""
        if self.solver == "cpsat":
            stop, x = mig_repartition_fits.fits(data, length, self.limits, seconds)
        else:
            model = reconfiguration_assignment.arrays(data)
            model.lower[-1] = model.upper[-1] = length
            found = backend(self.solver).load()(model, self.limits, seconds=seconds)
            stop, x = found.stop, found.x
        if x is not None:
            self._offer(self._schedule(data, x, {}))
        elif stop is Stop.INFEASIBLE:
            self.raise_to(length + 1)
        return stop

    def timed(self) -> bool:
        """Model R, begun with a better end of the schedule; whether the solver failed."""
        if self.best is not None and self.places.nested and not self.reached:
            data, before = tail(self.places, self.best)
            if len(data.rows):
                self._assigned(data, before, TAIL_SHARE * self.left())
        if self.reached:
            return False
        horizon = AssignmentModel.of(self.places).horizon
        found = reconfiguration_cpsat.solve(
            self.places,
            self.limits,
            self.left(),
            horizon if self.best is None else int(self.value),
            self.bound,
            self.best,
        )
        self._offer(found.schedule)
        self.raise_to(found.bound)
        return found.stop is Stop.ERROR

    def _assigned(self, data: AssignmentModel, before: PlacedJobs, seconds: float) -> Stop:
        if self.reached:
            return Stop.GAP
        model, start = reconfiguration_assignment.arrays(data), None
        model.lower[-1] = self.bound
        if self.best is not None:
            start = reconfiguration_assignment.warm_start(data, chosen(self.places, self.best))
        found = backend(self.solver).load()(model, self.limits, seconds=seconds, start=start)
        if found.x is not None:
            self._offer(self._schedule(data, found.x, before))
        if found.bound is not None and not before:
            self.raise_to(int(np.ceil(found.bound - 1e-6)))
        return found.stop

    def _schedule(
        self, data: AssignmentModel, x: Floats, before: PlacedJobs
    ) -> ReconfigurationSchedule:
        return ReconfigurationSchedule.of(
            self.places.jobs, before | reconfiguration_assignment.extract(data, x)
        )

    def _offer(self, schedule: ReconfigurationSchedule | None) -> None:
        if schedule is not None and makespan(self.places.jobs, schedule) < self.value:
            self.best = schedule
