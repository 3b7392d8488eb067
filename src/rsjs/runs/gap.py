"""One gap for every method, from checked costs and valid bounds only."""

from __future__ import annotations

from rsjs.instances.check import ROUNDING, TOLERANCE

TIE = 1e-9  # relative: what the order of a sum may change


def gap(cost: float | None, bound: float | None) -> float | None:
    """
    Return the gap (z - z_b) / max(|z|, |z_b|) in [0, 1]; None without a cost or a bound.

    0 if both are 0, 1 if the signs differ. A bound above the cost by rounding gives 0.
    """
    if cost is None or bound is None:
        return None
    if cost * bound < 0:
        return 1.0
    largest = max(abs(cost), abs(bound))
    return 0.0 if largest == 0 else min(1.0, max(0.0, cost - bound) / largest)


def gap_over(cost: float | None, bound: float | None, part: float | None) -> float | None:
    """
    Return (z - z_b) / |part| in [0, 1], the gap relative to a part of the cost, or None.

    Under overload, postponement is nearly the whole cost and hides any gap elsewhere: the part is
    then what is spent on running jobs, or on energy alone.
    """
    if cost is None or bound is None or part is None:
        return None
    excess = max(0.0, cost - bound)
    if excess == 0:
        return 0.0
    return 1.0 if part == 0 else min(1.0, excess / abs(part))


def ties(one: float, other: float) -> bool:
    """
    Return whether two costs are equal up to the rounding of their sums.

    >>> ties(100.0, 100.0 * (1 + 1e-12)), ties(100.0, 100.001)
    (True, False)
    """
    return abs(one - other) <= TIE * max(abs(one), abs(other))


def contradicts(cost: float | None, bound: float | None) -> bool:
    """Return whether a bound lies above a cost that was reached: one of the two is wrong."""
    if cost is None or bound is None:
        return False
    return bound > cost + TOLERANCE * abs(cost) + ROUNDING
