"""
What is kept of each event: what happened, what was decided, and the meters at that time.

Kinds of events, in the order in which those of one time are taken; ties by job.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rsjs.core.types import Ints

TIE = 1e-9  # h: events this close are one


class Kind(StrEnum):
    """What makes a decision necessary."""

    COMPLETION = "completion"
    ARRIVAL = "arrival"
    SWITCH = "switch"
    PERIOD = "period"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Changes:
    """
    What a decision changes: jobs by position in the workload, and nodes.

    Attributes
    ----------
    jobs, node, gpus, level : (C,) int
        Jobs placed anew or taken off (node -1), and where they are from now on.
    nodes, kind : (D,) int
        Nodes with another type, and the type; -1 = off.
    """

    jobs: Ints
    node: Ints
    gpus: Ints
    level: Ints
    nodes: Ints
    kind: Ints


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Record:
    """
    An event and the decision that followed.

    Attributes
    ----------
    time : float [h]
    kinds : tuple of Kind
    completed, arrived : list of int
        Jobs by position in the workload.
    switch : int
        The job that the policy wanted to be called for; -1 = none.
    changes : Changes or None
        None if no decision was taken: no job was there, or the policy failed.
    waiting : int
        Jobs that wait from now on.
    in_use : list of int
        GPUs in use from now on, by GPU type.
    energy, tardiness : float [$]
        So far.
    """

    time: float
    kinds: tuple[Kind, ...]
    completed: list[int]
    arrived: list[int]
    switch: int
    changes: Changes | None
    waiting: int
    in_use: list[int]
    energy: float
    tardiness: float
