"""
References for the cost of a policy: lower bounds of a workload, and baselines, which are none.

    capacity_free_bound     each job alone, see `bounds`
    workload_bound          each job alone at prices of GPUs over time, see `bounds`
    certificate             these prices; None where the times have errors
    offered_load            not in $, see `instances.offered_load`
    clairvoyant_greedy      `queue:greedy` with `epochs="known"`
    infinite_cluster        each job alone with its optimal speed profile, see
                            `heuristics.sts.speed_profile`, on the modes of all GPU types together,
                            and then as many epochs as it runs

Clairvoyant greedy is the cost of a schedule that was simulated; a better one may cost less. Nor is
the infinite cluster below every policy on every workload: a profile pays for being in time with the
last epoch of its distribution, and a policy that takes the risk may be lucky.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rsjs.heuristics.sts.single_job import steps_of_jobs
from rsjs.instances.instance import Workload
from rsjs.instances.offered_load import offered_load
from rsjs.simulation.bounds import capacity_free_bound, modes, workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import KNOWN, Options
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Status


def clairvoyant_greedy(workload: Workload, options: Options | None = None) -> float | None:
    """Return the cost [$] of `queue:greedy` that is told W_j; None if it does not complete."""
    known = replace(options or Options(), epochs=KNOWN)
    greedy = simulate(workload, policy("queue:greedy", workload, known), known)
    return greedy.totals.cost if greedy.status == Status.COMPLETE else None


def infinite_cluster(workload: Workload, options: Options | None = None) -> float:
    """Return the cost [$] of all jobs, each alone with its optimal profile on its real times."""
    from rsjs.heuristics.sts.speed_profile import profiles  # which loads numba

    jobs, of = workload.jobs, modes(workload, options or Options())
    power = np.broadcast_to(of.price, of.pace.shape)
    slack = jobs.due - jobs.release
    found = profiles(of.pace, power, slack, steps_of_jobs(workload.submitted()))
    until = np.minimum(found.until, workload.realised_epochs[:, None])
    epochs = np.diff(until, axis=1, prepend=0.0)
    hours = epochs * np.take_along_axis(of.pace, found.vertex, axis=1)
    energy = float((hours * of.price[found.vertex]).sum())
    return energy + float(jobs.weight @ np.maximum(0.0, hours.sum(axis=1) - slack))


def references(workload: Workload, options: Options, *, baselines: bool = False) -> dict[str, Any]:
    """
    Return the references of a workload; None = not asked for, or not to be had.

    `baselines` tells whether these are wanted: one of them is a simulation.
    """
    bound = workload_bound(workload, options)
    return {
        "capacity_free_bound": capacity_free_bound(workload, options),
        "workload_bound": bound.value,
        "certificate": bound.certificate(workload, options),
        "offered_load": offered_load(workload),
        "clairvoyant_greedy": clairvoyant_greedy(workload, options) if baselines else None,
        "infinite_cluster": infinite_cluster(workload, options) if baselines else None,
    }
