"""Policies that are not methods: they need what happened before, declared as data like methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rsjs.core.method import Method
from rsjs.methods import Methods, Request, all_methods, parse

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
