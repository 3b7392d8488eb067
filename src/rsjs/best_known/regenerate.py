"""
How an instance is made again: by its generator, or from a file that is kept.

Optima that are known before any run: those of the generator `planted`.

Its decision attains a bound that holds for every decision, (1) of `instances/generators/planted`.
Neither is believed: the cost is that of the exact check, the bound is computed from the instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rsjs.best_known.candidates import BoundClaim, Claims, CostClaim
from rsjs.best_known.entries import BestKnown
from rsjs.best_known.storage import instance_path
from rsjs.core.errors import InputError, described
from rsjs.instances.generators import planted
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance
from rsjs.instances.library.sets import GENERATORS
from rsjs.runs.provenance import utc


def made_by(instance: Instance) -> dict[str, Any] | None:
    """Generator, version and parameters that draw this very instance; None if none do."""
    block = instance.generator
    if block.get("name") not in GENERATORS:
        return None
    found = {
        "generator": block["name"],
        "version": str(block.get("version", "")),
        "parameters": dict(sorted(block.get("parameters", {}).items())),
    }
    try:
        return found if make(found).digest == instance.digest else None
    except InputError:  # parameters of a workload, or of another version
        return None


def made_again(entry: BestKnown, folder: Path) -> Instance:
    """
    The instance of an entry, from its generator or the file in the folder.

    Raises
    ------
    InputError
        If it cannot be made, or is another one by its sha256.
    """
    if entry.made_by is None:
        instance = read_instance(instance_path(folder, entry.instance))
    else:
        instance = make(entry.made_by)
    if instance.digest != entry.sha256:
        version = "" if entry.made_by is None else f" as drawn by {entry.made_by['version']}"
        expected = f"{entry.sha256}{version}"
        raise InputError("/sha256", instance.digest, expected)
    return instance


def make(recipe: Mapping[str, Any]) -> Instance:
    """The instance that a generator draws."""
    name = recipe["generator"]
    if name not in GENERATORS:
        raise InputError("/made_by/generator", name, f"one of {', '.join(GENERATORS)}")
    try:
        return GENERATORS[name](**recipe["parameters"])
    except TypeError as error:
        found = described(str(error))
        raise InputError("/made_by/parameters", found, f"parameters of {name}") from None


CONSTRUCTION = "construction"  # source of the claims, and of the bound


def constructed(known: BestKnown, instance: Instance) -> Claims:
    """The planted decision and its bound; no claims on an instance of another generator."""
    claims = Claims(instance=instance)
    if known.made_by is not None and known.family == planted.FAMILY:
        made = planted.optimum(**known.made_by["parameters"])
        claims.costs.append(
            CostClaim(
                value=made.cost,
                date=utc(),
                source=CONSTRUCTION,
                rsjs_version=version("rsjs-bench"),
                decision=lambda: made.decision,
            )
        )
        claims.bounds.append(
            BoundClaim(
                value=planted.bound(instance),
                date=utc(),
                source=CONSTRUCTION,
                rsjs_version=version("rsjs-bench"),
                bound_source=CONSTRUCTION,
                sound=True,
            )
        )
    return claims


def wrong_bounds(entry: BestKnown, instance: Instance) -> Iterator[str]:
    """Bounds said to be known by construction that are not, a line each."""
    for k, step in enumerate(entry.lb_data):
        if step.bound_source == CONSTRUCTION:
            least = planted.bound(instance) if entry.family == planted.FAMILY else 0.0
            if step.value > least + entry.margin:
                found = f"found {step.value!r}, expected {least!r}"
                yield f"/lb_data/{k}/value: {found} by construction"
