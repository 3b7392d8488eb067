"""Incumbent and dual bound of a method, and when they meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.formulations.backends.backend import RawResult
from rsjs.formulations.backends.stop import relative_gap, settled
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

ROUNDING = 1e-9  # how far above a cost a solver's bound may be, for one of max(1, |cost|)
MARGIN = 0.1  # seconds of the limit kept for the answer


class Incumbent:
    """
    The incumbent: the best solution so far.

    Attributes
    ----------
    best : Solution or None
    cost : float
        What it costs; inf without one. [$]
    """

    def __init__(self, instance: Instance, report: Report) -> None:
        self.instance, self.report = instance, report
        self.best: Solution | None = None
        self.cost = np.inf

    def offer(self, solution: Solution) -> None:
        """Keep and report a solution if it is the best so far."""
        cost = costs.terms(self.instance, solution).total
        if cost < self.cost:
            self.best, self.cost = solution, cost
            self.report.incumbent(solution, cost)

    def solver_result(
        self, raw: RawResult, stop: Stop, bound: float | None, message: str
    ) -> SolveResult:
        """Return the best solution and a bound with what a solver reported of its run."""
        return self._with(
            bound, "solver", stop=stop, counts=raw.counts, options=raw.options, message=message
        )

    def _with(self, bound: float | None, source: str, **others: Any) -> SolveResult:
        """Return the best solution with a bound for the instance, if there is one."""
        return SolveResult(
            solution=self.best,
            objective=None if self.best is None else self.cost,
            bound=bound,
            bound_source=None if bound is None else source,
            bound_variant=None if bound is None else "instance",
            **others,
        )


class BoundTracker(Incumbent):
    """
    The incumbent and the dual bound so far; begins with the warm start of a call.

    Attributes
    ----------
    lower : float
        The bound; -inf without one. [$]
    source : str
        Where it comes from: `SolveResult.bound_source`.
    counts : dict
    """

    def __init__(self, instance: Instance, call: Call, report: Report) -> None:
        super().__init__(instance, report)
        self.call = call
        self.lower, self.source = -np.inf, "lagrangian"
        self.counts: dict[str, int] = {}
        with report.phase("build"):
            self._largest = float(costs.cost_tables(instance).postponement.max())
        if call.warm_start is not None:
            self.offer(select_required_nodes(instance, call.warm_start))

    def raise_to(self, bound: float, source: str) -> None:
        """Keep and report a bound if it is the best so far."""
        if bound > self.lower:
            self.lower, self.source = bound, source
            self.report.bound(bound)

    @property
    def met(self) -> bool:
        """Whether cost and bound meet, within rounding."""
        if self.best is None:
            return False
        return settled(Stop.OPTIMAL, self.cost, self.lower, self._largest) is Stop.OPTIMAL

    @property
    def reached(self) -> bool:
        """Whether they meet or are as near as asked for."""
        if self.best is None:
            return False
        return self.met or relative_gap(self.cost, self.lower) <= self.call.limits.gap

    def seconds(self) -> float:
        """Return the seconds that are left for solving."""
        return self.report.remaining() - MARGIN

    def over(self) -> bool:
        """Return whether there is no time left or somebody asked to end."""
        return self.seconds() <= 0.0 or self.report.stop_requested()

    def ended(self) -> Stop:
        """Return why a search stops now."""
        if self.reached:
            return Stop.OPTIMAL if self.met else Stop.GAP
        if self.report.stop_requested():
            return Stop.INTERRUPTED
        return Stop.TIME_LIMIT if self.over() else Stop.ITERATIONS

    def result(
        self, stop: Stop, *, options: Mapping[str, Any] | None = None, message: str = ""
    ) -> SolveResult:
        """Return the result."""
        bound = self.lower if np.isfinite(self.lower) else None
        if 0.0 < self.lower - self.cost <= ROUNDING * max(1.0, abs(self.cost)):
            bound = self.cost
        counts, options = self.counts, options or {}
        return self._with(
            bound, self.source, stop=stop, counts=counts, options=options, message=message
        )
