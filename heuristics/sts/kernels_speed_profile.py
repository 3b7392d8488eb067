"""Optimal speed profiles, problem by problem; see speed_profile.py."""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.sts.kernels_speed import hull
from rsjs.heuristics.sts.kernels_speed_switches import Left, Speeds, spread
from rsjs.heuristics.sts.speed_profile import FEASIBLE, INADMISSIBLE, INFEASIBLE, SLACK, Profiles
from rsjs.heuristics.sts.survival import Floats, Ints, Steps


@compiled
def profiles(rate: Floats, power: Floats, time: Floats, steps: Steps, found: Profiles) -> None:
    """Fill `found` with the profiles of n problems, as `speed_profile.profiles` returns them."""
    problems, most = rate.shape
    own_rate, energy, phi, saved = np.empty((4, most))
    low, high, tried = np.empty((3, most), dtype=np.int64)
    speeds = Speeds(phi, saved, low, high, tried)
    for p in range(problems):
        law, until = steps.law[p], found.until[p]
        end, height = steps.end[law], steps.height[law]
        left = Left(end, height, steps.size[law], steps.first[p], steps.done[p])
        last = end[left.steps - 1]
        size = hull(rate[p], power[p], found.vertex[p], own_rate, energy, phi)
        until[:] = last
        if size == 0:
            found.status[p], found.energy[p] = INADMISSIBLE, inf
            found.initial[p], found.change[p] = -1, inf
            continue
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


@compiled
def find_hull(
    rate: Floats, power: Floats, vertex: Ints, own_rate: Floats, energy: Floats, phi: Floats
) -> int:
    """Fill the arrays as `speed_hull.hull` does, for callers that are no kernels."""
    return hull(rate, power, vertex, own_rate, energy, phi)


@inlined
def tell(
    left: Left,
    area: Floats,
    rate: Floats,
    energy: Floats,
    speeds: Speeds,
    size: int,
    p: int,
    found: Profiles,
) -> None:
    """What the switch epochs of problem p say: energy, first configuration, when it changes."""
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
def epochs_from(left: Left, area: Floats, epoch: float, low: int, high: int) -> float:
    """Integral of F^c from an epoch to w_max; the epoch is in one of the steps [low, high]."""
    while low < high:
        middle = (low + high) // 2
        if left.end[middle] < epoch:
            low = middle + 1
        else:
            high = middle
    here = (left.end[low] - epoch) * left.height[low]
    found: float = (here + area[low + 1]) / left.height[left.first]
    return found
