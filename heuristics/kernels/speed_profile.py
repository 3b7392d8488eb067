"""
Optimal speed profiles as speed_profile.py makes them, problem by problem.

The least ratio Phi_r F^c_i with T <= d is found by halving: of each speed r some steps are open,
[low_r, high_r); the middle one of the longest row of open steps is tried, and closes at least half
of that row. Every sum has the order of the numpy version.
"""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.heuristics.compiled import compiled, inlined
from rsjs.heuristics.kernels.speed_hull import hull
from rsjs.heuristics.speed_profile import FEASIBLE, INADMISSIBLE, INFEASIBLE, SLACK, Profiles
from rsjs.heuristics.survival_steps import Floats, Ints, Steps


@compiled
def profiles(rate: Floats, power: Floats, time: Floats, steps: Steps, found: Profiles) -> None:
    """Fill `found` with the profiles of n problems, as `speed_profile.profiles` returns them."""
    problems, most = rate.shape
    own_rate, energy, phi, saved = np.empty((4, most))
    low, high, count = np.empty((3, most), dtype=np.int64)
    for p in range(problems):
        vertex, until, law = found.vertex[p], found.until[p], steps.law[p]
        done, first, end = steps.done[p], steps.first[p], steps.size[law]
        last = steps.end[law, end - 1]
        size = hull(rate[p], power[p], vertex, own_rate, energy, phi)
        until[:] = last
        if size == 0:
            found.status[p], found.energy[p] = INADMISSIBLE, inf
            found.initial[p], found.change[p] = -1, inf
            continue
        for r in range(size - 1):
            saved[r], count[r] = own_rate[r] - own_rate[r + 1], end
        base, d = own_rate[size - 1] * (last - done), time[p]
        status = SLACK
        if base > d:
            status = INFEASIBLE
            until[: size - 1] = done
        elif hours(steps, law, first, done, base, saved, count, size) > d:
            status = FEASIBLE
            spread(steps, law, first, done, base, d, phi, saved, low, high, count, until, size)
        found.status[p] = status
        tell(steps, law, first, done, last, own_rate, energy, size, p, found)


@inlined
def tell(
    steps: Steps,
    law: int,
    first: int,
    done: float,
    last: float,
    rate: Floats,
    energy: Floats,
    size: int,
    p: int,
    found: Profiles,
) -> None:
    """What the switch epochs of problem p say: energy, first configuration, when it changes."""
    total = energy[0] * epochs_from(steps, law, first, done)
    for r in range(size - 1):
        total += (energy[r + 1] - energy[r]) * epochs_from(steps, law, first, found.until[p, r])
    begin = 0
    while found.until[p, begin] <= done:
        begin += 1
    epoch = found.until[p, begin]
    found.energy[p], found.initial[p] = total, found.vertex[p, begin]
    found.change[p] = inf if epoch >= last else rate[begin] * (epoch - done)


@inlined
def spread(
    steps: Steps,
    law: int,
    first: int,
    done: float,
    base: float,
    time: float,
    phi: Floats,
    saved: Floats,
    low: Ints,
    high: Ints,
    count: Ints,
    until: Floats,
    size: int,
) -> None:
    """x_r where d is tight."""
    end, critical = steps.size[law], inf
    for r in range(size - 1):
        low[r], high[r] = first, end
    while True:
        widest = 0
        for r in range(1, size - 1):
            if high[r] - low[r] > high[widest] - low[widest]:
                widest = r
        if high[widest] <= low[widest]:
            break
        ratio = phi[widest] * steps.height[law, (low[widest] + high[widest]) // 2]
        for r in range(size - 1):
            count[r] = steps_above(steps, law, phi[r], ratio, low[r], high[r], True)
        if hours(steps, law, first, done, base, saved, count, size) > time:
            for r in range(size - 1):
                high[r] = count[r]
        else:
            critical = ratio
            for r in range(size - 1):
                low[r] = steps_above(steps, law, phi[r], ratio, count[r], high[r], False)
    for r in range(size - 1):
        count[r] = steps_above(steps, law, phi[r], critical, first, end, True)
        until[r] = steps.end[law, count[r] - 1] if count[r] > first else done
    left = time - hours(steps, law, first, done, base, saved, count, size)
    for r in range(size - 2, -1, -1):
        most = steps_above(steps, law, phi[r], critical, count[r], end, False)
        if most > count[r]:
            before = until[r]
            until[r] = max(before, min(steps.end[law, most - 1], before + left / saved[r]))
            left -= saved[r] * (until[r] - before)


@inlined
def steps_above(
    steps: Steps, law: int, phi: float, ratio: float, low: int, high: int, strict: bool
) -> int:
    """The first step from `low` on with Phi F^c not > ratio (or not >= ratio); at most `high`."""
    while low < high:
        middle = (low + high) // 2
        value = phi * steps.height[law, middle]
        if value > ratio or (value == ratio and not strict):
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def hours(
    steps: Steps,
    law: int,
    first: int,
    done: float,
    base: float,
    saved: Floats,
    count: Ints,
    size: int,
) -> float:
    """T where the last step of speed r is the one before count[r]."""
    total = base
    for r in range(size - 1):
        if count[r] > first:
            total += saved[r] * (steps.end[law, count[r] - 1] - done)
    return total


@inlined
def epochs_from(steps: Steps, law: int, first: int, epoch: float) -> float:
    """Integral of F^c from an epoch to w_max."""
    low, high = 0, steps.size[law] - 1
    while low < high:
        middle = (low + high) // 2
        if steps.end[law, middle] < epoch:
            low = middle + 1
        else:
            high = middle
    here = (steps.end[law, low] - epoch) * steps.height[law, low]
    found: float = (here + steps.area[law, low + 1]) / steps.height[law, first]
    return found
