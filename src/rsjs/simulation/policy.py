"""
What a policy is: (state, memory) -> choice.

A policy is called after every event. It may ask to be called again after so many hours (T_j of the
STS paper: a job needs another configuration), and what it leaves in `memory` it finds there at the
next call; at the first one there is None. Jobs come and go between calls: memory is best kept by
`State.rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsjs.core.types import Floats
from rsjs.instances.solution import Solution
from rsjs.simulation.state import State


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """
    A decision.

    Attributes
    ----------
    solution : Solution
        Of the jobs at hand, in the order of `State.rows`.
    change : (A,) float or None [h]
        Until each job needs another decision; inf = it does not. The first such time is an event
        unless another one comes before. None = no job does.
    memory : object
        For the next call.
    """

    solution: Solution
    change: Floats | None = None
    memory: Any = None


@dataclass(frozen=True, kw_only=True)
class Policy:
    """
    A policy under its name.

    Attributes
    ----------
    spelling : str
    decide : function
    keeps_running : bool
        Whether jobs that run are left alone: with events="authors" it then loses jobs.
    prepare : function
        Imports and compiles what decisions need; `registry.policy` has run it.
    """

    spelling: str
    decide: Callable[[State, Any], Choice]
    keeps_running: bool = False
    prepare: Callable[[], object] = lambda: None
