"""
The report on a trace: what is wrong in it, and what load it offers.

    offered load of a GPU type = sum over its jobs of GPUs x share x run time / span

in GPUs that are busy on average, the span from the first submission to the last; over the GPUs of
the nodes that may run it (`gpu_models.nodes_for`) it is a fraction, above 1 more than they can do.

Counts over the rows of a trace, as the chunks pass.

Jobs that an earlier line of a trace has: 16 bytes a row are kept to find them.

What is wrong with rows as seen from their cluster and from other rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.instances.traces.columns import keys
from rsjs.instances.traces.flaws import (
    DUPLICATE,
    EMPTY,
    GPU_MODEL,
    INCONSISTENT,
    KINDS,
    MISSING_COLUMN,
    NO_GPU,
    PENDING,
    TOO_LARGE,
    TRUNCATED,
    UNSORTED,
    FlawKind,
    mask,
)
from rsjs.instances.traces.imputation import UNRECORDED, gpus_of, nodes_for, stand_ins
from rsjs.instances.traces.io.streams import Truncated
from rsjs.instances.traces.records import JobRecords, TraceNodes
from rsjs.instances.traces.registry import Trace


@dataclass(eq=False)
class Names:
    """The names of the jobs, as the chunks pass; lines that hold no job have no part in this."""

    _keys: list[tuple[NDArray[np.uint64], Ints]] = field(default_factory=list)

    def add(self, rows: JobRecords) -> None:
        """Note the names of a chunk."""
        named = np.flatnonzero(rows.id != b"")
        self._keys.append((keys(rows.id[named]), rows.line[named]))

    def duplicates(self) -> Ints:
        """Lines of jobs that an earlier line has, in order of the file."""
        twice = self._repeated()
        first = np.ones(len(twice), dtype=bool)
        found = [np.empty(0, dtype=np.int64)]
        for key, line in self._keys if len(twice) else []:
            at = np.minimum(np.searchsorted(twice, key), len(twice) - 1)
            hit = np.flatnonzero(twice[at] == key)
            new, here = np.unique(at[hit], return_index=True)
            again = np.delete(hit, here[first[new]])
            first[new] = False
            found.append(line[again])
        return np.concatenate(found)

    def _repeated(self) -> NDArray[np.uint64]:
        """Keys that more than one row has, in order."""
        if not self._keys:
            return np.empty(0, dtype=np.uint64)
        key = np.concatenate([part for part, _ in self._keys])
        key.sort()
        return np.unique(key[1:][key[1:] == key[:-1]])


LARGEST = 8  # GPUs of the largest node where no nodes are known


@dataclass(kw_only=True)
class CrossRowChecks:
    """
    Adds the kinds that need more than a row; takes the chunks in the order of the file.

    Attributes
    ----------
    nodes : sequence of TraceNodes
        Of the cluster; without any, nodes of every type have `LARGEST` GPUs.
    known : mapping of str to str
        See `gpu_models.stand_ins`.
    binding : bool
        Whether a job runs on its recorded GPU type only.
    duplicates : (d,) int
        Lines of jobs that an earlier line has, in order.
    """

    nodes: Sequence[TraceNodes]
    known: Mapping[str, str]
    binding: bool
    duplicates: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _last: float = field(default=-np.inf, init=False)

    def __call__(self, rows: JobRecords) -> JobRecords:
        """The same rows with more flaws."""
        flaw = rows.flaw.copy()
        timed = np.flatnonzero(np.isfinite(rows.submit))
        before = np.append(self._last, rows.submit[timed])
        flaw[timed[before[1:] < before[:-1]]] |= UNSORTED.bit
        self._last = float(before[-1])
        if len(self.duplicates) and len(rows):
            near = np.searchsorted(self.duplicates, [rows.line.min(), rows.line.max() + 1])
            again = np.isin(rows.line, self.duplicates[slice(*near.tolist())])
            flaw[(rows.id != b"") & again] |= DUPLICATE.bit
        most = np.array([*map(self._most, rows.models), self._most("")])[rows.model]
        on_gpu = (flaw & NO_GPU.bit) == 0
        flaw[on_gpu & (most == 0)] |= GPU_MODEL.bit
        flaw[on_gpu & (most > 0) & (rows.gpus > most)] |= TOO_LARGE.bit
        return replace(rows, flaw=flaw)

    def _most(self, model: str) -> int:
        """Return the GPUs of the largest node on which a job of a type may run; 0 without any."""
        if not gpus_of(model, self.known):
            return 0
        if not nodes_for(UNRECORDED, self.nodes, self.known, binding=self.binding):
            return LARGEST
        found = nodes_for(model, self.nodes, self.known, binding=self.binding)
        return max((group.gpus for group in found), default=0)


HOUR = 3600.0
EXAMPLES = 5  # places that are named for each kind
_NOTICES = [kind for kind in KINDS if not kind.error and kind != PENDING]
_HARMLESS = mask([UNSORTED, INCONSISTENT, *_NOTICES])


@dataclass(frozen=True)
class RowLocation:
    """Where a row is: file, line, and the job's name as far as it is known."""

    file: str
    line: int
    id: str


