"""Where a worker runs, and how it may end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum


class End(StrEnum):
    """How the worker came to its end."""

    BY_ITSELF = "by itself"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    Where a worker runs.

    Attributes
    ----------
    python : str
        The interpreter; its rsjs is the one that runs.
    alone : bool
        This process has no other children and is a subreaper: every descendant is the run's.
    inside : bool
        The run's folder is its working folder and that of its temporary files.
    """

    python: str = sys.executable
    alone: bool = False
    inside: bool = False
