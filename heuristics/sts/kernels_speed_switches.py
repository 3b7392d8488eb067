"""
Switch epochs x_r where the time left is tight: the least ratio Phi_r F^c_i with T <= d.

Of each speed r some steps are open, [low_r, high_r): T <= d where the steps before low_r are taken,
T > d where those before high_r are. The middle step of the longest row of open ones is tried, until
few are left; these are taken one ratio after the other. As Phi_r rises with r, so do the steps of a
ratio.
"""

from __future__ import annotations

from typing import NamedTuple

from rsjs.heuristics.common.jit import inlined
from rsjs.heuristics.sts.survival import Floats, Ints

FEW = 12  # open steps


class Left(NamedTuple):
    """What is left of a job: the steps of its law and where it stands; see `Steps`."""

    end: Floats
    height: Floats
    steps: int  # how many
    first: int  # in which the job is
    done: float


class Speeds(NamedTuple):
    """The hull of a problem, and of each of its speeds but the fastest the open steps."""

    phi: Floats
    saved: Floats  # S_r [h]
    low: Ints
    high: Ints
    tried: Ints


@inlined
def spread(left: Left, speeds: Speeds, size: int, base: float, time: float, until: Floats) -> None:
    """
    Fill `until` with x_r, which is in one of the steps [low_r - 1, high_r - 1] afterwards.

    Parameters
    ----------
    size : vertices of the hull
    base : T of the fastest speed alone, at most `time`
    """
    for r in range(size - 1):
        speeds.low[r], speeds.high[r] = left.first, left.steps
    widest = longest(speeds, size)
    while widest >= 0 and not halved(left, speeds, size, widest, base, time):
        widest = longest(speeds, size)
    while equal_ones(left, speeds, size, base) <= time:
        for r in range(size - 1):
            speeds.low[r] = speeds.high[r]
    total = base
    for r in range(size - 1):
        until[r] = left.done
        if speeds.low[r] > left.first:
            until[r] = left.end[speeds.low[r] - 1]
        total = with_steps(left, speeds, r, speeds.low[r], total)
    spare = time - total
    for r in range(size - 2, -1, -1):
        if speeds.high[r] > speeds.low[r]:
            before = until[r]
            farthest = left.end[speeds.high[r] - 1]
            until[r] = max(before, min(farthest, before + spare / speeds.saved[r]))
            spare -= speeds.saved[r] * (until[r] - before)


@inlined
def longest(speeds: Speeds, size: int) -> int:
    """The speed with most open steps; -1 if there are few."""
    widest, total = 0, 0
    for r in range(size - 1):
        total += speeds.high[r] - speeds.low[r]
        if speeds.high[r] - speeds.low[r] > speeds.high[widest] - speeds.low[widest]:
            widest = r
    return widest if total > FEW else -1


@inlined
def halved(left: Left, speeds: Speeds, size: int, widest: int, base: float, time: float) -> bool:
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
def equal_ones(left: Left, speeds: Speeds, size: int, base: float) -> float:
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
def past(left: Left, speeds: Speeds, r: int, ratio: float) -> int:
    """The first step of speed r from low_r on that does not have a ratio."""
    at: int = speeds.low[r]
    while at < left.steps and speeds.phi[r] * left.height[at] == ratio:
        at += 1
    return at


@inlined
def with_steps(left: Left, speeds: Speeds, r: int, steps: int, total: float) -> float:
    """`total` and what it takes in addition if speed r is kept for so many steps."""
    if steps > left.first:
        total += speeds.saved[r] * (left.end[steps - 1] - left.done)
    return total
