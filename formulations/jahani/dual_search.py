"""
Jahani's problem by its Lagrangian dual: a decision with a proven gap from few columns.

1. `jahani_dual` gives multipliers pi, the bound D and the nodes of each pattern in the relaxed
   problem. They are rounded (`jahani_rounding`); for nodes in whole numbers the best slots of the
   jobs are those of the same dual with L fixed, whose linear program has integral vertices.
2. The alternatives of the jobs with the least reduced costs
   d_js = C_js - P_j + pi_s - min(0, min_t ...), postponement included, make a small integer
   program (`jahani_open_jobs`). A decision that uses another one costs at least D + its d, so
   min(bound of the program, D + least d left out) is a bound.
3. Where the gap stays above the goal, the program is made again with every alternative of
   d <= UB - D, or four times as many if those are more. The first case is final: nothing better
   is left out.

Source: jahani.md 4.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.method import Call, Method, Report, SolveResult, Stop
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.backend import RawResult
from rsjs.formulations.jahani import lagrangian
from rsjs.formulations.jahani.lagrangian import Dual
from rsjs.formulations.jahani.restricted_milp import OpenJobColumns, program
from rsjs.formulations.jahani.rounding import assignment, decision, fitted, rounded
from rsjs.formulations.jahani.slot_model import Slots
from rsjs.formulations.milp.incumbent import BoundTracker
from rsjs.formulations.milp.solve import chosen_solver
from rsjs.instances.instance import Instance

FIRST, GROWTH = 1500, 4  # alternatives beyond each job's best in the first program, and for one


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve by the Lagrangian dual, which HiGHS maximises; the solver asked for does the rest."""
    search = _DualSearch(instance, call, report)
    with report.phase("bound"):
        dual = search.bound()
    with report.phase("round"):
        search.round(dual)
    with report.phase("search"):
        stop = search.prove(dual)
    if search.last is None:
        return search.result(stop)
    return search.result(stop, options=search.last.options, message=search.last.status)


def prepare(_method: Method, call: Call, _jobs: int) -> None:
    """Import the solver; HiGHS is imported with this module."""
    chosen_solver(call).load()


class _DualSearch(BoundTracker):
    """From the dual to a decision that meets its bound."""

    def __init__(self, instance: Instance, call: Call, report: Report) -> None:
        super().__init__(instance, call, report)
        self.counts |= {"iterations": 0, "programs": 0}
        self.last: RawResult | None = None  # of the integer programs
        with report.phase("build"):
            self.slots = Slots.of(instance)
        self.model = self.slots.model

    def bound(self) -> Dual:
        """Multipliers and the bound they give."""
        dual = lagrangian.maximise(
            self.model,
            on_bound=lambda bound: self.raise_to(bound, "lagrangian"),
            seconds=self.seconds,
            stop=self.over,
        )
        self.counts["iterations"] = dual.iterations
        return dual

    def round(self, dual: Dual) -> None:
        """A decision near the relaxed one."""
        counts = rounded(self.model, dual.counts, dual.multipliers)
        self.offer(decision(self.slots, fitted(self.slots, dual.choice, counts)))
        self.refill(counts, dual.multipliers)

    def refill(self, counts: Ints, multipliers: Floats) -> None:
        """Jobs in their best slots, all columns considered, for whole numbers of nodes."""
        if self.over() or self.reached:
            return
        fixed = self.model.with_patterns(counts.astype(float))
        found = lagrangian.maximise(fixed, start=multipliers, seconds=self.seconds, stop=self.over)
        self.offer(decision(self.slots, fitted(self.slots, found.choice, counts)))

    def prove(self, dual: Dual) -> Stop:
        """Integer programs, until the goal is reached."""
        if not self.reached and not self.over():
            self._programs(dual)
        return self.ended()

    def _programs(self, dual: Dual) -> None:
        """Over more and more columns, at last over all that can be in a better decision."""
        reduced = self.model.gain + dual.multipliers[:, None]
        least = np.minimum(0.0, reduced.min(axis=0))
        excess = np.vstack([reduced - least, -least])  # the last row: postponed
        order = np.sort(excess[np.isfinite(excess)])
        number, left_out = FIRST, 0.0
        while not self.reached and not self.over() and dual.bound + left_out < self.cost:
            needed = int(np.searchsorted(order, self.cost - dual.bound, side="right"))
            most = order[min(needed, self.model.jobs + number, len(order)) - 1]
            left_out = float(np.min(order[order > most], initial=np.inf))
            self._program(excess <= most, dual, dual.bound + left_out)
            number *= GROWTH

    def _program(self, kept: Bools, dual: Dual, others: float) -> None:
        """The integer program over these columns; `others`: what a decision with others costs."""
        assert self.best is not None, "rounding has made a decision"
        begin = assignment(self.slots, self.best)
        kept[begin.choice, np.arange(self.model.jobs)] = True  # -1: postponed
        columns = OpenJobColumns.of(kept[:-1], kept[-1])
        matrix = program(self.model, columns)
        self.counts |= matrix.counts
        self.counts["programs"] += 1
        taken = begin.choice[columns.job] == columns.slot

        def found(x: Floats) -> None:
            placed, counts = x[: len(taken)], np.rint(x[len(taken) :]).astype(np.int64)
            self.offer(decision(self.slots, fitted(self.slots, columns.choice(placed), counts)))

        def bounded(bound: float) -> None:
            self.raise_to(min(bound, others), "solver")

        raw = self.last = chosen_solver(self.call).load()(
            matrix,
            self.call.limits,
            seconds=self.seconds(),
            start=np.concatenate([taken, begin.counts]).astype(float),
            on_incumbent=found,
            on_bound=bounded,
            stop=lambda: self.reached or self.report.stop_requested(),
            log=self.call.log,
        )
        if raw.bound is not None:
            bounded(raw.bound)
        self.refill(assignment(self.slots, self.best).counts, dual.multipliers)
