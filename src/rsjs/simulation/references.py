"""
What the cost of a policy is held against: lower bounds and yardsticks of a workload.

    capacity_free_bound     `offline`
    bucket_bound            `bucket_bound`, where asked for
    clairvoyant_greedy      `yardsticks`: no bounds
    infinite_cluster

What a workload costs under conditions that no policy has: yardsticks, not bounds.

    clairvoyant greedy    `queue:greedy` told how many epochs each job runs: the price of not
                          knowing that is what a policy pays above it, where jobs hardly wait
    infinite cluster      each job alone with its optimal speed profile, see
                          `heuristics.speed_profile`, on the configurations of all GPU types
                          together, and then as many epochs as it runs

The first is the cost of a schedule that was simulated; a better one may cost less. Nor is the other
one below every policy on every workload: a profile pays for being in time with the last epoch of
its law, and a policy that takes the risk may be lucky.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rsjs.heuristics.sts.single_job import steps_of_jobs
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.instance import Instance, Workload
from rsjs.simulation.bounds import bucket_bound, capacity_free_bound, configurations
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Choice, Policy, Status
from rsjs.simulation.state import State, whole

CLAIRVOYANT = "queue:greedy"


def clairvoyant(workload: Workload, options: Options | None = None) -> Outcome:
    """The workload under greedy, which knows how many epochs each job runs."""
    return simulate(workload, _told(policy(CLAIRVOYANT, workload), workload), options)


def infinite_cluster(workload: Workload, options: Options | None = None) -> float:
    """Cost [$] of all jobs, each alone with its optimal profile on the times that it really has."""
    from rsjs.heuristics.sts.speed_profile import profiles  # which loads numba

    jobs, of = workload.jobs, configurations(workload, options or Options())
    power = np.broadcast_to(of.price, of.pace.shape)
    slack = jobs.due - jobs.release
    found = profiles(of.pace, power, slack, steps_of_jobs(whole(workload)))
    until = np.minimum(found.until, workload.realised_epochs[:, None])
    epochs = np.diff(until, axis=1, prepend=0.0)
    hours = epochs * np.take_along_axis(of.pace, found.vertex, axis=1)
    energy = float((hours * of.price[found.vertex]).sum())
    return energy + float(jobs.weight @ np.maximum(0.0, hours.sum(axis=1) - slack))


def _told(decides: Policy, workload: Workload) -> Policy:
    """A policy that sees the number of epochs of each job in place of its law."""
    known = _known(workload)

    def decide(state: State, memory: Any) -> Choice:
        return decides.decide(replace(state, workload=known), memory)

    return replace(decides, spelling=f"clairvoyant {decides.spelling}", decide=decide)


def _known(workload: Workload) -> Instance:
    """All jobs, each to run the epochs that it will."""
    instance = whole(workload)
    jobs = replace(
        instance.jobs,
        epochs_max=workload.realised_epochs,
        law=(FIXED,) * len(instance.jobs),
    )
    return replace(instance, jobs=jobs)


@dataclass(frozen=True, kw_only=True)
class References:
    """
    Costs [$] that a workload is compared with; None = not asked for, or not to be had.

    Attributes
    ----------
    capacity_free_bound : float
    bucket_bound : float or None
    bucket_hours : float or None [h]
    clairvoyant_greedy, infinite_cluster : float or None
    """

    capacity_free_bound: float
    bucket_bound: float | None = None
    bucket_hours: float | None = None
    clairvoyant_greedy: float | None = None
    infinite_cluster: float | None = None

    @property
    def bound(self) -> float:
        """The best lower bound."""
        return max(self.capacity_free_bound, self.bucket_bound or 0.0)

    def as_dict(self) -> dict[str, float | None]:
        """The references by name."""
        return asdict(self)


def references(
    workload: Workload,
    options: Options,
    *,
    bucket_hours: float | None = None,
    yardsticks: bool = False,
) -> References:
    """
    The references of a workload.

    Parameters
    ----------
    bucket_hours : float, optional [h]
        Length of the buckets of the second bound; without it there is none.
    yardsticks : bool
        Whether the yardsticks are wanted: one of them is a simulation.
    """
    buckets = None
    if bucket_hours is not None:
        buckets = bucket_bound(workload, options, hours=bucket_hours)
    told = clairvoyant(workload, options) if yardsticks else None
    complete = told is not None and told.status == Status.COMPLETE
    return References(
        capacity_free_bound=capacity_free_bound(workload, options),
        bucket_bound=buckets,
        bucket_hours=bucket_hours,
        clairvoyant_greedy=told.totals.cost if told is not None and complete else None,
        infinite_cluster=infinite_cluster(workload, options) if yardsticks else None,
    )
