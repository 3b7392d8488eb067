"""
Pricing and restricted master of the aggregated RS-JS model.

`Pricing` prices every column, in plain arrays. With the superadditive rows A x <= b of `model`
(one column of A per column type l) and any multipliers lambda >= 0 (free for equality rows),

    L(lambda) = -lambda b + sum_j min(P_j, min_l (c_lj + (A^T lambda)_l))

is a lower bound on the cost of every decision, whoever has chosen lambda.

Rounding: with R rows and u = 2^-53, a price is off by at most (R + 3) u (|price| + 2 |A|^T|lambda|)
and a pairwise sum of n terms by (20 + log2 n) u of their absolute values. The margin
(R + 50) 2 u (|lambda b| + sum_j |min| + J max_l (|A|^T|lambda|)_l) covers both and is subtracted.

The restricted master is a linear program over few of very many columns, kept in HiGHS between
solves:

    min sum_j P_j z_j + sum c x   subject to   z_j + sum_l x_lj = 1,   lower <= A x <= upper

with the multipliers of the rows held in a box: what exceeds a row costs its highest multiplier,
what is left of it earns the lowest. A box around good multipliers keeps a solve over few columns
from running away; it does not bind at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.highs import reset_scheduler
from rsjs.formulations.rsjs.aggregated.model import AggregatedModel

EPSILON = float(np.finfo(float).eps)  # 2 u


@dataclass(frozen=True, eq=False)
class Pricing:
    """Data of the Lagrangian function L."""

    costs: Floats  # (L, J) [$]
    postponement: Floats  # (J,) [$]
    matrix: Floats  # (R, L)
    upper: Floats  # (R,)
    free: Bools  # (R,) whose multipliers may be negative

    @staticmethod
    def of(data: AggregatedModel) -> Pricing:
        """Return the prices of a model with packing "rows"."""
        free = np.isfinite(data.lower)
        return Pricing(data.costs, data.mode_costs.postponement, data.matrix, data.upper, free)

    def sample(self, jobs: int) -> Pricing:
        """Return every s-th job on 1/s of the nodes, `jobs` in all."""
        every = len(self.postponement) / jobs
        kept = (np.arange(jobs) * every).astype(np.int64)
        costs, postponement = np.ascontiguousarray(self.costs[:, kept]), self.postponement[kept]
        return Pricing(costs, postponement, self.matrix, self.upper / every, self.free)

    def usable(self, multipliers: Floats) -> Floats:
        """Return the nearest multipliers that give a bound; ValueError for another cluster's."""
        rows = len(self.upper)
        if multipliers.shape != (rows,):
            found = f"multipliers of shape {multipliers.shape}"
            raise ValueError(f"{found}, must be ({rows},): of another cluster or open_nodes rule")
        for r in np.flatnonzero(~np.isfinite(multipliers))[:1]:
            raise ValueError(f"multipliers[{r}] = {multipliers[r]}, must be finite")
        usable: Floats = np.where(self.free, multipliers, np.maximum(0.0, multipliers))
        return usable

    def values(self, multipliers: Floats) -> Floats:
        """Return (L, J) c_lj + (A^T lambda)_l."""
        values: Floats = self.costs + (self.matrix.T @ multipliers)[:, None]
        return values

    def bound(self, multipliers: Floats, values: Floats) -> float:
        """Return L(lambda), less the margin for rounding."""
        least = np.minimum(self.postponement, values.min(axis=0))
        spent = multipliers * self.upper
        largest = float((np.abs(self.matrix).T @ np.abs(multipliers)).max())
        terms = float(np.abs(spent).sum() + np.abs(least).sum()) + len(least) * largest
        margin = EPSILON * (len(spent) + 50) * terms
        return float(least.sum() - spent.sum()) - margin


FEASIBLE = 1e-7
BROKEN = (highspy.HighsModelStatus.kSolveError, highspy.HighsModelStatus.kUnknown)


@dataclass(frozen=True, eq=False)
class LpSolution:
    """An optimum over the columns so far."""

    value: float
    prices: Floats  # (J,) of the cover rows
    multipliers: Floats  # (R,) what one more unit of a row's right-hand side saves
    box_binds: bool
    x: Floats  # (n,) in the order in which columns were added


