"""
A certified lower bound for RS-JS by column generation (sifting), and its reuse at the next event.

The linear program of form E is solved over few columns; every column is priced with its multipliers
(`Pricing`: a bound each time), and the cheapest are added, until the program's value meets the best
bound (rsjs.md 5.1). It starts with every s-th job and 1/s of the nodes: the multipliers of such a
sample are good ones, around which a box is put (`RestrictedLp`), and so are those of a similar
instance on the same cluster.

The bound is the Lagrangian L(lambda) of form E (`pricing`). Its multipliers are prices of room on
the cluster: where jobs come and go and the cluster stays, those of the last solution are nearly the
best for the next.

>>> from rsjs.formulations.rsjs.aggregated import column_generation
>>> from rsjs.instances.generators.sts import generate
>>> instance = generate(nodes=10, jobs=40, seed=1)
>>> first = column_generation.lower_bound(instance)
>>> later = generate(nodes=10, jobs=41, seed=1)  # the same 40 jobs and one more

One evaluation gives a bound at once, column generation from the old multipliers the best one:

>>> quick = column_generation.certified(later, first.multipliers)
>>> best = column_generation.lower_bound(later, start=first.multipliers)
>>> 0.99 * best.bound < quick <= best.bound
True

Multipliers are a plain array with one entry for each row, in $ per unit of room; `numpy.save` keeps
them. Those of a cluster with other rows are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.rsjs.aggregated.model import AggregatedModel
from rsjs.formulations.rsjs.aggregated.pricing import LpSolution, Pricing, RestrictedLp
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes

FIRST, MORE = 6, 4  # columns of a job to start with, and to add at a time
SAMPLE, SHRINK = 40, 8  # least number of jobs of a sample, jobs of one sample for one of the next
EXTRA = 20  # columns for each row to start with, around good multipliers
BOX, WIDER, LEAST_BOX = 0.3, 2.0, 0.01  # half width of the box, its growth, in median multipliers
ROUGH = 1e-4  # tolerance for samples, and what counts as about the best bound
LEAST = 1e-9  # [$]
MOST_ITERATIONS = 200
TIGHTEST = 1e-9  # relative tolerance of the bound, however small the gap asked for
MARGIN = 0.02  # seconds of the limit kept for the answer
NO_SOLUTION = "no decision satisfies open_nodes"


@dataclass(frozen=True, eq=False)
class ColumnGenerationResult:
    """The best bound, and statistics of the column generation."""

    bound: float  #: the best L, or 0: no decision costs less than nothing [$]
    multipliers: Floats  #: (R,) those of the best L, to start the next call with
    #: value of the linear program [$], which no L exceeds; None if it was not solved to the end
    relaxed: float | None
    columns: Ints  #: (2, n) column types and jobs of the columns of the linear program
    x: Floats  #: (n,) its last solution
    iterations: int  #: linear programs over all jobs


def generate_columns(
    pricing: Pricing,
    *,
    tolerance: float = 1e-5,
    start: Floats | None = None,
    on_bound: Callable[[float], None] = lambda bound: None,
    seconds: Callable[[], float] = lambda: np.inf,
    stop: Callable[[], bool] = lambda: False,
) -> ColumnGenerationResult:
    """
    Raise the bound by column generation until it meets the linear program; valid whenever it stops.

    Parameters
    ----------
    tolerance : float
        Relative difference between program and bound at which to end.
    start : (R,) float, optional
        Multipliers of an instance on the same cluster.
    on_bound : callable
        Called with each better bound [$].
    seconds : callable
        Time that is left [s].
    stop : callable
        Whether to end early.
    """
    if start is None:
        for size in _samples(len(pricing.postponement)):
            sample = _ColumnGeneration(pricing.sample(size), start, lambda bound: None)
            start = sample.run(max(tolerance, ROUGH), seconds, stop).multipliers
    else:
        start = pricing.usable(start)
    return _ColumnGeneration(pricing, start, on_bound).run(tolerance, seconds, stop)


def _samples(jobs: int) -> list[int]:
    """Return numbers of jobs of the samples, ascending; none for few jobs."""
    sizes: list[int] = []
    while jobs > 2 * SAMPLE:
        jobs = max(SAMPLE, jobs // SHRINK)
        sizes.append(jobs)
    return sizes[::-1]


class _ColumnGeneration:
    """Column generation for one pricing problem, from multipliers that are good or from none."""

    def __init__(
        self, pricing: Pricing, start: Floats | None, on_bound: Callable[[float], None]
    ) -> None:
        self.pricing, self.on_bound = pricing, on_bound
        self.best, self.multipliers = -np.inf, np.zeros(len(pricing.upper))
        self.centre, self.width = start, BOX
        self.reach = 10.0 * float(np.where(np.isfinite(pricing.costs), pricing.costs, 0.0).max())
        values = self._price(self.multipliers if start is None else start)
        self.lp = RestrictedLp(pricing)
        types, jobs = self._cheapest(values, FIRST, np.full(values.shape[1], np.inf))
        if start is not None:
            least = np.minimum(pricing.postponement, values.min(axis=0))
            excess = values[types, jobs] - least[jobs]
            most = values.shape[1] + EXTRA * len(pricing.upper)
            kept = np.sort(np.argsort(excess, kind="stable")[:most])
            types, jobs = types[kept], jobs[kept]
        self.lp.add(types, jobs)

    def run(
        self, tolerance: float, seconds: Callable[[], float], stop: Callable[[], bool]
    ) -> ColumnGenerationResult:
        """Solve, price and add columns until program and bound meet."""
        relaxed, x, iterations = None, np.zeros(0), 0
        while relaxed is None and iterations < MOST_ITERATIONS and not stop():
            found = self.lp.solve(*self._box(), seconds())
            if found is None:
                break
            iterations, x, before = iterations + 1, found.x, self.best
            # price every column: a bound, and the columns cheaper than the price of their job
            values = self._price(found.multipliers)
            close = found.value - self.best <= tolerance * abs(found.value) + LEAST
            limit = found.prices - 1e-9 * np.maximum(1.0, np.abs(found.prices))
            types, jobs = self._cheapest(values, MORE, limit)
            if not found.box_binds and (close or not types.size):
                relaxed = found.value
            else:
                self.lp.add(types, jobs)
                self._move(found, improved=self.best > before)
        columns = np.stack([self.lp.types[: len(x)], self.lp.jobs[: len(x)]])
        bound = max(0.0, self.best)
        return ColumnGenerationResult(bound, self.multipliers, relaxed, columns, x, iterations)

    def _price(self, multipliers: Floats) -> Floats:
        values = self.pricing.values(multipliers)
        self.last = self.pricing.bound(multipliers, values)
        if self.last > self.best:
            self.best, self.multipliers = self.last, multipliers
            self.on_bound(max(0.0, self.best))
        return values

    def _box(self) -> tuple[Floats, Floats]:
        free = self.pricing.free
        if self.centre is None:
            return np.where(free, -self.reach, 0.0), np.where(free, self.reach, np.inf)
        size = np.abs(self.centre)
        least = float(np.median(size[size > 0])) if size.any() else self.reach
        low = self.centre - self.width * size - np.where(free, LEAST_BOX * least, 0.0)
        high = self.centre + self.width * size + LEAST_BOX * least
        return np.where(free, low, np.maximum(0.0, low)), high

    def _move(self, found: LpSolution, *, improved: bool) -> None:
        """Put the box around the last multipliers if they are about the best; widen it if not."""
        if self.centre is not None:
            near = self.last >= self.best - ROUGH * abs(self.best)
            self.centre = found.multipliers if near else self.multipliers
            if not improved:
                self.width *= WIDER
        elif found.box_binds:
            self.reach *= 10.0

    def _cheapest(self, values: Floats, most: int, limit: Floats) -> tuple[Ints, Ints]:
        """Return up to `most` columns of each job that are below the job's limit and not yet in."""
        most = min(most, len(values))
        types = np.argpartition(values, most - 1, axis=0)[:most]
        jobs = np.broadcast_to(np.arange(values.shape[1]), types.shape)
        wanted = (values[types, jobs] < limit) & ~self.lp.present[types, jobs]
        return types[wanted], jobs[wanted]


