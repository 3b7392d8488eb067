"""Counts over the rows of a trace, as the chunks pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.flaws import INCONSISTENT, KINDS, PENDING, UNSORTED, Kind, mask
from rsjs.instances.traces.records import Rows

HOUR = 3600.0
EXAMPLES = 5  # places that are named for each kind
_NOTICES = [kind for kind in KINDS if not kind.error and kind != PENDING]
_HARMLESS = mask([UNSORTED, INCONSISTENT, *_NOTICES])


@dataclass(frozen=True)
class Place:
    """Where a row is: file, line, and the job's name as far as it is known."""

    file: str
    line: int
    id: str


@dataclass(kw_only=True, eq=False)
class Tally:
    """
    Attributes
    ----------
    rows : int
    usable : int
        Rows with submission, run time and GPUs that make sense: the load is theirs.
    flaws : mapping of kind to number of rows
    places : mapping of kind to its first rows
    submissions : mapping of hour [h] to number of jobs
    gpu_seconds : mapping of (GPU type as recorded, hour of submission [h]) to GPU-seconds
    jobs : mapping of GPU type to number of usable jobs
    run_times : list of (n,) float [s], of the usable rows of each chunk
    gpus : mapping of number of GPUs to number of jobs; 0 = a share of one
    first, last : float [s], of the submissions
    """

    rows: int = 0
    usable: int = 0
    flaws: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    submissions: Counter[int] = field(default_factory=Counter)
    gpu_seconds: dict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    jobs: Counter[str] = field(default_factory=Counter)
    run_times: list[Floats] = field(default_factory=list)
    gpus: Counter[int] = field(default_factory=Counter)
    first: float = np.inf
    last: float = -np.inf

    def add(self, rows: Rows) -> None:
        """Count a chunk."""
        self.rows += len(rows)
        for kind in KINDS:
            found = np.flatnonzero(rows.flaw & kind.bit)
            if len(found):
                self.flaws[kind.name] += len(found)
                self._note(kind.name, rows, found)
        submit = rows.submit[np.isfinite(rows.submit)]
        if len(submit):
            self.first = min(self.first, float(submit.min()))
            self.last = max(self.last, float(submit.max()))
            self.submissions.update(_counted(np.floor(submit / HOUR).astype(np.int64)))
        good = (rows.flaw & ~_HARMLESS) == 0
        good &= np.isfinite(rows.submit) & (rows.duration > 0)
        if good.any():
            self._add_load(rows.taken(good))

    def note_file(self, kind: Kind, place: Place, count: int) -> None:
        """Count a flaw of a file."""
        self.flaws[kind.name] += count
        self.places[kind.name].append(place)

    def _note(self, kind: str, rows: Rows, found: NDArray[np.intp]) -> None:
        for i in found[: EXAMPLES - len(self.places[kind])].tolist():
            name = rows.id[i].decode("utf-8", "replace")
            self.places[kind].append(Place(rows.file, int(rows.line[i]), name))

    def _add_load(self, rows: Rows) -> None:
        self.usable += len(rows)
        hour = np.floor(rows.submit / HOUR).astype(np.int64)
        work = rows.duration * rows.gpus * rows.share
        self.run_times.append(rows.duration)
        self.gpus.update(_counted(np.where(rows.share < 1, 0, rows.gpus).astype(np.int64)))
        for code in np.unique(rows.model).tolist():
            name = rows.models[code] if code >= 0 else ""
            own = rows.model == code
            self.jobs[name] += int(own.sum())
            hours, at = np.unique(hour[own], return_inverse=True)
            sums = np.bincount(at, weights=work[own])
            for each, amount in zip(hours.tolist(), sums.tolist(), strict=True):
                self.gpu_seconds[name, each] += amount


def _counted(values: NDArray[np.int64]) -> dict[int, int]:
    found, count = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), count.tolist(), strict=True))
