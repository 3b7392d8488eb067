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
from rsjs.bks.entries import BestKnown, Bound, Document
from rsjs.core.errors import InputError, described
from rsjs.instances import decision_points
from rsjs.instances.generators import planted
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.deserialization import to_instance, to_workload
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.io.serialization import WORKLOAD as FORMAT
from rsjs.instances.io.serialization import of_instance, of_workload
from rsjs.instances.library.sets import GENERATORS, WORKLOAD, draw, library_set, names
from rsjs.runs.provenance import utc


def made_by(instance: Instance | Workload) -> dict[str, Any] | None:
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
    name = block["name"]
    if isinstance(instance, Workload):
        name, parameters = WORKLOAD, {"generator": name, **parameters}
    recipe = {
        "generator": name,
        "version": str(block.get("version", "")),
        "parameters": dict(sorted(parameters.items())),
    }
    try:
        return recipe if make(recipe).digest == instance.digest else None
    except InputError:  # parameters of another version, or of what a workload was made into
        return None


def document(instance: Instance | Workload) -> Document:
    """Return the document of an instance or a workload."""
    return of_workload(instance) if isinstance(instance, Workload) else of_instance(instance)


def made_again(entry: BestKnown) -> Instance | Workload:
    """
    Make the instance of an entry by its generator, or from its document.

    InputError if it cannot be made, or is another one by its sha256.
    """
    if entry.made_by is None:
        of_a_workload = (entry.instance_document or {}).get("format") == FORMAT
        form, build = ("workload", to_workload) if of_a_workload else ("instance", to_instance)
        fit(entry.instance_document, schema_text(form), "/instance_document")
        assert entry.instance_document is not None, "fits the schema"
        instance: Instance | Workload = build(entry.instance_document)
    else:
        instance = make(entry.made_by)
    if instance.digest != entry.sha256:
        drawn = "" if entry.made_by is None else f" as drawn by {entry.made_by['version']}"
        raise InputError("/sha256", instance.digest, f"{entry.sha256}{drawn}")
    return instance


def make(recipe: Mapping[str, Any]) -> Instance | Workload:
    """Draw the instance of a recipe: generator, version, parameters."""
    name, known = recipe["generator"], [*GENERATORS, decision_points.NAME, WORKLOAD]
    if name not in known:
        raise InputError("/made_by/generator", name, f"one of {', '.join(known)}")
    try:
        instance = draw(name, recipe["parameters"])
        assert isinstance(instance, Instance | Workload), "no set of MIG jobs"
        return instance
    except (TypeError, LookupError, OSError) as error:
        reason = described(str(error))
        raise InputError("/made_by/parameters", reason, f"parameters of {name}") from None


CONSTRUCTION = "construction"  # source of the candidates, and of the bound


def constructed(entry: BestKnown, instance: Instance | Workload) -> Candidates:
    """Return the planted solution and its bound; nothing for an instance of another generator."""
    if not isinstance(instance, Instance) or entry.family != planted.FAMILY or not entry.made_by:
        return Candidates(instance=instance)
    optimum, bound = planted.optimum(**entry.made_by["parameters"]), planted.bound(instance)
    origin: dict[str, Any] = {"date": utc(), "source": CONSTRUCTION}
    origin["rsjs_version"] = version("rsjs-bench")
    cost = CostCandidate(**origin, value=optimum.cost, read_solution=lambda: optimum.decision)
    proof = Bound(**origin, value=bound, bound_source=CONSTRUCTION)
    return Candidates(instance=instance, costs=[cost], bounds=[proof])


def wrong_bounds(entry: BestKnown, instance: Instance | Workload) -> Iterator[str]:
    """Yield a line for each bound said to be known by construction that is not."""
    for k, step in enumerate(entry.lb_data):
        if step.bound_source == CONSTRUCTION:
            valid = 0.0
            if isinstance(instance, Instance) and entry.family == planted.FAMILY:
                valid = planted.bound(instance)
            if step.value > valid + entry.margin:
                values = f"found {step.value!r}, expected {valid!r}"
                yield f"/lb_data/{k}/value: {values} by construction"
