"""
What may be wrong with a row of a trace: the kinds that a report counts and a user allows by name.

A row may be of several kinds: they are bits. An error makes a row useless as it stands; a notice
is a fact that a published trace rightly records, such as a failed job. Neither enters a workload
unless the user names its kind: `drop` leaves the rows out, `keep` takes them as `kept` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import one_of

Bits = NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True)
class FlawKind:
    """A kind of flaw."""

    name: str  # as users spell it
    meaning: str
    error: bool = True  # otherwise it is a notice
    kept: str = ""  # what becomes of a row of this kind that is kept; empty = it cannot be kept
    whole: bool = False  # whether it is a flaw of a file, not of a row: there is nothing to drop

    @property
    def bit(self) -> np.uint32:
        """Return the bit of this kind in the flaws of a row."""
        return np.uint32(1 << KINDS.index(self))


MISSING_COLUMN = FlawKind(
    name="missing-column",
    meaning="a column that no row is read without is missing, or stands twice",
    whole=True,
)
EMPTY = FlawKind(name="empty", meaning="not one row; lines end with \\n or \\r\\n", whole=True)
TRUNCATED = FlawKind(
    name="truncated",
    meaning="the file ends early, or is damaged from here on",
    whole=True,
    kept="the rows before it count",
)
FIELDS = FlawKind(name="fields", meaning="not as many fields as the table has, or broken JSON")
NUMBER = FlawKind(name="number", meaning="text where a number belongs, or a time beyond 2^53 s")
TIME = FlawKind(name="time", meaning="no date with a time, as 2024-01-31 10:00:00")
TIME_ZONE = FlawKind(
    name="time-zone", meaning="a time zone where the other times have none, or none where they do"
)
NO_SUBMISSION = FlawKind(name="no-submission", meaning="no time of submission")
DUPLICATE = FlawKind(name="duplicate", meaning="a job, or a task, that an earlier row has")
UNMATCHED = FlawKind(name="unmatched", meaning="a task of no job, or a job without tasks")
UNSORTED = FlawKind(
    name="unsorted", meaning="submitted before the row above", kept="jobs are put in order"
)
NO_GPU = FlawKind(name="no-gpu", meaning="0 GPUs: a job of CPUs")
GPU_COUNT = FlawKind(name="gpu-count", meaning="no whole number of GPUs")
SHARE = FlawKind(name="share", meaning="a share not in (0, 1], or of several GPUs; check the unit")
TOO_LARGE = FlawKind(
    name="too-large", meaning="more GPUs than the largest node has, or more memory than a GPU"
)
GPU_MODEL = FlawKind(name="gpu-model", meaning="a GPU type for which the catalogue has no times")
EARLY_START = FlawKind(name="early-start", meaning="started before it was submitted")
EARLY_DUE = FlawKind(
    name="early-due",
    meaning="due before it was submitted; check the unit",
    kept="it is late from the start",
)
NEGATIVE_DURATION = FlawKind(name="negative-duration", meaning="ended before it started")
NO_DURATION = FlawKind(name="no-duration", meaning="a run time of 0, or one that is not recorded")
INCONSISTENT = FlawKind(
    name="inconsistent",
    meaning="a duration that is not end - start; check the unit",
    kept="the recorded duration counts",
)
NEGATIVE = FlawKind(name="negative", meaning="a weight or memory below 0")
TOO_LONG = FlawKind(name="too-long", meaning="a run time of more than a year; check the unit")
STATE = FlawKind(
    name="state",
    meaning="a state that is not known",
    error=False,
    kept="the job counts as completed",
)
PENDING = FlawKind(name="pending", meaning="never started", error=False)
RUNNING = FlawKind(
    name="running",
    meaning="still running when the trace ends: the run time is censored",
    error=False,
    kept="the run time until then counts",
)
FAILED = FlawKind(
    name="failed", meaning="ended by an error", error=False, kept="the run time until then counts"
)
KILLED = FlawKind(
    name="killed", meaning="ended by its user", error=False, kept="the run time until then counts"
)

# In the order of definition, which is that of their bits and of reports.
KINDS: tuple[FlawKind, ...] = tuple(
    kind for kind in [*globals().values()] if isinstance(kind, FlawKind)
)


def chosen(option: str, names: Sequence[str]) -> tuple[FlawKind, ...]:
    """Return the kinds of these names: of rows for "drop", that can be kept for "keep"."""
    by_name = {
        kind.name: kind for kind in KINDS if (kind.kept if option == "keep" else not kind.whole)
    }
    return tuple(by_name[one_of(option, name, by_name)] for name in dict.fromkeys(names))


def mask(kinds: Iterable[FlawKind]) -> np.uint32:
    """Return the bits of several kinds."""
    return np.uint32(sum(int(kind.bit) for kind in kinds))
