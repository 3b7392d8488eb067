"""
Optimal speed profiles of single jobs, exact for discrete distributions (Filippini et al. 2024, V).

A job with w epochs done runs in mode k between two switch epochs, in order of speed:

    min   sum_k Q_k integral of F^c from x_(k-1) to x_k             (P3.1)
    s.t.  sum_k a_k (x_k - x_(k-1)) <= d                            (P3.2)
          w = x_0 <= x_1 <= ... <= x_K = w_max                      (P3.3)

d is the time left, F^c as in `sts.single_job`. On the hull (below), KKT is
F^c(x_r) = lambda / Phi_r, the printed (24) solved for all speeds at once; with steps instead of a
curve

    x_r(lambda) = end of the last step i with Phi_r F^c_i > lambda
    T(lambda) = a_n (w_max - w) + sum_r S_r (x_r(lambda) - w)       decreasing in lambda

Step i left at speed r costs Phi_r F^c_i for each hour that it gives back: a fractional knapsack.
So lambda is the least of these ratios with T(lambda) <= d, and what is left of d goes to the steps
with that very ratio, of which the last one taken is divided. With A(x) = integral of F^c from x to
w_max, (P3.1) is added up as

    Q_1 A(w) + sum_r (Q_(r+1) - Q_r) A(x_r)                         no term is negative

The speeds worth using are the lower-left convex hull of the points (a_k, Q_k), hours and $ per
epoch. For a multiplier lambda of the time limit each epoch takes the k of least F^c Q_k + lambda
a_k: only vertices of the hull. It begins at the cheapest point (of equal ones the fastest), so that
speeds that cost more than a faster one are not on it, and ends at the fastest. Along it

    S_r = a_r - a_(r+1) > 0,   Phi_r = (Q_(r+1) - Q_r) / S_r > 0,  increasing in r

which the published model takes from P convex with P(0) = 0; idle power breaks that (rsjs 6.1).

Where the time left is tight, lambda is found by bisection. Of each speed r some steps are open,
[low_r, high_r): T <= d where the steps before low_r are taken, T > d where those before high_r are.
The middle step of the longest row of open ones is tried, until few are left; these are taken one
ratio after the other. As Phi_r rises with r, so do the steps of a ratio.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.sts.single_job import (
    FEASIBLE,
    INADMISSIBLE,
    INFEASIBLE,
    SLACK,
    SpeedProfiles,
    SurvivalSteps,
)

EQUAL = 1.0 + 1e-12  # costs and slopes within this factor are ties; the faster speed wins


@inlined
def fill_hull(
    rate: Floats, power: Floats, vertex: Ints, own_rate: Floats, energy: Floats, phi: Floats
) -> int:
    """
    Fill the arrays with the vertices of the hull, the slowest first; return their number.

    Parameters
    ----------
    rate, power : (K,) float [h], [$/h]
        a_k, inf where not admissible, and P_k.
    vertex : (K,) int
        Mode of each vertex, padded with the last one; the other arrays are not padded.
    own_rate, energy, phi : (K,) float [h], [$], [$/h]
        a_r, Q_r and Phi_r of each vertex; Phi is 0 at the last one.
    """
    # the first vertex: the cheapest epoch, of equal ones the fastest
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
        # the next one: the smallest slope to a faster mode
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
    """Return the cost [$/h] of each hour that a faster mode saves."""
    gain = rate[slow] - rate[fast]
    found: float = (rate[fast] * power[fast] - rate[slow] * power[slow]) / gain
    return found


@inlined
def faster(rate: Floats, power: Floats, one: int, other: int) -> int:
    """Return the faster of two modes; ties: the cheaper, then `other`, which may be -1."""
    if other < 0 or rate[one] < rate[other]:
        return one
    cheaper = rate[one] * power[one] < rate[other] * power[other]
    return one if rate[one] == rate[other] and cheaper else other


FEW = 12  # open steps


class RemainingEpochs(NamedTuple):
    """Remaining epochs of a job: steps of its distribution, position; see `SurvivalSteps`."""

    end: Floats
    height: Floats
    steps: int  # how many
    first: int  # in which the job is
    done: float


class HullSpeeds(NamedTuple):
    """The hull of a problem, and of each of its speeds but the fastest the open steps."""

    phi: Floats
    saved: Floats  # S_r [h]
    low: Ints
    high: Ints
    tried: Ints


@inlined
def spread(
    left: RemainingEpochs, speeds: HullSpeeds, size: int, base: float, time: float, until: Floats
) -> None:
    """
    Fill `until` with x_r, which is in one of the steps [low_r - 1, high_r - 1] afterwards.

    Parameters
    ----------
    size : vertices of the hull
    base : T of the fastest speed alone, at most `time`
    """
    for r in range(size - 1):
        speeds.low[r], speeds.high[r] = left.first, left.steps
    # bisection of the ratio, until few steps are open
    widest = longest(speeds, size)
    while widest >= 0 and not halved(left, speeds, size, widest, base, time):
        widest = longest(speeds, size)
    # one ratio after the other, until T exceeds the time left
    while equal_ones(left, speeds, size, base) <= time:
        for r in range(size - 1):
            speeds.low[r] = speeds.high[r]
    total = base
    for r in range(size - 1):
        until[r] = left.done
        if speeds.low[r] > left.first:
            until[r] = left.end[speeds.low[r] - 1]
        total = with_steps(left, speeds, r, speeds.low[r], total)
    # the rest of the time: steps of the last ratio, the fastest speed first
    spare = time - total
    for r in range(size - 2, -1, -1):
        if speeds.high[r] > speeds.low[r]:
            before = until[r]
            farthest = left.end[speeds.high[r] - 1]
            until[r] = max(before, min(farthest, before + spare / speeds.saved[r]))
            spare -= speeds.saved[r] * (until[r] - before)


@inlined
def longest(speeds: HullSpeeds, size: int) -> int:
    """Return the speed with most open steps; -1 if there are few."""
    widest, total = 0, 0
    for r in range(size - 1):
        total += speeds.high[r] - speeds.low[r]
        if speeds.high[r] - speeds.low[r] > speeds.high[widest] - speeds.low[widest]:
            widest = r
    return widest if total > FEW else -1


@inlined
def halved(
    left: RemainingEpochs, speeds: HullSpeeds, size: int, widest: int, base: float, time: float
) -> bool:
    """Try the middle step of a row and close what it rules out; whether its ratio is it."""
    middle = (speeds.low[widest] + speeds.high[widest]) // 2
    ratio = speeds.phi[widest] * left.height[middle]
    total, at = base, left.first
    for r in range(size - 1):
        at = max(at, speeds.low[r])
        open_ = speeds.high[r] - at
        while open_ > 0:  # without a branch that cannot be foreseen
            half = open_ >> 1
            above = speeds.phi[r] * left.height[at + half] > ratio
            at = at + half + 1 if above else at
            open_ = open_ - half - 1 if above else half
        speeds.tried[r] = at
        total = with_steps(left, speeds, r, at, total)
    if total > time:
        for r in range(size - 1):
            speeds.high[r] = speeds.tried[r]
        return False
    total = base
    for r in range(size - 1):
        speeds.low[r] = speeds.tried[r]
        speeds.tried[r] = at = past(left, speeds, r, ratio)
        total = with_steps(left, speeds, r, at, total)
    if total > time:
        return True
    for r in range(size - 1):
        speeds.low[r] = speeds.tried[r]
    return False


@inlined
def equal_ones(left: RemainingEpochs, speeds: HullSpeeds, size: int, base: float) -> float:
    """Let [low_r, high_r) be the steps of the next ratio; T if they are taken too."""
    ratio, total = 0.0, base
    for r in range(size - 1):
        if speeds.low[r] < left.steps:
            ratio = max(ratio, speeds.phi[r] * left.height[speeds.low[r]])
    for r in range(size - 1):
        speeds.high[r] = at = past(left, speeds, r, ratio)
        total = with_steps(left, speeds, r, at, total)
    return total


@inlined
def past(left: RemainingEpochs, speeds: HullSpeeds, r: int, ratio: float) -> int:
    """Return the first step of speed r from low_r on that does not have a ratio."""
    at: int = speeds.low[r]
    while at < left.steps and speeds.phi[r] * left.height[at] == ratio:
        at += 1
    return at


@inlined
def with_steps(
    left: RemainingEpochs, speeds: HullSpeeds, r: int, steps: int, total: float
) -> float:
    """Return `total` and the hours [h] added if speed r is kept for so many steps."""
    if steps > left.first:
        total += speeds.saved[r] * (left.end[steps - 1] - left.done)
    return total


class SpeedHull(NamedTuple):
    """The undominated speeds of one problem, the slowest first."""

    vertex: Ints  # (n,) configurations
    rate: Floats  # (n,) a_r [h]
    phi: Floats  # (n,) Phi_r [$/h]; 0 at the last one


@compiled
def hull(rate: Floats, power: Floats) -> SpeedHull:
    """
    Return the hull of one problem.

    Parameters
    ----------
    rate : (K,) float [h]
        a_k, inf where not admissible.
    power : (K,) float [$/h]
    """
    vertex = np.empty(len(rate), dtype=np.int64)
    own_rate, energy, phi = np.empty((3, len(rate)))
    size = fill_hull(rate, power, vertex, own_rate, energy, phi)
    return SpeedHull(vertex[:size], own_rate[:size], phi[:size])


def profiles(rate: Floats, power: Floats, time: Floats, steps: SurvivalSteps) -> SpeedProfiles:
    """
    Return the optimal profiles of n problems.

    Parameters
    ----------
    rate : (n, K) float [h]
        a_k, hours per epoch, inf where not admissible.
    power : (n, K) float [$/h]
    time : (n,) float [h]
        d, until the due date; negative when it has passed.
    steps : SurvivalSteps
        Of the n problems.
    """
    return solve(_own(rate), _own(power), _own(time), SurvivalSteps(*map(_own, steps)))


def _own(array: Any) -> Any:
    """Return a writable, contiguous copy: arrays of one type, so that one kernel is compiled."""
    return np.array(array, order="C")


@compiled
def solve(rate: Floats, power: Floats, time: Floats, steps: SurvivalSteps) -> SpeedProfiles:
    """Return the optimal profiles of n problems, see `profiles`."""
    problems, most = rate.shape
    found = SpeedProfiles(
        np.empty(problems, dtype=np.int64),
        np.empty(problems),
        np.empty(problems, dtype=np.int64),
        np.empty(problems),
        np.empty((problems, most), dtype=np.int64),
        np.empty((problems, most)),
    )
    own_rate, energy, phi, saved = np.empty((4, most))
    low, high, tried = np.empty((3, most), dtype=np.int64)
    speeds = HullSpeeds(phi, saved, low, high, tried)
    for p in range(problems):
        # the job's steps, and the hull of its modes
        law, until = steps.law[p], found.until[p]
        end, height = steps.end[law], steps.height[law]
        left = RemainingEpochs(end, height, steps.size[law], steps.first[p], steps.done[p])
        last = end[left.steps - 1]
        size = fill_hull(rate[p], power[p], found.vertex[p], own_rate, energy, phi)
        until[:] = last
        if size == 0:
            found.status[p], found.energy[p] = INADMISSIBLE, inf
            found.initial[p], found.change[p] = -1, inf
            continue
        # T of the fastest speed alone and of the cheapest one alone
        base, d = own_rate[size - 1] * (last - left.done), time[p]
        total = base
        for r in range(size - 1):
            saved[r] = own_rate[r] - own_rate[r + 1]
            total += saved[r] * (last - left.done)
        if base > d:
            found.status[p] = INFEASIBLE
            until[: size - 1] = left.done
            low[:], high[:] = left.first, left.first
        elif total > d:
            found.status[p] = FEASIBLE
            spread(left, speeds, size, base, d, until)
        else:
            found.status[p] = SLACK
            low[:], high[:] = left.steps, left.steps
        tell(left, steps.area[law], own_rate, energy, speeds, size, p, found)
    return found


@inlined
def tell(
    left: RemainingEpochs,
    area: Floats,
    rate: Floats,
    energy: Floats,
    speeds: HullSpeeds,
    size: int,
    p: int,
    found: SpeedProfiles,
) -> None:
    """Fill in what follows from the switch epochs of problem p: energy, first mode, change."""
    # (P3.1) with A(x)
    here = max(left.first - 1, 0)
    total = energy[0] * epochs_from(left, area, left.done, here, left.first)
    for r in range(size - 1):
        low, high = max(speeds.low[r] - 1, 0), max(speeds.high[r] - 1, left.first)
        epochs = epochs_from(left, area, found.until[p, r], low, high)
        total += (energy[r + 1] - energy[r]) * epochs
    begin = 0
    while found.until[p, begin] <= left.done:
        begin += 1
    epoch = found.until[p, begin]
    found.energy[p], found.initial[p] = total, found.vertex[p, begin]
    kept = epoch >= left.end[left.steps - 1]
    found.change[p] = inf if kept else rate[begin] * (epoch - left.done)


@inlined
def epochs_from(left: RemainingEpochs, area: Floats, epoch: float, low: int, high: int) -> float:
    """Return the integral of F^c from an epoch, in one of the steps [low, high], to w_max."""
    while low < high:
        middle = (low + high) // 2
        if left.end[middle] < epoch:
            low = middle + 1
        else:
            high = middle
    here = (left.end[low] - epoch) * left.height[low]
    found: float = (here + area[low + 1]) / left.height[left.first]
    return found