@dataclass(kw_only=True, eq=False)
class TraceTally:
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
    places: dict[str, list[RowLocation]] = field(default_factory=lambda: defaultdict(list))
    submissions: Counter[int] = field(default_factory=Counter)
    gpu_seconds: dict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    jobs: Counter[str] = field(default_factory=Counter)
    run_times: list[Floats] = field(default_factory=list)
    gpus: Counter[int] = field(default_factory=Counter)
    first: float = np.inf
    last: float = -np.inf

    def add(self, rows: JobRecords) -> None:
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

    def note_file(self, kind: FlawKind, place: RowLocation, count: int) -> None:
        """Count a flaw of a file."""
        self.flaws[kind.name] += count
        self.places[kind.name].append(place)

    def _note(self, kind: str, rows: JobRecords, found: NDArray[np.intp]) -> None:
        for i in found[: EXAMPLES - len(self.places[kind])].tolist():
            name = rows.id[i].decode("utf-8", "replace")
            self.places[kind].append(RowLocation(rows.file, int(rows.line[i]), name))

    def _add_load(self, rows: JobRecords) -> None:
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


def _counted(values: Ints) -> dict[int, int]:
    found, count = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), count.tolist(), strict=True))


GAP = 24  # h without a submission that are told
_ODD_SHORT, _ODD_LONG = 1.0, 30 * 86400.0  # s, of the median run time
_ODD_SPAN = 10 * 366 * 86400.0  # s
_DIGITS = 3  # of the median run time [s] in a document


