"""
The speeds worth using: the lower-left convex hull of the points (a_k, Q_k), hours and $ per epoch.

For a multiplier lambda of the time limit each epoch takes the k of least F^c Q_k + lambda a_k: only
vertices of the hull. It begins at the cheapest point (of equal ones the fastest), so that speeds
that cost more than a faster one are not on it, and ends at the fastest. Along it

    S_r = a_r - a_(r+1) > 0,   Phi_r = (Q_(r+1) - Q_r) / S_r > 0,  increasing in r

which the printed model takes from P convex with P(0) = 0; idle power breaks that (rsjs 6.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EQUAL = 1.0 + 1e-12  # costs and slopes within this factor are ties; the faster speed wins


class Hull(NamedTuple):
    """Vertices of n hulls, the slowest first, padded with the last one to K."""

    vertex: Ints  # (n, K) position of each vertex among the configurations
    size: Ints  # (n,) vertices; 0 = no configuration is admissible
    rate: Floats  # (n, K) a_r [h]
    energy: Floats  # (n, K) Q_r [$]
    phi: Floats  # (n, K) Phi_r [$/h]; 0 from the last vertex on


def hull(rate: Floats, power: Floats) -> Hull:
    """
    The hulls of n problems.

    Parameters
    ----------
    rate : (n, K) float
        a_k, inf where not admissible.
    power : (n, K) float
        P_k [$/h].
    """
    problems, most = rate.shape
    usable = np.isfinite(rate)
    energy = np.where(usable, rate, 0.0) * np.where(usable, power, 0.0)
    energy = np.where(usable, energy, np.inf)
    at = _fastest(rate, energy, energy <= energy.min(axis=1, keepdims=True) * EQUAL)
    vertex = np.empty((problems, most), dtype=np.int64)
    phi = np.zeros((problems, most))
    size = np.minimum(1, usable.sum(axis=1))
    rows = np.arange(problems)
    for r in range(most):
        vertex[:, r] = at
        own_rate, own_energy = rate[rows, at][:, None], energy[rows, at][:, None]
        faster = rate < own_rate
        gain = np.where(faster, own_rate, 1.0) - np.where(faster, rate, 0.0)
        rise = np.where(faster, energy, 0.0) - np.where(faster, own_energy, 0.0)
        slope = np.where(faster, rise / gain, np.inf)
        least = slope.min(axis=1)
        further = np.isfinite(least)
        if not further.any():
            vertex[:, r:] = at[:, None]
            break
        follower = _fastest(rate, energy, slope <= least[:, None] * EQUAL)
        at = np.where(further, follower, at)
        # near-equal slopes may come in the wrong order by rounding
        steeper = np.maximum(phi[:, r - 1] if r else 0.0, slope[rows, at])
        phi[:, r] = np.where(further, steeper, 0.0)
        size[further] += 1
    return Hull(vertex, size, rate[rows[:, None], vertex], energy[rows[:, None], vertex], phi)


def _fastest(rate: Floats, energy: Floats, among: NDArray[np.bool_]) -> Ints:
    """(n,) the fastest configuration of some; ties: the cheapest, then the first."""
    fastest = np.where(among, rate, np.inf)
    tied = among & (fastest == fastest.min(axis=1, keepdims=True))
    found: Ints = np.where(tied, energy, np.inf).argmin(axis=1)
    return found
