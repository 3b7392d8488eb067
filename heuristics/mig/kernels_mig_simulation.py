"""Kernel: best fit minute by minute, jobs in the order of a rank that each of their steps has."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.mig.kernels import MigTables
from rsjs.instances.mig.jobs import Integers


@inner
def _before(p: MigTables, rank: Integers, step: Integers, home: Integers, a: int, b: int) -> bool:
    """Whether job a comes before job b: one that must not stop, then the lower rank."""
    fixed_a = home[a] >= 0 and not p.stops[a]
    fixed_b = home[b] >= 0 and not p.stops[b]
    if fixed_a != fixed_b:
        return fixed_a
    return bool(rank[step[a]] < rank[step[b]])


@inner
def _unit(
    p: MigTables, busy: Integers, t: int, j: int, s: int, home: Integers, last: int, stay: bool
) -> int:
    """
    The job's own unit, or the smallest free one that holds the step; -1 = none.

    Among free units of one size the one of the step before comes first; with `stay`, among all.
    """
    if home[j] >= 0:
        return home[j] if busy[home[j]] != t else -1
    known = last >= 0 and busy[last] != t and p.memory[last] >= p.need[s]
    if known and stay:
        return last
    for i in range(len(p.memory)):
        if busy[i] != t and p.memory[i] >= p.need[s]:
            return last if known and p.memory[last] == p.memory[i] else i
    return -1


@compiled
def simulate(p: MigTables, rank: Integers, stay: bool, minute: Integers, unit: Integers) -> None:
    """
    Fill in when and where every step runs.

    Parameters
    ----------
    p : MigTables
        Releases never decrease.
    rank : (S,) int
        The ready job whose next step has the least rank chooses its unit first; no two jobs may
        have steps of the same rank.
    stay : bool
        Whether a job prefers the unit of its last step to a smaller one.
    """
    jobs = len(p.release)
    step, home = p.first[:-1].copy(), np.full(jobs, -1)
    busy = np.full(len(p.memory), -1)
    ready = np.empty(jobs, np.int64)
    size, come, left, t = 0, 0, len(p.need), 0
    while left > 0:
        if size == 0 and p.release[come] > t:
            t = p.release[come]
        while come < jobs and p.release[come] <= t:
            ready[size] = come
            size, come = size + 1, come + 1
        for a in range(1, size):
            j, b = ready[a], a - 1
            while b >= 0 and _before(p, rank, step, home, j, ready[b]):
                ready[b + 1] = ready[b]
                b -= 1
            ready[b + 1] = j
        running, kept = 0, 0
        for a in range(size):
            j = ready[a]
            s = step[j]
            last = unit[s - 1] if s > p.first[j] else -1
            i = -1
            if running < len(p.memory):
                i = _unit(p, busy, t, j, s, home, last, stay)
            if i >= 0:
                minute[s], unit[s], busy[i] = t, i, t
                running += 1
                step[j] += 1
                if not p.moves[j]:
                    home[j] = i
            if step[j] < p.first[j + 1]:
                ready[kept] = j
                kept += 1
        left -= running
        size = kept
        t += 1
