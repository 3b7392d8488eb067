"""
Jahani's problem by its Lagrangian dual: a solution with a proven gap from few columns.

1. `lagrangian` gives multipliers pi, the bound D and the flows L, y of the relaxed problem, which
   are taken apart into patterns, the slots of a node. These are rounded: whole nodes stay; nodes
   left over are cut one by one by the pattern that brings the modes offered nearest to those of
   the relaxed problem; then single nodes take another pattern as long as that brings them nearer
   still. Distance: modes too few and too many, and the reduced costs of the patterns in units of
   the mean multiplier. For nodes in whole numbers the best modes of the jobs are those of the dual
   with L and y fixed, whose linear program has integral vertices.
2. The alternatives of the jobs with the smallest reduced costs
   d_js = C_js - P_j + pi_s - min(0, min_t ...), postponement included, make a small integer
   program (`restricted_milp`). A solution that uses another one costs at least D + its d, so
   min(bound of the program, D + smallest d left out) is a bound. The first program has those nodes
   and arcs that the relaxed problem uses; the others have reduced costs as well (`NodeCuts`).
3. Where the gap stays above the goal, the program is made again with four times as many
   alternatives, nodes and arcs, or with all of d <= UB - D: for alternatives if those are more,
   for nodes and arcs if those are fewer. With all of both nothing better is left out.
4. Where all nodes have more than LARGE GPUs, relaxations without arcs come first (`without_arcs`):
   far smaller, and what their jobs take is packed onto the nodes. They end when it does not fit.

Source: jahani.md 4.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.backend import RawResult, SolveTask
from rsjs.formulations.jahani import lagrangian
from rsjs.formulations.jahani.lagrangian import Dual
from rsjs.formulations.jahani.mode_model import InstanceModes
from rsjs.formulations.jahani.node_patterns import (
    Cuts,
    assignment,
    decision,
    fitted,
    flow_of,
    packed,
    patterns_of,
    rounded,
)
from rsjs.formulations.jahani.restricted_milp import OpenJobColumns, program, without_arcs
from rsjs.formulations.milp.incumbent import BoundTracker
from rsjs.formulations.milp.solve import chosen_solver
from rsjs.formulations.modes.arc_flow import SMALL
from rsjs.instances.instance import Instance

LARGE = 24  # GPUs of a node; up to as many, models with arcs prove more in the same time
NEARLY = 0.1  # gap at which to end a program that leaves out columns, for one of the whole gap
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
            self.modes = InstanceModes.of(instance)
        self.model = self.modes.model

    def bound(self) -> Dual:
        """Find multipliers and the bound they give."""
        dual = lagrangian.maximise(
            self.model,
            on_bound=lambda bound: self.raise_to(bound, "lagrangian"),
            seconds=self.seconds,
            stop=self.over,
        )
        self.counts["iterations"] = dual.iterations
        return dual

    def round(self, dual: Dual) -> None:
        """Round the relaxed solution."""
        cuts = rounded(self.modes, dual.flow, dual.multipliers)
        self.offer(decision(self.modes, fitted(self.modes, dual.choice, cuts)))
        self.refill(cuts, dual.multipliers)

    def refill(self, cuts: Cuts, multipliers: Floats) -> None:
        """Assign the jobs to their best modes for nodes that are cut, over all columns."""
        if self.over() or self.reached:
            return
        fixed = self.model.with_flow(flow_of(self.modes, cuts))
        found = lagrangian.maximise(fixed, start=multipliers, seconds=self.seconds, stop=self.over)
        self.offer(decision(self.modes, fitted(self.modes, found.choice, cuts)))

    def prove(self, dual: Dual) -> Stop:
        """Solve integer programs until the goal is reached."""
        if not self.reached and not self.over():
            cuts = self.model.cuts
            if cuts.sizes[cuts.of_type].min() > LARGE:
                self._programs(dual, arcs=False)
            self._programs(dual, arcs=True)
        return self.ended()

    def _programs(self, dual: Dual, *, arcs: bool) -> None:
        """Solve them over more and more columns, at last all that can be in a better solution."""
        reduced = self.model.gain + dual.multipliers[:, None]
        least = np.minimum(0.0, reduced.min(axis=0))
        # reduced costs d of the alternatives of each job
        excess = np.vstack([reduced - least, -least])  # the last row: postponed
        order = np.sort(excess[np.isfinite(excess)])
        # nodes and arcs by reduced costs; of equals those of the relaxed problem first
        of_flow, relaxed = self.model.cuts.reduced_costs(dual.multipliers), dual.flow > SMALL
        if not arcs:
            of_flow, relaxed = of_flow[:0], relaxed[:0]
        rank = np.lexsort((~relaxed, of_flow))
        number, cuts, left_out = FIRST, max(1, int(relaxed.sum())), 0.0
        while not self.reached and not self.over() and dual.bound + left_out < self.cost:
            goal = self.cost - dual.bound
            needed = int(np.searchsorted(order, goal, side="right"))
            most = order[min(needed, self.model.jobs + number, len(order)) - 1]
            usable, unused = np.split(rank, [min(cuts, int((of_flow <= goal).sum()))])
            left_out = float(np.min(order[order > most], initial=np.inf))
            left_out = min(left_out, float(np.min(of_flow[unused], initial=np.inf)))
            others = dual.bound + left_out
            found = self._program(excess <= most, usable if arcs else None, dual, others)
            if not arcs and self.cost - found > NEARLY * (self.cost - dual.bound):
                return  # it does not fit on the nodes
            number, cuts = number * GROWTH, cuts * GROWTH

    def _program(self, kept: Bools, cuts: Ints | None, dual: Dual, others: float) -> float:
        """
        Solve the integer program over few columns; return the cost of its solution, inf if none.

        Parameters
        ----------
        kept : (S + 1, J) bool
            Alternatives; the last row is to be postponed.
        cuts : (n,) int
            Columns of nodes and arcs; those of the best solution are added. None: without arcs.
        others : float
            What solutions with other columns cost at least [$].
        """
        assert self.best is not None, "rounding has made a decision"
        begin = assignment(self.modes, self.best)
        kept[begin.choice, np.arange(self.model.jobs)] = True  # -1: postponed
        columns = OpenJobColumns.of(kept[:-1], kept[-1])
        flow = flow_of(self.modes, begin.cuts)
        if cuts is None:
            flow = flow[: len(self.model.cuts.of_class)]
            matrix = without_arcs(self.model, columns)
        else:
            usable = flow > 0
            usable[cuts] = True
            matrix = program(self.model, columns, usable=usable)
        self.counts |= matrix.counts
        self.counts["programs"] += 1
        taken = begin.choice[columns.job] == columns.mode
        lower = -np.inf

        def found(x: Floats) -> None:
            choice = columns.choice(x[: len(taken)])
            flow = np.rint(x[len(taken) :]).astype(np.int64)
            made = (
                packed(self.modes, choice, flow) if cuts is None else patterns_of(self.modes, flow)
            )
            self.offer(decision(self.modes, fitted(self.modes, choice, made)))

        def bounded(bound: float) -> None:
            nonlocal lower
            lower = max(lower, bound)
            self.raise_to(min(bound, others), "solver")

        def enough() -> bool:
            """Whether a relaxation has told what it can: more columns tell more."""
            near = self.cost - lower <= NEARLY * (self.cost - dual.bound)
            return cuts is None and lower >= others and near

        task = SolveTask(
            matrix,
            self.call.limits,
            seconds=self.seconds(),
            start=np.concatenate([taken, flow]).astype(float),
            on_incumbent=found,
            on_bound=bounded,
            stop=lambda: self.reached or self.report.stop_requested() or enough(),
            log=self.call.log,
        )
        raw = self.last = chosen_solver(self.call).load()(task)
        if raw.bound is not None:
            bounded(raw.bound)
        self.refill(assignment(self.modes, self.best).cuts, dual.multipliers)
        return np.inf if raw.objective is None else raw.objective
