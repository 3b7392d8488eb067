"""
The speeds worth using: the lower-left convex hull of the points (a_k, Q_k), hours and $ per epoch.

For a multiplier lambda of the time limit each epoch takes the k of least F^c Q_k + lambda a_k: only
vertices of the hull. It begins at the cheapest point (of equal ones the fastest), so that speeds
that cost more than a faster one are not on it, and ends at the fastest. Along it

    S_r = a_r - a_(r+1) > 0,   Phi_r = (Q_(r+1) - Q_r) / S_r > 0,  increasing in r

which the printed model takes from P convex with P(0) = 0; idle power breaks that (rsjs 6.1).
"""

from __future__ import annotations

from math import inf, isfinite

from rsjs.heuristics.common.jit import inlined
from rsjs.heuristics.greedy.arrays import Floats, Ints

EQUAL = 1.0 + 1e-12  # costs and slopes within this factor are ties; the faster speed wins


@inlined
def hull(
    rate: Floats, power: Floats, vertex: Ints, own_rate: Floats, energy: Floats, phi: Floats
) -> int:
    """
    Fill the arrays with the vertices of the hull, the slowest first; return their number.

    Parameters
    ----------
    rate, power : (K,) float [h], [$/h]
        a_k, inf where not admissible, and P_k.
    vertex : (K,) int
        Configuration of each vertex, padded with the last one; the other arrays are not padded.
    own_rate, energy, phi : (K,) float [h], [$], [$/h]
        a_r, Q_r and Phi_r of each vertex; Phi is 0 at the last one.
    """
    most, least = rate.shape[0], inf
    for k in range(most):
        if isfinite(rate[k]):
            least = min(least, rate[k] * power[k])
    at, size = -1, 0
    for k in range(most):
        if isfinite(rate[k]) and rate[k] * power[k] <= least * EQUAL:
            at = faster(rate, power, k, at)
    while at >= 0:
        vertex[size], own_rate[size], energy[size] = at, rate[at], rate[at] * power[at]
        least, follower = inf, -1
        for k in range(most):
            if rate[k] < rate[at]:
                least = min(least, slope(rate, power, at, k))
        for k in range(most):
            if rate[k] < rate[at] and slope(rate, power, at, k) <= least * EQUAL:
                follower = faster(rate, power, k, follower)
        phi[size] = 0.0
        if follower >= 0:
            phi[size] = max(phi[size - 1] if size else 0.0, slope(rate, power, at, follower))
        at = follower
        size += 1
    for k in range(size, most):
        vertex[k] = vertex[size - 1] if size else 0
    return size


@inlined
def slope(rate: Floats, power: Floats, slow: int, fast: int) -> float:
    """$ that each hour costs which a faster configuration saves."""
    gain = rate[slow] - rate[fast]
    found: float = (rate[fast] * power[fast] - rate[slow] * power[slow]) / gain
    return found


@inlined
def faster(rate: Floats, power: Floats, one: int, other: int) -> int:
    """The faster of two configurations; ties: the cheaper, then `other`, which may be -1."""
    if other < 0 or rate[one] < rate[other]:
        return one
    cheaper = rate[one] * power[one] < rate[other] * power[other]
    return one if rate[one] == rate[other] and cheaper else other
