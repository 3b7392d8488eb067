"""
Parts of a schedule, decided by another method: no larger than it accepts, and checked.

An exception, an error and a decision that the checker refuses are failures of the method: they are
counted, the first one is told, and the schedule stays as it is.
"""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.heuristics.ruin_recreate.neighbourhoods import Neighbourhoods
from rsjs.instances.check import check
from rsjs.instances.errors import InputError, told
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Declared, Limits, Report, Run
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution, Stop
from rsjs.instances.transform import SubInstance

GAP = 1e-6  # of a part
SECONDS = 5.0  # for a part


class PartReport(Report):
    """The report of one part, which ends when the whole is asked to."""

    def __init__(self, whole: Report) -> None:
        super().__init__(min(SECONDS, whole.remaining()))
        self._whole = whole

    def stop_requested(self) -> bool:
        return self._whole.stop_requested()


class PartDecisions:
    """
    Draws parts of a schedule and has them decided.

    Attributes
    ----------
    failures : int
        Parts on which the method failed.
    """

    def __init__(self, instance: Instance, solve: Run, limits: Limits, report: Report) -> None:
        self._draws = Neighbourhoods.of(instance)
        self._solve, self._limits, self._report = solve, limits, report
        declared = solve.declared(instance) if isinstance(solve, Declared) else None
        self._most_jobs = inf if declared is None else declared.max_jobs or inf
        self._most_nodes = inf if declared is None else declared.max_nodes or inf
        self.failures, self._first = 0, ""

    def draw(
        self, now: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """
        A part with so many nodes and postponed jobs, fewer where the method accepts no more.

        Postponed jobs are at most half of the jobs that it accepts, for the nodes have some too.
        None if there is nothing to decide.
        """
        waiting = int(min(postponed, self._most_jobs / 2))
        for count in range(int(min(nodes, self._most_nodes, self._most_jobs)), -1, -1):
            part = self._draws.draw(now, count, waiting, rng)
            if part is None or self._accepts(part.instance):
                return part
        return None

    def _accepts(self, part: Instance) -> bool:
        return len(part.jobs) <= self._most_jobs and part.cluster.nodes <= self._most_nodes

    def decide(self, part: SubInstance, now: Solution) -> Solution | None:
        """The schedule with the part decided anew; None if the method finds nothing or fails."""
        try:
            found = self._decision(part, now)
        except Exception as error:
            plain = isinstance(error, InputError | _Refused)
            self._first = self._first or (str(error) if plain else told(error))
            self.failures += 1
            return None
        return None if found is None else complete(part.whole, part.merged(now, found))

    def _decision(self, part: SubInstance, now: Solution) -> Solution | None:
        inner = PartReport(self._report)
        limits = Limits(
            time_limit=inner.time_limit,
            gap=GAP,
            threads=self._limits.threads,
            seed=self._limits.seed,
        )
        start = complete(part.instance, part.restricted(now))
        result = self._solve(part.instance, Call(limits=limits, warm_start=start), inner)
        if result.solution is None:
            if result.stop in (Stop.ERROR, Stop.INFEASIBLE):  # its start is feasible
                raise _Refused(result.message or f"{result.stop.value} without a decision")
            return None
        verdict = check(part.instance, result.solution)
        if not verdict.feasible:
            raise _Refused(f"its decision fails the check: {verdict.violations[0]}")
        return result.solution

    def troubles(self, rounds: int) -> str:
        """How many of the rounds failed and why the first one did; empty if none."""
        if not self.failures:
            return ""
        return f"{self.failures} of {rounds} rounds failed; the first: {self._first}"


class _Refused(Exception):
    """A result that is none."""
