"""
The kinds of campaigns, by the keys that each has of its own.

    instances, methods          methods solve instances
    workloads, policies         policies decide on workloads, see `simulation_document`
    mig_scheduling, methods     methods schedule jobs on MIG instances, see `mig_sources`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rsjs.core.errors import InputError, described
from rsjs.experiments import mig_methods, simulations
from rsjs.experiments.campaigns.mig_sources import MigSource, mig_sources
from rsjs.experiments.campaigns.runs import Kind
from rsjs.experiments.campaigns.sources import Source, sources, workload_sources
from rsjs.methods import Request, parse


class Part(NamedTuple):
    """
    Attributes
    ----------
    kind : Kind
    instances, methods : str
        The keys that it needs.
    may : frozenset of str
        Keys that it may have, and others not.
    sources, request : callable
        What reads their entries.
    """

    kind: Kind
    instances: str
    methods: str
    may: frozenset[str]
    sources: Callable[[Mapping[str, Any], Path, str], Sequence[Source | MigSource]]
    request: Callable[[str], Request]


PARTS = (
    Part(
        "workload",
        "workloads",
        "policies",
        frozenset({"simulation"}),
        workload_sources,
        simulations.request,
    ),
    Part(
        "mig_scheduling",
        "mig_scheduling",
        "methods",
        frozenset(),
        mig_sources,
        mig_methods.request,
    ),
    Part("instance", "instances", "methods", frozenset({"permute"}), sources, parse),
)


def part_of(document: Mapping[str, Any]) -> Part:
    """
    The kind of a campaign.

    Raises
    ------
    InputError
        Unless it has all keys of its kind, and none of another.
    """
    *others, own = PARTS
    for part in others:
        if ({part.instances, part.methods, *part.may} - {own.methods}) & {*document}:
            own = part
            break
    for key in (own.instances, own.methods):
        if key not in document:
            raise InputError("", described(f"no key {key!r}"), "this key")
    allowed = {own.instances, own.methods, *own.may}
    for part in PARTS:
        for key in (part.instances, part.methods, *part.may):
            if key in document and key not in allowed:
                expected = f"it in a campaign without {own.instances} only"
                raise InputError(f"/{key}", described("this key"), expected)
    return own
