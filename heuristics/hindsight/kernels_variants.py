"""
Jobs at prices of GPUs over time where preemption or a change of mode is ruled out.

Edges, buckets and prices P_bq as in `kernels_jobs`; mode q takes t_jq = W_j a_jq hours for job j.

**One mode.** A job may be interrupted, but runs in one mode only:

    min_q min_C { E_jq(C) + eta_j max(0, C - d_j) },

E_jq being E_j of a job that has mode q and no other: a fractional knapsack of hours of one length.

**No preemption.** A job is one uninterrupted run in one mode. Let F_q be the integral of P_q(t)
from e_0 on. A run that starts at s costs

    H_jq(s) = F_q(s + t_jq) - F_q(s) + eta_j max(0, s + t_jq - d_j)                       s >= r_j

F_q is piecewise linear with breaks at edges, so H_jq is piecewise linear with breaks at the edges,
the edges less t_jq, and d_j - t_jq. Beyond the last one its slope is eta_j >= 0: the least is at
one of them or at r_j.

**Both are bounds**, put in place of min_C G_j(C) in L of `lagrangian`. That nodes earn at most
R_cb needs nothing of the jobs; so of a schedule of the variant, energy >= sum of what modes cost at
P, less what nodes earn. A job in one mode q that completes at C spends t_jq hours in it within
[r_j, C], which costs at least E_jq(C). One that runs in q without interruption until C holds its
GPUs at least from C - t_jq on, longer where nodes boot, and P >= 0: it pays at least
H_jq(C - t_jq). In both a job may still move between nodes. Each is at least min_C G_j(C), so at the
same prices: free <= one mode <= no preemption.
"""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs, run_alone


def run_in_one_mode(
    jobs: HindsightJobs,
    edges: Floats,
    price: Floats,
    priced: Bools,
    value: Floats,
    end: Floats,
    hours: Floats,
) -> None:
    """Run every job in one mode at the least cost; see `run_alone` for what is given and filled."""
    job = np.repeat(np.arange(len(jobs.work)), np.diff(jobs.first))
    each, ends = np.empty((2, len(job)))
    run_alone(_with_modes(jobs, job, np.arange(len(job))), edges, price, priced, each, ends, hours)
    order = np.lexsort((each, job))
    best = order[jobs.first[:-1]]
    run_alone(
        _with_modes(jobs, np.arange(len(best)), best), edges, price, priced, value, end, hours
    )


def _with_modes(jobs: HindsightJobs, job: Ints, entry: Ints) -> HindsightJobs:
    """Return jobs of one mode each: job[i] with entry[i]."""
    return HindsightJobs(
        first=np.arange(len(job) + 1),
        mode=jobs.mode[entry],
        speed=jobs.speed[entry],
        release=jobs.release[job],
        due=jobs.due[job],
        weight=jobs.weight[job],
        work=jobs.work[job],
    )


@inlined
def paid(total: Floats, edges: Floats, price: Floats, mode: int, bucket: int, time: float) -> float:
    """Return F_q at a time within a bucket [$]."""
    cost: float = total[bucket, mode] + (time - edges[bucket]) * price[bucket, mode]
    return cost


@inlined
def bucket_of(edges: Floats, bucket: int, time: float) -> int:
    """Return the bucket of a time, which is this one or later."""
    while bucket < len(edges) - 1 and edges[bucket + 1] <= time:
        bucket += 1
    return bucket


@compiled
def run_once(
    jobs: HindsightJobs,
    edges: Floats,
    price: Floats,
    priced: Bools,
    value: Floats,
    end: Floats,
    hours: Floats,
) -> None:
    """Run every job once, without interruption, at the least cost; arrays as in `run_alone`."""
    buckets = len(edges) - 1
    total = np.zeros_like(price)  # F_q at the edges
    for b in range(buckets):
        for q in range(price.shape[1]):
            total[b + 1, q] = total[b, q] + (edges[b + 1] - edges[b]) * price[b, q]
    hours[:] = 0.0
    for job in range(len(jobs.work)):
        release, due, weight = jobs.release[job], jobs.due[job], jobs.weight[job]
        begin = bucket_of(edges, 0, release)
        best, best_until, best_run, best_mode = inf, inf, 0.0, -1
        for entry in range(jobs.first[job], jobs.first[job + 1]):
            q = jobs.mode[entry]
            run = jobs.work[job] / jobs.speed[entry]
            least = run * price[buckets, q]
            # runs that start at the release or at an edge after it
            last = begin
            for at in range(begin, buckets + 1):
                start = release if at == begin else edges[at]
                until = start + run
                late = weight * max(0.0, until - due)
                if least + late >= best:
                    break
                last = bucket_of(edges, last, until)
                cost = late + paid(total, edges, price, q, last, until)
                cost -= paid(total, edges, price, q, at, start)
                if cost < best:
                    best, best_until, best_run, best_mode = cost, until, run, q
            # runs that end when due, then at an edge
            if due - run > release:
                at, last = bucket_of(edges, begin, due - run), bucket_of(edges, begin, due)
                cost = paid(total, edges, price, q, last, due)
                cost -= paid(total, edges, price, q, at, due - run)
                if cost < best:
                    best, best_until, best_run, best_mode = cost, due, run, q
            at = begin
            for last in range(bucket_of(edges, begin, release + run) + 1, buckets + 1):
                until = edges[last]
                late = weight * max(0.0, until - due)
                if least + late >= best:
                    break
                at = bucket_of(edges, at, until - run)
                cost = late + total[last, q] - paid(total, edges, price, q, at, until - run)
                if cost < best:
                    best, best_until, best_run, best_mode = cost, until, run, q
        value[job], end[job] = best, best_until
        for b in range(begin, bucket_of(edges, begin, best_until) + 1):
            upper = min(edges[b + 1], best_until) if b < buckets else best_until
            hours[b, best_mode] += max(0.0, upper - max(edges[b], best_until - best_run))


VARIANTS = {"free": run_alone, "one_mode": run_in_one_mode, "no_preemption": run_once}
