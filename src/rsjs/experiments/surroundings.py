"""Where a worker runs, how long it is waited for, and how it may end."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class End(StrEnum):
    """How the worker came to its end."""

    BY_ITSELF = "by itself"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    INTERRUPTED = "interrupted"


class Grace(NamedTuple):
    """Seconds after its limit at which a method is asked to return, and at which it is ended."""

    asked: float = 1.0
    ended: float = 2.0


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    Where a worker runs, and how long it is waited for.

    Attributes
    ----------
    python : str
        The interpreter; its rsjs is the one that runs.
    alone : bool
        This process has no other children and is a subreaper: every descendant is the run's.
    inside : bool
        The run's folder is its working folder and that of its temporary files.
    grace : Grace
    """

    python: str = sys.executable
    alone: bool = False
    inside: bool = False
    grace: Grace = field(default_factory=Grace)
