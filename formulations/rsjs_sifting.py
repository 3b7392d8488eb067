"""
RS-JS by sifting: a certified bound, and a schedule from the few columns that can matter.

1. `class_sifting` gives multipliers, the bound L and a solution of the linear program. Its columns
   at one are packed, what is left is put where it costs least, and single jobs move (`improve`).
2. The columns with the least reduced costs d_lj = c_lj + (A^T lambda)_l - min(P_j, min_l ...) make
   an integer program, with splits: what it finds is packed. A decision that uses a column left
   out costs at least L + its d, so min(bound of the program, L + least d left out) is a bound.
3. Where the gap stays above the goal, the program is made again with every column of d <= UB - L,
   or four times as many columns if those are more; with all of them its bound is final.

Source: rsjs.md 5; the integer program is that of `rsjs_classes` with packing "splits".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations import rsjs_classes
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.backends.relay import relative_gap, settled
from rsjs.formulations.class_packing import pack
from rsjs.formulations.class_pricing import Pricing
from rsjs.formulations.class_sifting import Sifted, sift
from rsjs.formulations.class_vectors import roles_of_jobs
from rsjs.formulations.node_loads import NodeLoads
from rsjs.formulations.reinsertion import improve
from rsjs.formulations.rsjs_classes_data import ClassModel
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

BASE, PER_JOB, GROWTH = 2000, 2, 4  # columns of the first program, and of the next for one
MARGIN = 0.1  # seconds of the limit kept for the answer
TIGHTER = 10.0  # gap of the program; HiGHS' heuristics find less with a wide one, `reached` ends it
TIGHTEST = 1e-7  # relative tolerance of the bound, however small the gap asked for


def solve(instance: Instance, call: Call, report: Report) -> SolveResult:
    """A schedule with a proven gap."""
    search = _Search(instance, call, report)
    with report.phase("bound"):
        sifted = search.bound()
    with report.phase("round"):
        search.round(sifted)
    with report.phase("search"):
        stop = search.prove(sifted)
    return search.result(stop)


class _Search:
    """Incumbent, bound, and what makes them meet."""

    def __init__(self, instance: Instance, call: Call, report: Report) -> None:
        self.instance, self.call, self.report = instance, call, report
        self.best: Solution | None = None
        self.cost, self.lower, self.source = np.inf, -np.inf, "lagrangian"
        self.largest = float(costs.tables(instance).postponement.max())
        self.counts = {"iterations": 0, "programs": 0}
        if call.warm_start is not None:
            self.offer(complete(instance, call.warm_start))
        with report.phase("build"):
            self.data = ClassModel.of(instance, "rows")
            self.pricing = Pricing.of(self.data)

    def offer(self, solution: Solution) -> None:
        """Keep and report a decision if it is the best so far."""
        cost = costs.terms(self.instance, solution).total
        if cost < self.cost:
            self.best, self.cost = solution, cost
            self.report.incumbent(solution, cost)

    def raise_to(self, bound: float, source: str) -> None:
        """Keep and report a bound if it is the best so far."""
        if bound > self.lower:
            self.lower, self.source = bound, source
            self.report.bound(bound)

    @property
    def reached(self) -> bool:
        """Whether decision and bound meet, or are as near as asked for."""
        if self.best is None:
            return False
        near = relative_gap(self.cost, self.lower) <= self.call.limits.gap
        return near or settled(Stop.OPTIMAL, self.cost, self.lower, self.largest) is Stop.OPTIMAL

    def over(self) -> bool:
        """Whether there is no time left or somebody asked to end."""
        return self.report.remaining() <= MARGIN or self.report.stop_requested()

    def bound(self) -> Sifted:
        """Multipliers and the bound they give."""
        sifted = sift(
            self.pricing,
            tolerance=max(TIGHTEST, self.call.limits.gap / 20),
            start=None,
            on_bound=lambda bound: self.raise_to(bound, "lagrangian"),
            seconds=lambda: self.report.remaining() - MARGIN,
            stop=self.over,
        )
        self.counts["iterations"] = sifted.iterations
        return sifted

    def round(self, sifted: Sifted) -> None:
        """A decision from the columns of the linear program that are at one."""
        if self.data.required is not None:
            return
        role = np.full(len(self.instance.jobs), -1)
        worth = np.zeros(len(role))
        roles, jobs = sifted.columns[:, sifted.x > 0.5]
        role[jobs] = roles
        worth[jobs] = self.pricing.postponement[jobs] - self.pricing.costs[roles, jobs]
        self._improved(pack(self.instance, self.data.roles, role, worth))

    def _improved(self, decision: Solution) -> None:
        loads = NodeLoads(self.instance, self.data.roles, self.data.shapes).load(decision)
        improve(loads, open_nodes=self.data.required is None, stop=self.over)
        self.offer(loads.solution())

    def prove(self, sifted: Sifted) -> Stop:
        """Integer programs over more and more columns, until the goal is reached."""
        values = self.pricing.values(sifted.multipliers)
        lower = self.pricing.bound(sifted.multipliers, values)
        excess = values - np.minimum(self.pricing.postponement, values.min(axis=0))
        order = np.sort(excess[np.isfinite(excess)])
        columns, others = BASE + PER_JOB * len(self.instance.jobs), lower
        while not self.reached and not self.over() and others < self.cost:
            most = order[min(columns, len(order)) - 1]
            others = lower + float(np.min(order[order > most], initial=np.inf))
            ended = self._program(excess <= most, others)
            if ended in (Stop.ERROR, Stop.MEMORY_LIMIT):
                return ended
            needed = int(np.searchsorted(order, self.cost - lower, side="right"))
            columns = min(max(2 * columns, needed), GROWTH * columns)
        if self.reached:
            return settled(Stop.OPTIMAL, self.cost, self.lower, self.largest)
        if self.report.stop_requested():
            return Stop.INTERRUPTED
        return Stop.TIME_LIMIT if self.over() else Stop.ITERATIONS

    def _program(self, kept: NDArray[np.bool_], others: float) -> Stop:
        """The integer program over these columns; `others`: what a decision with others costs."""
        if self.best is not None:
            roles = roles_of_jobs(self.data, self.best)
            kept[list(roles.values()), list(roles)] = True
        data = self.data.restricted(kept, "splits")
        matrix = rsjs_classes.arrays(data)
        self.counts |= matrix.counts
        self.counts["programs"] += 1
        raw = backend("highs").load()(
            matrix,
            replace(self.call.limits, gap=self.call.limits.gap / TIGHTER),
            seconds=self.report.remaining() - MARGIN,
            start=None if self.best is None else rsjs_classes.warm_start(data, self.best),
            on_incumbent=lambda x: self.offer(rsjs_classes.extract(data, x)),
            on_bound=lambda bound: self.raise_to(min(bound, others), "solver"),
            stop=lambda: self.reached or self.report.stop_requested(),
            log=self.call.log,
        )
        if raw.bound is not None:
            self.raise_to(min(raw.bound, others), "solver")
        if self.best is not None and not self.reached:
            self._improved(self.best)
        return raw.stop

    def result(self, stop: Stop) -> SolveResult:
        """What is known."""
        known = np.isfinite(self.lower)
        left_over = "the relaxation is solved; not all followers fit as it says"
        return SolveResult(
            stop=stop,
            solution=self.best,
            objective=None if self.best is None else self.cost,
            bound=self.lower if known else None,
            bound_source=self.source if known else None,
            bound_variant="instance" if known else None,
            counts=self.counts,
            message=left_over if stop is Stop.ITERATIONS else "",
        )
