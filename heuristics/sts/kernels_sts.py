"""
A decision of STS in one pass: profiles, queue, placement and T_j; see sts.py.

T_j, when a job's configuration must change (Filippini et al. 2024, VI-B), without Zeno's events: a
job has what the model chose, until the first switch of its profile. If it got other GPUs, T_j of
the model means nothing: kept, it sits on the switching surface, and events accumulate (online 6).
So the model is solved again with at least the GPUs that the job has, and its first switch counts.
If these are no vertex of that hull, T_j is the last moment from which the fastest configuration
a_min is still in time,

    t = (d - a_min (w_max - w)) / (1 - a_min / a_k)

A job that is late in any case, or in time as it is, has no T_j: it waits for others to end. T_j is
never sooner than the least time between decisions.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.heuristics.common.jit import compiled
from rsjs.heuristics.greedy.arrays import Floats, Ints, NodeTables
from rsjs.heuristics.sts.kernels_rooms import Rooms, place
from rsjs.heuristics.sts.kernels_sts_choices import (
    Queued,
    by_pressure,
    list_codes,
    solved,
    sort_types,
)
from rsjs.heuristics.sts.kernels_sts_postprocessing import give_idle_gpus, last_moment
from rsjs.heuristics.sts.speed_profile import Profiles
from rsjs.heuristics.sts.survival import Steps


class Decided(NamedTuple):
    """Arrays for a decision, by job."""

    node: Ints  # -1 = waits
    gpu: Ints  # type
    gpus: Ints  # dedicated ones; 0 = a share
    shared: Ints  # shared GPU; -1 = dedicated
    wanted: Ints
    change: Floats


@compiled
def decide(
    nodes: NodeTables,
    jobs: Queued,
    steps: Steps,
    now: float,
    spacing: float,
    fallback: bool,
    gives: bool,
    rooms: Rooms,
    made: Decided,
) -> None:
    """Fill `made`, and `rooms.node_gpu`; see `sts.decide`."""
    number, types, stride = jobs.rate.shape
    work = np.empty(number)
    rate, time = np.empty((number * types, stride)), np.empty(number * types)
    for j in range(number):
        law = steps.law[j]
        work[j] = steps.end[law, steps.size[law] - 1] - steps.done[j]
        for t in range(types):
            most = 0
            for k in range(stride):
                if jobs.rate[j, t, k] < inf:
                    most = k
            for k in range(stride):
                allowed = k >= min(jobs.floor[j], most)
                rate[j * types + t, k] = jobs.rate[j, t, k] if allowed else inf
            time[j * types + t] = jobs.time[j]
    rows = np.arange(number * types)
    found = solved(rate, jobs.power, time, steps, rows // types, rows % types)
    made.node[:], made.gpu[:], made.gpus[:], made.shared[:] = -1, -1, 0, -1
    made.wanted[:] = jobs.kept
    order, key = np.empty(types, dtype=np.int64), np.empty(types)
    codes = np.empty(types * (stride + 1), dtype=np.int64)
    for j in by_pressure(jobs, work, now):
        sort_types(jobs, work, found, j, order, key)
        for c in range(list_codes(jobs, found, j, order, fallback, codes)):
            gpu, count = codes[c] // stride, codes[c] % stride
            node, shared = place(nodes, rooms, gpu, count, jobs.units[j, gpu])
            if node >= 0:
                made.node[j], made.gpu[j], made.gpus[j], made.shared[j] = node, gpu, count, shared
                made.wanted[j] = found.initial[j * types + gpu]
                break
        if rooms.free.max() == 0:
            break
    if gives:
        give_idle_gpus(jobs.rate, work, rooms, made.node, made.gpu, made.gpus, made.shared)
    set_changes(jobs, steps, work, found, spacing, made)


@compiled
def set_changes(
    jobs: Queued, steps: Steps, work: Floats, found: Profiles, spacing: float, made: Decided
) -> None:
    """Fill `made.change` with T_j - now [h]; inf = never, or the job waits."""
    types, stride = jobs.rate.shape[1:]
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
