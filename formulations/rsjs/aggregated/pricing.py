"""
The bound that multipliers give form E: every column priced, in plain arrays.

With the superadditive rows A x <= b of `rsjs_classes` (one column of A per role l) and any
multipliers lambda >= 0 (free for equality rows),

    L(lambda) = -lambda b + sum_j min(P_j, min_l (c_lj + (A^T lambda)_l))

is a lower bound on the cost of every decision, whoever has chosen lambda.

Rounding: with R rows and u = 2^-53, a price is off by at most (R + 3) u (|price| + 2 |A|^T|lambda|)
and a pairwise sum of n terms by (20 + log2 n) u of their absolute values. The margin
(R + 50) 2 u (|lambda b| + sum_j |min| + J max_l (|A|^T|lambda|)_l) covers both and is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.rsjs.aggregated.columns import Array
from rsjs.formulations.rsjs.aggregated.rsjs_classes_data import ClassModel

EPSILON = float(np.finfo(float).eps)  # 2 u


@dataclass(frozen=True, eq=False)
class Pricing:
    """
    What L depends on.

    Attributes
    ----------
    costs : (L, J) float [$]
    postponement : (J,) float [$]
    matrix : (R, L) float
    upper : (R,) float
    free : (R,) bool
        Whose multipliers may be negative.
    """

    costs: Array
    postponement: Array
    matrix: Array
    upper: Array
    free: NDArray[np.bool_]

    @staticmethod
    def of(data: ClassModel) -> Pricing:
        """The prices of a model with packing "rows"."""
        free = np.isfinite(data.lower)
        return Pricing(data.costs, data.shapes.postponement, data.matrix, data.upper, free)

    def sample(self, jobs: int) -> Pricing:
        """Every s-th job on 1/s of the nodes, `jobs` in all."""
        every = len(self.postponement) / jobs
        kept = (np.arange(jobs) * every).astype(np.int64)
        costs, postponement = np.ascontiguousarray(self.costs[:, kept]), self.postponement[kept]
        return Pricing(costs, postponement, self.matrix, self.upper / every, self.free)

    def usable(self, multipliers: Array) -> Array:
        """The nearest multipliers that give a bound; ValueError if they are of another cluster."""
        rows = len(self.upper)
        if multipliers.shape != (rows,):
            found = f"multipliers of shape {multipliers.shape}"
            raise ValueError(f"{found}, must be ({rows},): of another cluster or open_nodes rule")
        for r in np.flatnonzero(~np.isfinite(multipliers))[:1]:
            raise ValueError(f"multipliers[{r}] = {multipliers[r]}, must be finite")
        usable: Array = np.where(self.free, multipliers, np.maximum(0.0, multipliers))
        return usable

    def values(self, multipliers: Array) -> Array:
        """(L, J) c_lj + (A^T lambda)_l."""
        values: Array = self.costs + (self.matrix.T @ multipliers)[:, None]
        return values

    def bound(self, multipliers: Array, values: Array) -> float:
        """L(lambda), less the margin for rounding."""
        least = np.minimum(self.postponement, values.min(axis=0))
        spent = multipliers * self.upper
        largest = float((np.abs(self.matrix).T @ np.abs(multipliers)).max())
        terms = float(np.abs(spent).sum() + np.abs(least).sum()) + len(least) * largest
        margin = EPSILON * (len(spent) + 50) * terms
        return float(least.sum() - spent.sum()) - margin
