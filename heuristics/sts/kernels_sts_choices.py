"""
What STS chooses from: the queue, and each job's configurations (Filippini et al. 2024, VI-A, -B).

    Delta_j = now + min t_j - d_j, times eta_j where positive          (27), t_j at w_max
    D_j     the first configuration of the optimal profile on each GPU type      Algorithm 3

The types on which d_j can be met come first, by expected energy (P3.1), then the others, by the
time that their fastest configuration takes at w_max: the paper sorts by energy alone, but has no
rule for a job that is late on some types. As a fallback each type in turn offers what is less than
wanted, the fastest first.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.greedy.arrays import Floats, Ints
from rsjs.heuristics.sts.kernels_speed_profile import profiles
from rsjs.heuristics.sts.speed_profile import INFEASIBLE, SLACK, Profiles
from rsjs.heuristics.sts.survival import Steps


class Queued(NamedTuple):
    """The jobs of a decision; J jobs, T GPU types, G GPUs of the largest node."""

    rate: Floats  # (J, T, G + 1) as in `PowerModel`
    power: Floats  # (J, T, G + 1)
    units: Ints  # (J, T)
    time: Floats  # (J,) h until the due date, less the margin
    due: Floats  # (J,)
    weight: Floats  # (J,)
    floor: Ints  # (J,) k_0, 0 where it does not hold
    kept: Ints  # (J,) what k_0 is said to be of jobs that wait


@compiled
def solved(
    rate: Floats, power: Floats, time: Floats, steps: Steps, job: Ints, gpu: Ints
) -> Profiles:
    """The profiles of n problems, each of a job on a GPU type, from its rows of `power`."""
    problems, most = rate.shape
    own_power = np.empty((problems, most))
    law, first = np.empty((2, problems), dtype=np.int64)
    done = np.empty(problems)
    for p in range(problems):
        law[p], first[p], done[p] = steps.law[job[p]], steps.first[job[p]], steps.done[job[p]]
        own_power[p] = power[job[p], gpu[p]]
    found = Profiles(
        np.empty(problems, dtype=np.int64),
        np.empty(problems),
        np.empty(problems, dtype=np.int64),
        np.empty(problems),
        np.empty((problems, most), dtype=np.int64),
        np.empty((problems, most)),
    )
    own = Steps(steps.end, steps.height, steps.area, steps.size, law, first, done)
    profiles(rate, own_power, time, own, found)
    return found


@compiled
def by_pressure(jobs: Queued, work: Floats, now: float) -> Ints:
    """Return the jobs by decreasing pressure (27); ties by position."""
    key = np.empty(len(work))
    for j in range(len(work)):
        fastest = inf
        for t in range(jobs.rate.shape[1]):
            for k in range(jobs.rate.shape[2]):
                fastest = min(fastest, jobs.rate[j, t, k])
        pressure = now + fastest * work[j] - jobs.due[j]
        key[j] = -(pressure * jobs.weight[j] if pressure > 0 else pressure)
    return np.argsort(key, kind="mergesort")


@inlined
def sort_types(
    jobs: Queued, work: Floats, found: Profiles, j: int, order: Ints, key: Floats
) -> None:
    """Fill `order` with the types, the best for a job first; `key` is room for what sorts them."""
    types = order.shape[0]
    for t in range(types):
        p = j * types + t
        late = found.status[p] == INFEASIBLE
        key[t] = jobs.rate[j, t, found.initial[p]] * work[j] if late else found.energy[p]
        own, at = max(found.status[p], SLACK), t
        while at > 0:
            other = order[at - 1]
            status = max(found.status[j * types + other], SLACK)
            if status < own or (status == own and key[other] <= key[t]):
                break
            order[at] = other
            at -= 1
        order[at] = t


@inlined
def list_codes(
    jobs: Queued, found: Profiles, j: int, order: Ints, fallback: bool, codes: Ints
) -> int:
    """Fill `codes` with what a job wants and, as a fallback, what is less; how many there are."""
    types, stride, listed = order.shape[0], jobs.rate.shape[2], 0
    for r in range(types):
        if found.initial[j * types + order[r]] >= 0:
            codes[listed] = order[r] * stride + found.initial[j * types + order[r]]
            listed += 1
    if not fallback:
        return listed
    for r in range(types):
        t, begin = order[r], listed
        for k in range(found.initial[j * types + t]):
            if jobs.rate[j, t, k] == inf:
                continue
            at = listed
            while at > begin and jobs.rate[j, t, codes[at - 1] % stride] > jobs.rate[j, t, k]:
                codes[at] = codes[at - 1]
                at -= 1
            codes[at] = t * stride + k
            listed += 1
    return listed
