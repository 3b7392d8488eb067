"""What is kept of each event: what happened, what was decided, and the meters at that time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rsjs.core.types import Ints

TIE = 1e-9  # h: events this close are one


class Kind(StrEnum):
    """What makes a decision necessary, in the order in which those of one time are taken."""

    COMPLETION = "completion"
    ARRIVAL = "arrival"
    SWITCH = "switch"
    PERIOD = "period"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Changes:
    """What a decision changes: C jobs by position in the workload, and D nodes."""

    jobs: Ints  # (C,) placed anew or taken off
    node: Ints  # (C,) where they are from now on; -1 = taken off
    gpus: Ints
    level: Ints
    nodes: Ints  # (D,) nodes with another type
    kind: Ints  # (D,) that type; -1 = off


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Record:
    """An event and the decision that followed."""

    time: float  # h
    kinds: tuple[Kind, ...]
    completed: list[int]  # jobs by position in the workload
    arrived: list[int]
    switch: int  # the job that the policy wanted to be called for; -1 = none
    changes: Changes | None  # None: no decision, as no job was there or the policy failed
    waiting: int  # jobs that wait from now on
    in_use: list[int]  # GPUs in use from now on, by GPU type
    energy: float  # $, so far
    tardiness: float  # $, so far
