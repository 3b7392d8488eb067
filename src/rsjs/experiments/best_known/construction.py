"""
Optima that are known before any run: those of the generator `planted`.

Its decision attains a bound that holds for every decision, (1) of `instances/generators/planted`.
Neither is believed: the cost is that of the exact check, the bound is computed from the instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

from rsjs.experiments.best_known.claims import BoundClaim, Claims, CostClaim
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.campaigns.provenance import utc
from rsjs.instances.generators import planted
from rsjs.instances.instance import Instance

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
