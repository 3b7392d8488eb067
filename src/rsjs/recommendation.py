"""
Which method for an instance: those that are recommended, by the energy of its objective.

The first one that serves the instance and whose solver is installed is what `rsjs solve` and
`rsjs.solve` run if no method is named. The numbers behind the reasons are those of the stored runs:
docs/reference/methods.md has them next to this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError
from rsjs.methods import BUILT_IN, Request, parse

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance

_WITHOUT_BOUND = {  # whatever the objective
    "path_relinking": "of those that serve every energy, most often within 1 % of the best bound",
    "enumeration": "serves every objective, of few jobs",
}
_NEAR_OPTIMAL = {
    "ruin_recreate": "within 1 % of the best bound on most stored instances; needs no solver"
}
RECOMMENDED: Mapping[str, Mapping[str, str]] = {  # energy: method specification: reason
    "proportional": {
        "jahani_patterns@highs": "proves its gap on the papers' clusters; takes a warm start",
        "jahani_dual@highs": "as it, by prices: in less time from 20 nodes on",
        **_NEAR_OPTIMAL,
        **_WITHOUT_BOUND,
    },
    "first_ending": {
        "rsjs_sifting@highs": "proves its gap within seconds almost always, shared GPUs or not",
        "first_ending_patterns@highs": "proves its gap on the papers' clusters of whole GPUs",
        **_NEAR_OPTIMAL,
        **_WITHOUT_BOUND,
    },
    "next_event": _WITHOUT_BOUND,
}


def recommended(instance: Instance) -> dict[str, str]:
    """Return the recommended methods that serve an instance and can run here: label -> reason."""
    reasons = RECOMMENDED[instance.objective.energy]
    requests = ((parse(name), reason) for name, reason in reasons.items())
    return {one.label: reason for one, reason in requests if can_run(one, instance)}


def recommend(instance: Instance) -> tuple[str, str]:
    """Return the method to run if none is named, and why; InputError if none can be recommended."""
    found = recommended(instance)
    if not found:
        last = parse([*RECOMMENDED[instance.objective.energy]][-1])
        expected = f"an instance that a method serves: {last.refusal(instance)}"
        raise InputError("", instance.name, expected)
    return next(iter(found.items()))


def can_run(request: Request, instance: Instance) -> bool:
    """Return whether a method serves an instance and its solver is installed."""
    return request.refusal(instance) is None and request.missing() is None


def serving(instance: Instance, known: Iterable[str] = BUILT_IN) -> list[str]:
    """Return the methods that find solutions of an instance, recommended ones first."""
    first = recommended(instance)
    named = {label.partition("@")[0] for label in first}
    others = (parse(name) for name in known if name not in named)
    return [*first, *(one.label for one in others if one.decides and can_run(one, instance))]