def lower_bound(instance: Instance, **how: Any) -> ColumnGenerationResult:
    """
    Return the bound of form E's linear program, or nearly so; `how` as in `generate_columns`.

    Raises
    ------
    ValueError
        In one line, if form E does not serve the instance or `start` is of another cluster.
    """
    return generate_columns(Pricing.of(AggregatedModel.of(instance, "rows")), **how)


def certified(instance: Instance, multipliers: Floats) -> float:
    """
    Return L(lambda) for multipliers (R,) of any origin: one evaluation of all columns [$].

    Negative multipliers of inequality rows count as 0. ValueError as in `lower_bound`.
    """
    pricing = Pricing.of(AggregatedModel.of(instance, "rows"))
    usable = pricing.usable(multipliers)
    return max(0.0, pricing.bound(usable, pricing.values(usable)))


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Raise the bound until it meets form E's linear program within a tenth of the gap."""
    if infeasible(instance):
        return SolveResult(stop=Stop.INFEASIBLE, message=NO_SOLUTION)
    with report.phase("solve"):
        result = lower_bound(
            instance,
            tolerance=max(TIGHTEST, call.limits.gap / 10),
            on_bound=report.bound,
            seconds=lambda: report.remaining() - MARGIN,
            stop=lambda: report.remaining() <= MARGIN or report.stop_requested(),
        )
    stop = Stop.ITERATIONS
    if result.relaxed is None and report.stop_requested():
        stop = Stop.INTERRUPTED
    elif result.relaxed is None and report.remaining() <= MARGIN:
        stop = Stop.TIME_LIMIT
    return SolveResult(
        stop=stop,
        bound=result.bound,
        bound_source="lagrangian",
        bound_variant="instance",
        counts={"iterations": result.iterations, "columns": result.columns.shape[1]},
    )


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Import the backend HiGHS."""
    BACKENDS["highs"].load()


def infeasible(instance: Instance) -> bool:
    """Return whether fewer nodes can have a job than "rsjs_eq" asks for."""
    if instance.objective.open_nodes != "rsjs_eq":
        return False
    feasible = replace(instance.objective, open_nodes="rsjs_eq_feasible")
    return required_nodes(replace(instance, objective=feasible)) < required_nodes(instance)
