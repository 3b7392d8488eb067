"""
Algorithm 1 of Filippini et al. 2024 with two corrections: profiles for continuous distributions.

Speeds s_1 < ... < s_K, F^c strictly decreasing from F^c(0) = 1. With the speeds m, ..., K,

    y_k = (F^c)^-1 (Phi_m / Phi_k F^c(y_m)),  m < k < K             (24)
    d = w_max / s_K + sum_{k=m}^{K-1} S_k y_k                       (26)

where S_k = 1 / s_k - 1 / s_(k+1). The published (26) has s_k for S_k, though the text defines S_k;
and line 8 of the algorithm sets L := m where y_m <= 0, which changes nothing where U = L + 1: for
ever. Here L := m + 1, since speed m is not used. Whether y_m <= 0 is seen from (26) at y_m = 0; the
root is sought once, for the last m. (25) has no root if the cheapest speed alone is in time, or the
fastest late: both are asked first. The speeds are those of the hull, as in `speed_profile`, since
idle power and speeds that are not concave break the published assumptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats
from rsjs.heuristics.sts.speed_profile import hull


@dataclass(frozen=True, kw_only=True)
class ContinuousDistribution:
    """
    A distribution of the number of epochs W in (0, last].

    Attributes
    ----------
    last : float
        w_max.
    survival : function
        F^c(w) = P(W > w), strictly decreasing on [0, last) from 1.
    inverse : function
        y -> sup {w in [0, last]: F^c(w) > y}, 0 where there is none, for 0 <= y <= 1.
    area : function
        w -> integral of F^c from 0 to w.
    """

    last: float
    survival: Callable[[float], float]
    inverse: Callable[[float], float]
    area: Callable[[float], float]


def switch_epochs(rate: Floats, power: Floats, time: float, law: ContinuousDistribution) -> Floats:
    """
    Return (K,) x_k: where each mode of a new job ends, the slowest first.

    Parameters
    ----------
    rate : (K,) float [h]
        a_k = 1 / s_k, strictly decreasing.
    power : (K,) float [$/h]
    time : float [h]
        d.

    Returns
    -------
    (K,) float
        x_k of (P3); configurations that are not used end where the one before ends. The fastest
        alone where it is late.
    """
    if (slower := np.flatnonzero(np.diff(rate) >= 0)).size:
        k = int(slower[0]) + 1
        raise ValueError(f"rate[{k}] = {rate[k]}, must be < rate[{k - 1}] = {rate[k - 1]}")
    found = hull(rate, power)
    ends = np.zeros(len(rate))
    ends[found.vertex[:-1]] = _dichotomy(found.rate, found.phi, time, law)
    ends[found.vertex[-1] :] = law.last
    return np.maximum.accumulate(ends)


def _dichotomy(rate: Floats, phi: Floats, time: float, law: ContinuousDistribution) -> Floats:
    """Return (n - 1,) y_k of the hull's speeds but the fastest."""
    saved, n = rate[:-1] - rate[1:], len(rate)
    if rate[0] * law.last <= time:
        return np.full(n - 1, law.last)
    if rate[-1] * law.last > time:
        return np.zeros(n - 1)

    def switches(m: int, value: float) -> Floats:
        """Return (24) where F^c(y_m) = value; 0 before m."""
        later = [law.inverse(phi[m] / phi[k] * value) for k in range(m, n - 1)]
        return np.array([0.0] * m + later)

    def hours(m: int, value: float) -> float:
        """Return the right-hand side of (26)."""
        return float(rate[-1] * law.last + saved @ switches(m, value))

    lower, upper = 0, n - 1
    while upper > lower:
        m = (upper + lower) // 2
        if hours(m, 1.0) >= time:
            lower = m + 1
        else:
            upper = m
    if upper == n - 1:
        return np.zeros(n - 1)
    from scipy.optimize import brentq

    value = brentq(lambda v: hours(upper, v) - time, 0.0, 1.0, xtol=1e-15, rtol=1e-14)
    return switches(upper, value)


def expected_energy(
    rate: Floats, power: Floats, ends: Floats, law: ContinuousDistribution
) -> float:
    """Return the expected energy (P3.1) of a new job [$]."""
    areas = np.array([0.0, *(law.area(float(end)) for end in ends)])
    return float((rate * power) @ np.diff(areas))
