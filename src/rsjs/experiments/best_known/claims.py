"""What runs and people claim of an instance, before anything is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rsjs.experiments.best_known.origins import Origin
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


@dataclass(frozen=True, kw_only=True)
class CostClaim(Origin):
    """
    A decision, and its cost as checked in floating point.

    Attributes
    ----------
    decision : callable
        Reads it: most are never asked for.
    """

    decision: Callable[[], Solution]


@dataclass(frozen=True, kw_only=True)
class BoundClaim(Origin):
    """
    A lower bound that its method declares valid for the instance as given.

    Attributes
    ----------
    bound_source : str or None
    sound : bool
        False for a run with another false claim: its bound must not contradict, and is not taken.
    """

    bound_source: str | None
    sound: bool


@dataclass(frozen=True, kw_only=True)
class Claims:
    """All claims on an instance."""

    instance: Instance
    costs: list[CostClaim] = field(default_factory=list)
    bounds: list[BoundClaim] = field(default_factory=list)
