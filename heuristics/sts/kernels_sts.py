"""
A decision of STS in one pass: profiles, queue, placement and T_j; see sts.py.

Queue and modes (Filippini et al. 2024, VI-A, -B):

    Delta_j = now + min t_j - d_j, times eta_j where positive          (27), t_j at w_max
    D_j     the first mode of the optimal profile on each GPU type               Algorithm 3

The types on which d_j can be met come first, by expected energy (P3.1), then the others, by the
time that their fastest mode takes at w_max: the paper sorts by energy alone, but has no rule for a
job that is late on some types. As a fallback each type in turn offers what is less than wanted, the
fastest first. Jobs are placed as `greedy/kernels_placement` does it, on an empty cluster.

Idle GPUs are given away (VI-C): those of a node go one by one to that job on it which saves most
time at w_max, (a_k - a_(k+1)) (w_max - w), as long as one saves any: two more GPUs are not tried
where one saves nothing. A share becomes a GPU of its own; a job alone on a shared GPU gets all of
it at once.

T_j, when a job's mode must change (VI-B), without Zeno's events: a job has what the model chose,
until the first switch of its profile. If it got other GPUs, T_j of the model means nothing: kept,
it sits on the switching surface, and events accumulate (online 6). So the model is solved again
with at least the GPUs that the job has, and its first switch counts. If these are no vertex of that
hull, T_j is the last moment from which the fastest mode a_min is still in time,

    t = (d - a_min (w_max - w)) / (1 - a_min / a_k)

A job that is late in any case, or in time as it is, has no T_j: it waits for others to end. T_j is
never sooner than the least time between decisions.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.greedy.arrays import NodeLevels, NodeTables
from rsjs.heuristics.greedy.kernels_placement import (
    FreeCapacityArrays,
    close_all,
    first_level,
    has_share,
    most,
    place_share,
    place_tightly,
)
from rsjs.heuristics.sts.single_job import INFEASIBLE, SLACK, SpeedProfiles, SurvivalSteps
from rsjs.heuristics.sts.speed_profile import solve


class QueuedJobs(NamedTuple):
    """The jobs of an instance; J jobs, T GPU types, G GPUs of the largest node."""

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
    rate: Floats, power: Floats, time: Floats, steps: SurvivalSteps, job: Ints, gpu: Ints
) -> SpeedProfiles:
    """Return the profiles of n problems, each of a job on a GPU type, from its rows of `power`."""
    problems, most = rate.shape
    own_power = np.empty((problems, most))
    law, first = np.empty((2, problems), dtype=np.int64)
    done = np.empty(problems)
    for p in range(problems):
        law[p], first[p], done[p] = steps.law[job[p]], steps.first[job[p]], steps.done[job[p]]
        own_power[p] = power[job[p], gpu[p]]
    own = SurvivalSteps(steps.end, steps.height, steps.area, steps.size, law, first, done)
    return solve(rate, own_power, time, own)


@compiled
def by_pressure(jobs: QueuedJobs, work: Floats, now: float) -> Ints:
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
    jobs: QueuedJobs, work: Floats, found: SpeedProfiles, j: int, order: Ints, key: Floats
) -> None:
    """Fill `order` with the types, the best for a job first; `key` is room for what sorts them."""
    types = order.shape[0]
    for t in range(types):
        p = j * types + t
        late = found.status[p] == INFEASIBLE
        key[t] = jobs.rate[j, t, found.initial[p]] * work[j] if late else found.energy[p]
        # insertion: types in time first, then by key
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
    jobs: QueuedJobs, found: SpeedProfiles, j: int, order: Ints, fallback: bool, codes: Ints
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


class DecisionArrays(NamedTuple):
    """Work arrays for one instance, by job."""

    node: Ints  # -1 = waits
    gpu: Ints  # type
    gpus: Ints  # dedicated ones; 0 = a share
    shared: Ints  # shared GPU; -1 = dedicated
    wanted: Ints
    change: Floats


@inlined
def place(
    nodes: NodeTables, free: FreeCapacityArrays, gpu: int, count: int, units: int
) -> tuple[int, int]:
    """
    Place a job; return (node, shared GPU), (-1, -1) if there is no room.

    Parameters
    ----------
    gpu : GPU type
    count : dedicated GPUs; 0 = a share
    units : of the share
    """
    if count > 0:
        level = first_level(free.levels, gpu, count)
        if level < 0:
            return -1, -1
        return place_tightly(nodes, free, gpu, count, level), -1
    if not has_share(free, gpu, units):
        return -1, -1
    shared = place_share(nodes, free, gpu, units)
    return free.divided.node[shared], shared


@inlined
def is_full(free: FreeCapacityArrays) -> bool:
    """Return whether no further job fits."""
    full = True
    for gpu in range(free.levels.room.shape[0]):
        full = full and free.divided.room[gpu] == 0 and most(free.levels, gpu) == 0
    return full


@compiled
def give_idle_gpus(rate: Floats, work: Floats, idle: Ints, made: DecisionArrays) -> None:
    """
    Give idle GPUs away: change `made.gpus`, `made.shared` and `idle`.

    Parameters
    ----------
    rate : (J, T, G + 1) float [h]
    work : (J,) float
        Epochs left at w_max.
    idle : (N,) int
    """
    node, gpu, count, shared = made.node, made.gpu, made.gpus, made.shared
    # jobs on each shared GPU; one that is alone gets all of it
    together = np.zeros(shared.max() + 1, dtype=np.int64)
    for j in range(len(work)):
        if shared[j] >= 0:
            together[shared[j]] += 1
    for j in range(len(work)):
        if shared[j] >= 0 and together[shared[j]] == 1:
            count[j], shared[j] = 1, -1
    # the next idle GPU of a node goes to the job that saves most time with it
    for n in range(len(idle)):
        while idle[n] > 0:
            best, greatest = -1, 0.0
            for j in range(len(work)):
                if node[j] != n or count[j] + 1 == rate.shape[2]:
                    continue
                more = rate[j, gpu[j], count[j] + 1]
                saving = (rate[j, gpu[j], count[j]] - more) * work[j]
                if more < inf and saving > greatest:
                    best, greatest = j, saving
            if best < 0:
                break
            idle[n] -= 1
            count[best] += 1
            left, shared[best] = shared[best], -1
            if left >= 0:
                together[left] -= 1
                if together[left] == 1:
                    for j in range(len(work)):
                        if shared[j] == left:
                            count[j], shared[j] = 1, -1


@compiled
def last_moment(rate: Floats, count: int, time: float, work: float) -> float:
    """
    Return the hours for which a job may continue with `count` GPUs before it needs the fastest.

    inf if it is late in any case, or in time as it is; `rate` (G + 1,) is inf below `count` GPUs.
    """
    fastest, own = rate.min(), rate[count]
    if own * work <= time or fastest * work > time:
        return inf
    return float((time - fastest * work) / (1.0 - fastest / own))


@compiled
def decide(
    nodes: NodeTables,
    jobs: QueuedJobs,
    steps: SurvivalSteps,
    now: float,
    spacing: float,
    fallback: bool,
    gives: bool,
    closed: NodeLevels,
    free: FreeCapacityArrays,
    made: DecisionArrays,
) -> None:
    """Fill `made`, and `free.state.node_type`; see `sts.decide`."""
    close_all(closed, free)
    number, types, stride = jobs.rate.shape
    work = np.empty(number)
    # a problem for each job and GPU type: a_k without fewer GPUs than k_0
    rate, time = np.empty((number * types, stride)), np.empty(number * types)
    for j in range(number):
        law = steps.law[j]
        work[j] = steps.end[law, steps.size[law] - 1] - steps.done[j]
        for t in range(types):
            largest = 0
            for k in range(stride):
                if jobs.rate[j, t, k] < inf:
                    largest = k
            for k in range(stride):
                allowed = k >= min(jobs.floor[j], largest)
                rate[j * types + t, k] = jobs.rate[j, t, k] if allowed else inf
            time[j * types + t] = jobs.time[j]
    rows = np.arange(number * types)
    found = solved(rate, jobs.power, time, steps, rows // types, rows % types)
    made.node[:], made.gpu[:], made.gpus[:], made.shared[:] = -1, -1, 0, -1
    made.wanted[:] = jobs.kept
    order, key = np.empty(types, dtype=np.int64), np.empty(types)
    codes = np.empty(types * (stride + 1), dtype=np.int64)
    # Algorithm 2: each job takes its first mode that finds room
    for j in by_pressure(jobs, work, now):
        sort_types(jobs, work, found, j, order, key)
        for c in range(list_codes(jobs, found, j, order, fallback, codes)):
            gpu, count = codes[c] // stride, codes[c] % stride
            node, shared = place(nodes, free, gpu, count, jobs.units[j, gpu])
            if node >= 0:
                made.node[j], made.gpu[j], made.gpus[j], made.shared[j] = node, gpu, count, shared
                made.wanted[j] = found.initial[j * types + gpu]
                break
        if is_full(free):
            break
    if gives:
        give_idle_gpus(jobs.rate, work, free.state.idle, made)
    set_changes(jobs, steps, work, found, spacing, made)


@compiled
def set_changes(
    jobs: QueuedJobs,
    steps: SurvivalSteps,
    work: Floats,
    found: SpeedProfiles,
    spacing: float,
    made: DecisionArrays,
) -> None:
    """Fill `made.change` with T_j - now [h]; inf = never, or the job waits."""
    types, stride = jobs.rate.shape[1:]
    # jobs that have other GPUs than the model chose
    job = np.empty(len(work), dtype=np.int64)
    others = 0
    for j in range(len(work)):
        made.change[j] = inf
        if made.node[j] < 0:
            continue
        p = j * types + made.gpu[j]
        made.change[j] = max(found.change[p], spacing)
        if found.initial[p] != made.gpus[j]:
            job[others] = j
            others += 1
    # their model with at least the GPUs that they have
    job = job[:others]
    rate, time = np.empty((others, stride)), np.empty(others)
    for p in range(others):
        j, time[p] = job[p], jobs.time[job[p]]
        for k in range(stride):
            rate[p, k] = jobs.rate[j, made.gpu[j], k] if k >= made.gpus[j] else inf
    again = solved(rate, jobs.power, time, steps, job, made.gpu[job])
    for p in range(others):
        j = job[p]
        hours = again.change[p]
        if again.initial[p] != made.gpus[j]:
            hours = last_moment(rate[p], made.gpus[j], time[p], work[j])
        made.change[j] = max(hours, spacing)
