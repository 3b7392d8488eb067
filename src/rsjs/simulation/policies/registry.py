"""Policies by their spelling, that of a method: `name[@solver][:rule][?key=value,...]`."""

from __future__ import annotations

from rsjs.instances.schema import Workload
from rsjs.methods import parse
from rsjs.simulation.policies import method, queue, waiting_jobs
from rsjs.simulation.policy import Policy
from rsjs.simulation.state import whole

MADE_BY = {
    "fifo": waiting_jobs.policy,
    "edf": waiting_jobs.policy,
    "priority": waiting_jobs.policy,
    "queue": queue.policy,
}


def policy(spelling: str, workload: Workload) -> Policy:
    """
    The policy that a spelling stands for: a file of its own, or the method as a policy.

    Raises
    ------
    InputError
        If there is no such method, or it cannot decide on the workload.
    """
    request, instance = parse(spelling), whole(workload)
    method.refuse(request, instance)
    make = MADE_BY.get(request.method.name, method.policy)
    return make(request, instance)
