"""
Policies by their spelling, that of a method: `name[@solver][:rule][?key=value,...]`.

Policies that are not methods: they need what happened before, declared as data like methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from rsjs.core.method import Method
from rsjs.instances.instance import Instance, Workload
from rsjs.methods import Methods, Request, all_methods, parse
from rsjs.simulation.policies import method
from rsjs.simulation.policy import Policy
from rsjs.simulation.state import whole

ROLL = Method(
    name="roll",
    summary="one-step roll-out: the next hours by HiGHS, then each job alone on the cluster",
    kind="heuristic",
    run="rsjs.simulation.policies.roll:policy",
    open_nodes=frozenset({"free", "jahani_eq"}),
)
POLICIES: Mapping[str, Method] = {method.name: method for method in (ROLL,)}


def deciders() -> Methods:
    """Name -> all that may be spelled as a policy: methods, and policies that are none."""
    methods = all_methods()
    return replace(methods, own={**methods.own, **POLICIES})


def request(spelling: str) -> Request:
    """The request that the spelling of a policy stands for; InputError if there is none."""
    return parse(spelling, deciders())


OWN_FILES = {  # method: the file here that makes its policy; `method` makes all others
    "dp": "dp",
    "fifo": "waiting_jobs",
    "edf": "waiting_jobs",
    "priority": "waiting_jobs",
    "greedy": "greedy",
    "hierarchical": "hierarchical",
    "queue": "queue",
    "randomized_queue": "randomized_queue",
    "roll": "roll",
    "sts": "sts",
}


def policy(spelling: str, workload: Workload) -> Policy:
    """
    The policy that a spelling stands for: a file of its own, or the method as a policy.

    All that it needs is imported and compiled, so that its first decision takes no longer.

    Raises
    ------
    InputError
        If there is no such method, or it cannot decide on the workload.
    """
    made = served(request(spelling), whole(workload))
    made.prepare()
    return made


def served(request: Request, instance: Instance) -> Policy:
    """
    The policy of a request, or of the first one named that can decide on these jobs.

    Nothing is compiled before its `prepare` is run.
    """
    if request.otherwise:
        request = request.serving(instance)
    method.refuse(request, instance)
    return maker(request.method.name)(request, instance)


def maker(name: str) -> Callable[[Request, Instance], Policy]:
    """What makes the policy of a method; only its file is imported."""
    file = import_module(f"{__package__}.{OWN_FILES.get(name, 'method')}")
    made: Callable[[Request, Instance], Policy] = file.policy
    return made
