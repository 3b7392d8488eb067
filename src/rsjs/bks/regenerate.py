"""
Instances of best-known values made again, and optima known before any run.

An instance is made by its generator, or read from its entry. The solution that the generator
`planted` hides attains a lower bound that holds for every solution, (1) of
`instances/generators/planted`; neither is believed: the cost is that of the exact check, the bound
is computed from the instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from rsjs.bks.candidates import Candidates, CostCandidate
from rsjs.bks.entries import BestKnown, Bound
from rsjs.core.errors import InputError, described
from rsjs.instances import decision_points
from rsjs.instances.generators import planted
from rsjs.instances.instance import Instance
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.library.sets import GENERATORS, draw, library_set, names
from rsjs.runs.provenance import utc


def made_by(instance: Instance) -> dict[str, Any] | None:
    """Return generator, version and parameters that draw this very instance; None if none do."""
    block = instance.generator
    parameters = block.get("parameters", {})
    if block.get("name") == decision_points.NAME:
        members = (one for name in names() for one in library_set(name).members)
        parameters = next((m.arguments for m in members if m.sha256 == instance.digest), None)
        if parameters is None:  # not of the library: its document is kept
            return None
    elif block.get("name") not in GENERATORS:
        return None
    recipe = {
        "generator": block["name"],
        "version": str(block.get("version", "")),
        "parameters": dict(sorted(parameters.items())),
    }
    try:
        return recipe if make(recipe).digest == instance.digest else None
    except InputError:  # parameters of a workload, or of another version
        return None


def made_again(entry: BestKnown) -> Instance:
    """
    Make the instance of an entry by its generator, or from its document.

    InputError if it cannot be made, or is another one by its sha256.
    """
    if entry.made_by is None:
        fit(entry.instance_document, schema_text("instance"), "/instance_document")
        assert entry.instance_document is not None, "fits the schema"
        instance = to_instance(entry.instance_document)
    else:
        instance = make(entry.made_by)
    if instance.digest != entry.sha256:
        drawn = "" if entry.made_by is None else f" as drawn by {entry.made_by['version']}"
        raise InputError("/sha256", instance.digest, f"{entry.sha256}{drawn}")
    return instance


def make(recipe: Mapping[str, Any]) -> Instance:
    """Draw the instance of a recipe: generator, version, parameters."""
    name, known = recipe["generator"], [*GENERATORS, decision_points.NAME]
    if name not in known:
        raise InputError("/made_by/generator", name, f"one of {', '.join(known)}")
    try:
        instance = draw(name, recipe["parameters"])
        assert isinstance(instance, Instance), "no set of MIG jobs"
        return instance
    except (TypeError, LookupError, OSError) as error:
        reason = described(str(error))
        raise InputError("/made_by/parameters", reason, f"parameters of {name}") from None


CONSTRUCTION = "construction"  # source of the candidates, and of the bound


def constructed(entry: BestKnown, instance: Instance) -> Candidates:
    """Return the planted solution and its bound; nothing for an instance of another generator."""
    if entry.made_by is None or entry.family != planted.FAMILY:
        return Candidates(instance=instance)
    optimum, bound = planted.optimum(**entry.made_by["parameters"]), planted.bound(instance)
    origin: dict[str, Any] = {"date": utc(), "source": CONSTRUCTION}
    origin["rsjs_version"] = version("rsjs-bench")
    cost = CostCandidate(**origin, value=optimum.cost, read_solution=lambda: optimum.decision)
    proof = Bound(**origin, value=bound, bound_source=CONSTRUCTION)
    return Candidates(instance=instance, costs=[cost], bounds=[proof])


def wrong_bounds(entry: BestKnown, instance: Instance) -> Iterator[str]:
    """Yield a line for each bound said to be known by construction that is not."""
    for k, step in enumerate(entry.lb_data):
        if step.bound_source == CONSTRUCTION:
            valid = planted.bound(instance) if entry.family == planted.FAMILY else 0.0
            if step.value > valid + entry.margin:
                values = f"found {step.value!r}, expected {valid!r}"
                yield f"/lb_data/{k}/value: {values} by construction"
