"""
The Lagrangian dual of Jahani's problem: a certified bound from a price for each kind of mode.

Any multipliers pi >= 0 on the rows (slots) of `mode_model` give the lower bound

    D(pi) = sum_j (P_j + min(0, min_s (C_js - P_j + pi_s)))
            + min { sum_kv mu s_v L_kv - sum_s pi_s y_s : (source), (flow), (nodes), (class) }

on the cost of every solution, y_s the slots of mode s: the second minimum is a knapsack for each
node type. All columns are priced in plain arrays, and a margin above what double precision can
lose is subtracted. The maximum of D is the bound of the linear program of `jahani_patterns`.

D is maximised in a box that moves (`boxstep`): in each box exactly, over as many columns as a
small program has; the box is as wide as they allow, and more are allowed whenever it binds. The
first multipliers are those of a small sample of the jobs on as large a share of the nodes, whose
dual is solved whole, then of larger samples; or those of a similar instance on the same cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.backend import ignore, never
from rsjs.formulations.jahani import boxstep
from rsjs.formulations.jahani.boxstep import Basis
from rsjs.formulations.jahani.mode_model import ModeModel
from rsjs.formulations.jahani.restricted_milp import alternatives

SAMPLE, SHRINK = 50, 8  # least number of jobs of a sample, jobs of one sample for one of the next
COLUMNS, MORE = 6000, 2.0  # columns of open jobs to begin with, and for one when the box binds
WIDE = 0.5  # half width of the first box around multipliers, for one of them
LEAST = 1e-4  # least of what widths are relative to, in the most a mode is worth
ROUGH = 1e-5  # tolerance for samples
MOST_ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Dual:
    """The best bound and its relaxed solution."""

    bound: float  # [$]
    multipliers: Floats  # (S,) to start the next call with [$]
    optimal: bool  # whether no multipliers are better
    choice: Ints  # (J,) mode of each job in the linear program, -1 = postponed
    flow: Floats  # (Y,) nodes and arcs in it
    iterations: int


def usable(model: ModeModel, multipliers: Floats) -> Floats:
    """Return multipliers >= 0; ValueError if they are of another cluster."""
    slots = len(model.gain)
    if multipliers.shape != (slots,):
        raise ValueError(f"{len(multipliers)} multipliers for {slots} slots: of another cluster")
    return np.maximum(0.0, multipliers)


def maximise(
    model: ModeModel,
    *,
    start: Floats | None = None,
    on_bound: Callable[[float], None] = ignore,
    seconds: Callable[[], float] = lambda: float("inf"),
    stop: Callable[[], bool] = never,
) -> Dual:
    """
    Maximise the bound D(pi).

    Parameters
    ----------
    start : (S,) float, optional
        Multipliers of a similar instance on the same cluster.
    on_bound : callable
        Called with each better bound.
    seconds : callable
        Time that is left [s].
    stop : callable
        Whether to end early.
    """
    width, flow = WIDE, None
    if start is not None:
        start = usable(model, start)
    else:
        for size in _samples(model.jobs):
            ascent = _Ascent(model.sample(size), start, width, ignore)  # bounds of other problems
            found = ascent.run(ROUGH, seconds, stop)
            start, width = found.multipliers, ascent.width
            flow = found.flow * (model.jobs / size)
    return _Ascent(model, start, width, on_bound, flow).run(0.0, seconds, stop)


class _Ascent:
    """The way up from multipliers that are good, or from none."""

    def __init__(
        self,
        model: ModeModel,
        start: Floats | None,
        width: float,
        on_bound: Callable[[float], None],
        flow: Floats | None = None,
    ) -> None:
        self.model, self.width, self.on_bound = model, width, on_bound
        self.columns = COLUMNS if start is not None else np.inf
        worth = -float(np.where(np.isfinite(model.gain), model.gain, 0.0).min(initial=0.0))
        self.highest = worth  # no mode is worth more to any job
        self.best, self.multipliers = -np.inf, np.zeros(len(model.gain))
        self.offer(np.full(len(model.gain), worth / 2) if start is None else start)
        if flow is None:
            flow = np.zeros(len(model.cuts.cost))
            worth_of_nodes = model.cuts.most_valuable(self.multipliers)
            for _, c, slots, _, number in model.cheapest_nodes(worth_of_nodes):
                flow[c] = number
                flow[model.cuts.path(int(model.cuts.of_type[c]), slots)] += number
        self.flow = flow

    def offer(self, multipliers: Floats) -> None:
        """Keep and report multipliers if they are the best so far."""
        bound = certified(self.model, multipliers)
        if bound > self.best:
            self.best, self.multipliers = bound, multipliers
            self.on_bound(bound)

    def run(self, tolerance: float, seconds: Callable[[], float], stop: Callable[[], bool]) -> Dual:
        """Maximise in box after box until none binds or the bound hardly rises."""
        basis = boxstep.first_basis(self.model, self.multipliers)
        centre, optimal, iterations = self.multipliers, False, 0
        reduced = self.model.gain + centre[:, None]
        choice = np.where(reduced.min(axis=0) < 0.0, reduced.argmin(axis=0), -1)
        while iterations < MOST_ITERATIONS and not optimal and not stop():
            low, high = self._box(centre, basis)
            solution = boxstep.solve(self.model, low, high, centre, basis, seconds())
            if solution is None:
                break
            iterations, before = iterations + 1, self.best
            centre, basis = solution.multipliers, solution.basis
            choice, self.flow = solution.choice, solution.flow
            self.offer(centre)
            optimal = not solution.binds
            # the box binds: allow more columns and a wider box around the new multipliers
            if self.best - before <= tolerance * abs(self.best):
                break
            self.columns *= MORE
            self.width *= 2.0
        return Dual(self.best, self.multipliers, optimal, choice, self.flow, iterations)

    def _box(self, centre: Floats, basis: Basis) -> tuple[Floats, Floats]:
        """Return the box, as wide as the number of columns allows."""
        if not np.isfinite(self.columns):
            return np.zeros(len(centre)), np.full(len(centre), self.highest)
        scale = np.maximum(centre, max(centre.mean(), LEAST * self.highest))
        while True:
            half = self.width * scale
            low, high = np.maximum(0.0, centre - half), centre + half
            number = alternatives(*boxstep.useful(self.model, low, high, basis))
            if number[number > 1].sum() <= self.columns or self.width < 1e-9:
                return low, high
            self.width /= 2.0


def _samples(jobs: int) -> list[int]:
    """Return the sizes of the samples, the smallest first."""
    sizes = [jobs]
    while sizes[-1] > 2 * SAMPLE:
        sizes.append(max(SAMPLE, sizes[-1] // SHRINK))
    return sizes[:0:-1]


def certified(model: ModeModel, multipliers: Floats) -> float:
    """Return D(pi) for multipliers >= 0 of any origin, less the margin for rounding."""
    saved = (model.gain + multipliers[:, None]).min(axis=0, initial=0.0)
    worth = model.cuts.most_valuable(multipliers)
    nodes = sum(price * number for *_, price, number in model.cheapest_nodes(worth))
    # margin: what double precision can lose in these sums
    size = max(value for value, _ in worth.values()) + model.cuts.cost.max()
    terms = (model.postponement - saved).sum() + model.jobs * multipliers.max(initial=0.0)
    margin = 1e-13 * float(terms + model.nodes * size)
    return float((model.postponement + saved).sum()) + nodes - margin
