"""What the RS-JS models serve beyond what their methods declare, and how many nodes they open."""

from __future__ import annotations

from rsjs.instances.instance import Instance
from rsjs.instances.method import Method
from rsjs.instances.required_nodes import required_nodes


def serve(name: str, instance: Instance, *, one_type: bool = False) -> None:
    """Raise ValueError, in one line, for an instance that a model does not cover."""
    declared = Method(
        name=name,
        summary="",
        kind="exact",
        run="",
        idle_cost=False,
        right_sizing=not one_type,
    )
    if reason := declared.refusal(instance):
        raise ValueError(reason)


def nodes_with_a_job(instance: Instance) -> int | None:
    """
    How many nodes have a job (RS-JS (16)); None = any number.

    Also None under "jahani_eq": nodes selected without a job cost nothing where mu = 0.
    """
    if instance.objective.open_nodes in ("free", "jahani_eq"):
        return None
    return required_nodes(instance)
