"""
Bound on the expected cost of every policy: the mean of hindsight bounds over draws of W_j.

A hindsight bound b(W) holds for the cost of every policy when the jobs run W epochs, also for one
that does not know W. So E[b(W)] <= E[cost of the policy at W], W drawn from the distributions of
the jobs: what the realised epochs of one workload happened to be does not enter. The mean over
independent draws is an unbiased estimate of E[b(W)]; it is a bound with confidence only, and its
interval is told with it. With the costs of a policy on the draws of the bounds the differences are
paired, and the ratio of the means is more certain than each of them:

    r = sum_k c_k / sum_k b_k,   half its interval: t s / (mean of b sqrt(n)),   s^2 the variance of
    c_k - r b_k

What is between b(W) and the cost of the best policy that does not know W is both the distance of
the bound and the price of not knowing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rsjs.core.errors import integer
from rsjs.instances.instance import Workload
from rsjs.instances.transform import redrawn
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.options import Options

CONFIDENCE = 0.95
DRAWS = 20


class Estimate(NamedTuple):
    """A mean, or a ratio of means, and half the width of its 95 % interval (Student's t)."""

    value: float
    half: float  # nan of one draw


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values."""
    return ratio(values, np.ones(len(values)).tolist())


def ratio(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """Return the ratio of the means of paired values."""
    from scipy.special import stdtrit

    n, found = len(above), float(np.sum(above) / np.sum(below))
    if n < 2:
        return Estimate(found, float("nan"))
    spread = float(np.std(np.asarray(above) - found * np.asarray(below), ddof=1))
    t = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
    return Estimate(found, t * spread / (float(np.mean(below)) * n**0.5))


def draws_of(workload: Workload, draws: int) -> list[Workload]:
    """Return the workload with W_j drawn again so many times, see `redrawn`."""
    return [redrawn(workload, number) for number in range(1, integer("draws", draws, 1) + 1)]


def expected_bound(
    workload: Workload, options: Options | None = None, *, draws: int = DRAWS
) -> Estimate:
    """Return the mean workload bound [$] over draws of W_j, to compare with `draws_of` these."""
    return mean([workload_bound(one, options).value for one in draws_of(workload, draws)])
