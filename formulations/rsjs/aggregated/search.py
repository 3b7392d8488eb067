"""
RS-JS by column generation: a certified bound, and a solution from the few columns that can matter.

1. `column_generation` gives multipliers, the bound L and a solution of the linear program. Its
   columns at one are packed, what is left is put where it costs least, and single jobs move
   (`improve`).
2. The columns with the smallest reduced costs d_lj = c_lj + (A^T lambda)_l - min(P_j, min_l ...)
   make an integer program, with splits: what it finds is packed. A solution that uses a column left
   out costs at least L + its d, so min(bound of the program, L + least d left out) is a bound.
3. Where the gap stays above the goal, the program is made again with every column of d <= UB - L,
   or four times as many columns if those are more; with all of them its bound is final.

Source: rsjs.md 5; the integer program is that of `rsjs_classes` with packing "splits".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Bools
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.incumbent import BoundTracker
from rsjs.formulations.rsjs.aggregated import model
from rsjs.formulations.rsjs.aggregated.capacity_rows import pack
from rsjs.formulations.rsjs.aggregated.column_generation import (
    NO_SOLUTION,
    ColumnGenerationResult,
    generate_columns,
    infeasible,
)
from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads, improve
from rsjs.formulations.rsjs.aggregated.model import LEFT_OVER, AggregatedModel, column_types_of_jobs
from rsjs.formulations.rsjs.aggregated.pricing import Pricing
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

BASE, PER_JOB, GROWTH = 2000, 2, 4  # columns of the first program, and of the next for one
TIGHTER = 10.0  # gap of the program; HiGHS' heuristics find less with a wide one, `reached` ends it
TIGHTEST = 1e-7  # relative tolerance of the bound, however small the gap asked for


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Find a solution with a proven gap."""
    if infeasible(instance):
        return SolveResult(stop=Stop.INFEASIBLE, message=NO_SOLUTION)
    search = _ColumnSearch(instance, call, report)
    with report.phase("bound"):
        relaxation = search.bound()
    with report.phase("round"):
        search.round(relaxation)
    with report.phase("search"):
        stop = search.prove(relaxation)
    return search.result(stop, message=LEFT_OVER if stop is Stop.ITERATIONS else "")


class _ColumnSearch(BoundTracker):
    """From the relaxation to a decision that meets its bound."""

    def __init__(self, instance: Instance, call: Call, report: Report) -> None:
        super().__init__(instance, call, report)
        self.counts |= {"iterations": 0, "programs": 0}
        with report.phase("build"):
            self.data = AggregatedModel.of(instance, "rows")
            self.pricing = Pricing.of(self.data)

    def bound(self) -> ColumnGenerationResult:
        """Find multipliers and the bound they give."""
        relaxation = generate_columns(
            self.pricing,
            tolerance=max(TIGHTEST, self.call.limits.gap / 20),
            on_bound=lambda bound: self.raise_to(bound, "lagrangian"),
            seconds=self.seconds,
            stop=self.over,
        )
        self.counts["iterations"] = relaxation.iterations
        return relaxation

    def round(self, relaxation: ColumnGenerationResult) -> None:
        """Pack the columns of the linear program that are at one."""
        if self.data.required is not None:
            return
        column_type = np.full(len(self.instance.jobs), -1)
        worth = np.zeros(len(column_type))
        types, jobs = relaxation.columns[:, relaxation.x > 0.5]
        column_type[jobs] = types
        worth[jobs] = self.pricing.postponement[jobs] - self.pricing.costs[types, jobs]
        self._improved(pack(self.instance, self.data.types, column_type, worth))

    def _improved(self, decision: Solution) -> None:
        loads = NodeLoads(self.instance, self.data.types, self.data.mode_costs).load(decision)
        improve(loads, open_nodes=self.data.required is None, stop=self.over)
        self.offer(loads.solution())

    def prove(self, relaxation: ColumnGenerationResult) -> Stop:
        """Solve integer programs over more and more columns until the goal is reached."""
        # excess: reduced costs; what is left out costs at least the bound plus its excess
        values = self.pricing.values(relaxation.multipliers)
        lower = self.pricing.bound(relaxation.multipliers, values)
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
        return self.ended()

    def _program(self, kept: Bools, others: float) -> Stop:
        """Solve the integer program over these columns; other solutions cost at least `others`."""
        if self.best is not None:
            types = column_types_of_jobs(self.data, self.best)
            kept[list(types.values()), list(types)] = True
        data = self.data.restricted(kept, "splits")
        matrix = model.arrays(data)
        self.counts |= matrix.counts
        self.counts["programs"] += 1
        task = SolveTask(
            matrix,
            replace(self.call.limits, gap=self.call.limits.gap / TIGHTER),
            seconds=self.seconds(),
            start=None if self.best is None else model.warm_start(data, self.best),
            on_incumbent=lambda x: self.offer(model.extract(data, x)),
            on_bound=lambda bound: self.raise_to(min(bound, others), "solver"),
            stop=lambda: self.reached or self.report.stop_requested(),
            log=self.call.log,
        )
        raw = backend("highs").load()(task)
        if raw.bound is not None:
            self.raise_to(min(raw.bound, others), "solver")
        if self.best is not None and not self.reached:
            self._improved(self.best)
        return raw.stop