class RestrictedLp:
    """The program; `types` and `jobs` are its columns so far."""

    def __init__(self, pricing: Pricing) -> None:
        rows, jobs = len(pricing.upper), len(pricing.postponement)
        reset_scheduler()
        self.highs = highspy.Highs()
        for option, value in {"output_flag": False, "threads": 1}.items():
            self.highs.setOptionValue(option, value)
        # of each column type: 1 in a row of jobs, then the capacity rows
        self.columns = csc_array(np.vstack([np.ones((1, len(pricing.costs))), pricing.matrix]))
        self.columns.sort_indices()
        self.costs, self.free = pricing.costs, pricing.free
        self.present: Bools = np.zeros(pricing.costs.shape, dtype=bool)
        self.types, self.jobs = (np.zeros(0, dtype=np.int64) for _ in range(2))
        side = np.concatenate([np.ones(jobs), pricing.upper])
        none = np.zeros(0)
        self.highs.addRows(
            len(side), side, side, 0, np.zeros(len(side), np.int32), none.astype(np.int32), none
        )
        unit, row = np.arange(jobs, dtype=np.int32), np.arange(jobs, jobs + rows, dtype=np.int32)
        self._add(pricing.postponement, unit, np.ones(jobs))
        self._add(np.zeros(rows), row, np.ones(rows))
        self._add(np.zeros(rows), row, -np.ones(rows))

    def _add(self, cost: Floats, row: NDArray[np.int32], value: Floats) -> None:
        """Add columns with one entry each."""
        n = len(cost)
        start = np.arange(n, dtype=np.int32)
        self.highs.addCols(n, cost, np.zeros(n), np.full(n, np.inf), n, start, row, value)

    def add(self, types: Ints, jobs: Ints) -> None:
        """Add the columns (column type, job)."""
        self.present[types, jobs] = True
        self.types, self.jobs = np.append(self.types, types), np.append(self.jobs, jobs)
        # row 0 becomes the row of the job, the others come after all rows of jobs
        n, columns = len(types), self.columns[:, types]
        rows = columns.indices + (self.present.shape[1] - 1)
        rows[columns.indptr[:-1]] = jobs
        self.highs.addCols(
            n,
            self.costs[types, jobs],
            np.zeros(n),
            np.full(n, np.inf),
            columns.nnz,
            columns.indptr[:-1],
            rows,
            columns.data,
        )

    def solve(self, low: Floats, high: Floats, seconds: float) -> LpSolution | None:
        """Solve with multipliers in [low, high]; None if HiGHS stops without an optimum."""
        rows, jobs = len(low), self.present.shape[1]
        # the box of multipliers: prices of the slack columns, closed where they are infinite
        slack = np.arange(jobs, jobs + 2 * rows, dtype=np.int32)
        cost = np.concatenate([-low, high])
        usable = np.isfinite(cost)
        self.highs.changeColsCost(2 * rows, slack, np.where(usable, cost, 0.0))
        bound = np.where(usable, np.inf, 0.0)
        self.highs.changeColsBounds(2 * rows, slack, np.zeros(2 * rows), bound)
        spent = self.highs.getRunTime()  # HiGHS' limit is on the sum over all runs
        self.highs.setOptionValue("time_limit", spent + max(0.0, seconds))
        self.highs.run()
        if self.highs.getModelStatus() in BROKEN:
            self.highs.clearSolver()  # once more without the basis of the last solve
            self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self.highs.getSolution()
        # slack that is bought or sold at a price other than 0 says that the box binds
        x, dual = np.array(solution.col_value), np.array(solution.row_dual)
        over = x[slack] > FEASIBLE
        multipliers = -dual[jobs:]
        multipliers[~self.free] = np.maximum(0.0, multipliers[~self.free])
        return LpSolution(
            value=self.highs.getInfo().objective_function_value,
            prices=dual[:jobs],
            multipliers=multipliers,
            box_binds=bool((over & (cost != 0)).any()),
            x=x[jobs + 2 * rows :],
        )
