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

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rsjs.core.errors import InputError
from rsjs.instances.io.serialization import canonical_text


def options(document: Mapping[str, Any]) -> str:
    """The options of the simulations but their seeds, canonical JSON."""
    from rsjs.simulation.options import Options

    try:
        found = asdict(Options(**document.get("simulation", {})))
    except InputError as error:
        raise InputError(f"/simulation{error.pointer}", error.value, error.expected) from None
    del found["seed"]
    return canonical_text(found)