@dataclass(frozen=True, kw_only=True)
class OfferedLoad:
    """Offered load of a GPU type as recorded ("" = not recorded); capacity in GPUs or None."""

    model: str
    jobs: int
    gpu_hours: float
    busy: float
    capacity: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class QualityReport:
    """
    What `inspect` finds.

    Attributes
    ----------
    trace : Trace
    nodes : sequence of TraceNodes
    known : mapping of str to str
        See `gpu_models.stand_ins`.
    tally : TraceTally
    duplicates : (d,) int
        Lines of jobs that an earlier line has.
    """

    trace: Trace
    nodes: Sequence[TraceNodes]
    known: Mapping[str, str]
    tally: TraceTally
    duplicates: Ints

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong, notices aside."""
        return any(kind.error and self.tally.flaws[kind.name] for kind in KINDS)

    @property
    def span(self) -> float:
        """First to last submission [s], at least an hour."""
        return max(HOUR, self.tally.last - self.tally.first) if self.tally.usable else HOUR

    @property
    def loads(self) -> list[OfferedLoad]:
        """By GPU type as recorded, the largest first."""
        work: dict[str, float] = dict.fromkeys(self.tally.jobs, 0.0)
        for (model, _), amount in self.tally.gpu_seconds.items():
            work[model] += amount
        found = [
            OfferedLoad(
                model=model,
                jobs=self.tally.jobs[model],
                gpu_hours=amount / HOUR,
                busy=amount / self.span,
                capacity=self._capacity(model),
            )
            for model, amount in work.items()
        ]
        return sorted(found, key=lambda load: -load.gpu_hours)

    def _capacity(self, model: str) -> int | None:
        """Return the GPUs on which a job of a recorded type may run; None if there are none."""
        binding = self.trace.format.binding
        found = nodes_for(model, self.nodes, self.known, binding=binding)
        return sum(group.gpus * group.count for group in found) or None

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Hours after the first submission at which nothing is submitted for long, and how long."""
        hours = np.array(sorted(self.tally.submissions), dtype=np.int64)
        long = np.flatnonzero(np.diff(hours) > GAP)
        found = [(int(hours[i] + 1 - hours[0]), int(hours[i + 1] - hours[i] - 1)) for i in long]
        return sorted(found, key=lambda gap: -gap[1])

    @property
    def remarks(self) -> list[str]:
        """What looks odd in the trace as a whole."""
        found = []
        median = self.median_run_time
        if median is not None and not _ODD_SHORT <= median <= _ODD_LONG:
            found.append(f"the median run time is {median:.3g} s: check the unit")
        if self.span > _ODD_SPAN:
            years = self.span / (365.25 * 86400)
            found.append(f"submissions span {years:.3g} years: check the unit")
        return found

    @property
    def median_run_time(self) -> float | None:
        """Return the median run time of the usable rows [s]; None without any."""
        times = self.tally.run_times
        return float(np.median(np.concatenate(times))) if times else None

    def as_document(self) -> dict[str, Any]:
        """For `--json`."""
        tally, median = self.tally, self.median_run_time
        return {
            "format": self.trace.format.name,
            "files": {table: source.name for table, source in self.trace.tables.items()},
            "ignored": list(self.trace.ignored),
            "rows": tally.rows,
            "usable": tally.usable,
            "kinds": [
                {
                    "kind": kind.name,
                    "error": kind.error,
                    "rows": tally.flaws[kind.name],
                    "meaning": kind.meaning,
                    "first": [vars(place) for place in tally.places[kind.name]],
                }
                for kind in KINDS
                if tally.flaws[kind.name]
            ],
            "span_hours": self.span / HOUR,
            "median_run_time_s": median if median is None else round(median, _DIGITS),
            "offered_load": [vars(load) for load in self.loads],
            "gaps": [{"after_hours": at, "hours": length} for at, length in self.gaps],
            "remarks": self.remarks,
            "errors": self.has_errors,
        }


def inspect(
    trace: Trace,
    *,
    nodes: Sequence[TraceNodes] | None = None,
    gpus: Mapping[str, str] | None = None,
) -> QualityReport:
    """
    Read a trace once and report on it.

    Parameters
    ----------
    nodes : sequence of TraceNodes, optional
        The cluster, if not that of the trace's node list.
    gpus : mapping, optional
        GPU type as recorded ("" = not recorded) -> that of the catalogue; see `gpu_models`.
    """
    screen = CrossRowChecks(
        nodes=trace.nodes() if nodes is None else list(nodes),
        known=stand_ins(gpus or {}, trace.format.gpu),
        binding=trace.format.binding,
    )
    names = Names()
    tally = _tally(trace, screen, names.add)
    if len(duplicates := names.duplicates()):  # they have no part in the load: count once more
        screen = replace(screen, duplicates=duplicates)
        tally = _tally(trace, screen)
    return QualityReport(
        trace=trace, nodes=screen.nodes, known=screen.known, tally=tally, duplicates=duplicates
    )


def _tally(
    trace: Trace, screen: CrossRowChecks, note: Callable[[JobRecords], None] = lambda rows: None
) -> TraceTally:
    """What the rows of a trace are, each chunk noted as it passes."""
    tally = TraceTally()
    for table, columns in trace.missing.items():
        place = RowLocation(trace.tables[table].name, 1, ", ".join(columns))
        tally.note_file(MISSING_COLUMN, place, len(columns))
    if trace.missing:
        return tally
    try:
        for rows in trace.rows():
            note(rows)
            tally.add(screen(rows))
    except Truncated as error:
        tally.note_file(TRUNCATED, RowLocation(error.file, error.line, ""), 1)
    if not tally.rows:
        tally.note_file(EMPTY, RowLocation(next(iter(trace.tables.values())).name, 1, ""), 1)
    return tally
