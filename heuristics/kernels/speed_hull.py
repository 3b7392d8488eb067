"""The hull of one problem as speed_hull.py makes it."""

from __future__ import annotations

from math import inf, isfinite

from rsjs.heuristics.compiled import inlined
from rsjs.heuristics.speed_hull import EQUAL, Floats, Ints


@inlined
def hull(
    rate: Floats, power: Floats, vertex: Ints, own_rate: Floats, energy: Floats, phi: Floats
) -> int:
    """
    Fill what `speed_hull.Hull` has of one problem; the number of vertices is returned.

    Parameters
    ----------
    rate, power : (K,)
    vertex : (K,) int
        Filled up with the last one; the other arrays are not.
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
