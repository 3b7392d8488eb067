"""Policies by their spelling, that of a method: `name[@solver][:rule][?key=value,...]`."""

from __future__ import annotations

from dataclasses import replace

from rsjs.instances.schema import Instance, Workload
from rsjs.methods import Request
from rsjs.simulation.policies import (
    dp,
    greedy,
    hierarchical,
    method,
    queue,
    randomized_queue,
    roll,
    sts,
    waiting_jobs,
)
from rsjs.simulation.policies.declared import request as requested
from rsjs.simulation.policy import Policy
from rsjs.simulation.state import whole

MADE_BY = {
    "dp": dp.policy,
    "fifo": waiting_jobs.policy,
    "edf": waiting_jobs.policy,
    "priority": waiting_jobs.policy,
    "greedy": greedy.policy,
    "hierarchical": hierarchical.policy,
    "queue": queue.policy,
    "randomized_queue": randomized_queue.policy,
    "roll": roll.policy,
    "sts": sts.policy,
}


def policy(spelling: str, workload: Workload) -> Policy:
    """
    The policy that a spelling stands for: a file of its own, or the method as a policy.

    Raises
    ------
    InputError
        If there is no such method, or it cannot decide on the workload.
    """
    return served(requested(spelling), whole(workload))


def served(request: Request, instance: Instance) -> Policy:
    """The policy of a request, or of the first one named that can decide on these jobs."""
    if request.otherwise:
        serving = (one for one in (request, *request.otherwise) if not one.method.refusal(instance))
        request = replace(next(serving, request), otherwise=())
    method.refuse(request, instance)
    make = MADE_BY.get(request.method.name, method.policy)
    return make(request, instance)
