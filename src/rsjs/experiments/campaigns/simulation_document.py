"""
What a campaign of simulations says in place of instances and methods.

    [simulation]                            # options, see `rsjs.simulation.options`
    energy = "curve"
    boot = 0.025                            # hours

    [[workloads]]
    generator = "sts"                       # or: files = ["cases/*.json.gz"]
    sizes = ["10x100"]                      # nodes x jobs
    seeds = [1, 2, 3]
    arrivals = ["exp", "low", "high"]       # laws of the generator
    options = { mix = "km" }

    [[policies]]
    run = ["queue:edf", "sts:fallback", "references?bucket_hours=2"]
    on = ["sts-km-*"]                       # names of workloads; all by default
    seeds = [1, 2, 3]                       # in place of those of the campaign

`references` gives the bounds and yardsticks of a workload. The seed of a run is the seed of its
simulation; `permute` is for instances only, and `gap` and `threads` mean nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from rsjs.experiments import simulations
from rsjs.experiments.campaigns.sources import Source, sources, workload_sources
from rsjs.instances.documents import canonical_text
from rsjs.instances.errors import InputError, described
from rsjs.methods import Request, parse

SIMULATED = frozenset({"simulation", "workloads", "policies"})


class Part(NamedTuple):
    """The keys of a kind of campaign, and what reads their entries."""

    instances: str
    methods: str
    sources: Callable[[Mapping[str, Any], Path, str], list[Source]]
    request: Callable[[str], Request]


PARTS = (  # methods solve instances; policies decide on workloads
    Part("instances", "methods", sources, parse),
    Part("workloads", "policies", workload_sources, simulations.request),
)


def refuse_parts(document: Mapping[str, Any]) -> None:
    """Raise InputError unless the campaign has all parts of its kind, and none of the other."""
    simulated = not SIMULATED.isdisjoint(document)
    own, other = PARTS[simulated], PARTS[not simulated]
    for key in (own.instances, own.methods):
        if key not in document:
            raise InputError("", described(f"no key {key!r}"), "this key")
    for key in (other.instances, other.methods, *(["permute"] if simulated else [])):
        if key in document:
            expected = f"it in a campaign without {own.instances} and {own.methods} only"
            raise InputError(f"/{key}", described("this key"), expected)


def options(document: Mapping[str, Any]) -> str | None:
    """The options of the simulations but their seeds, canonical JSON; None if there are none."""
    from rsjs.simulation.options import Options

    if SIMULATED.isdisjoint(document):
        return None
    try:
        found = asdict(Options(**document.get("simulation", {})))
    except InputError as error:
        raise InputError(f"/simulation{error.pointer}", error.value, error.expected) from None
    del found["seed"]
    return canonical_text(found)
