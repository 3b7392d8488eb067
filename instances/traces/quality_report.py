"""
The quality report on a trace: what is wrong in it, and what load it offers.

    offered load of a GPU type = sum over its jobs of GPUs x share x run time / span

in GPUs that are busy on average, the span from the first submission to the last; over the GPUs of
the nodes that may run it (`imputation.nodes_for`) it is a fraction, above 1 more than they can do.

The rows are counted as the chunks pass. Flaws that one row does not show by itself are added here:
order of submission, duplicates, and sizes and types that the cluster does not have. To find jobs
that an earlier line has, 16 bytes a row are kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.instances.catalogue.gpus import gpu_type
from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import hash_texts
from rsjs.instances.traces.flaws import FlawKind
from rsjs.instances.traces.imputation import UNRECORDED, gpus_of, nodes_for, stand_ins
from rsjs.instances.traces.io.streams import Truncated
from rsjs.instances.traces.records import JobRecords, TraceNodes
from rsjs.instances.traces.registry import Trace

HOUR = 3600.0
LARGEST_NODE = 8  # GPUs of the largest node where no nodes are known
EXAMPLES = 5  # rows that are named for each kind
GAP = 24  # h without a submission that are reported
_NOTICES = [kind for kind in flaws.KINDS if not kind.error and kind != flaws.PENDING]
_HARMLESS = flaws.mask([flaws.UNSORTED, flaws.INCONSISTENT, flaws.EARLY_DUE, *_NOTICES])
# Kinds that most rows are of where a column has another unit, or is another one.
_MISREAD = (
    *(flaws.NUMBER, flaws.TIME, flaws.GPU_COUNT, flaws.SHARE, flaws.TOO_LARGE, flaws.EARLY_DUE),
    *(flaws.INCONSISTENT, flaws.TOO_LONG),
)
_ODD_SHORT, _ODD_LONG = 1.0, 30 * 86400.0  # s, of the median run time
_ODD_RATIO = 20  # of the median run time over the span of submissions
_ODD_SPAN = 10 * 366 * 86400.0  # s
_ODD_LOAD, _ODD_SPAN_OF_LOAD = 10, 86400.0  # of all GPUs, of submissions over more than so many s
_DIGITS = 3  # of the median run time [s] in a document


@dataclass(frozen=True)
class RowLocation:
    """Place of a row: file, line, and the job's name as far as it is known."""

    file: str
    line: int
    id: str


@dataclass(kw_only=True, eq=False)
class TraceTally:
    """Counts over the rows of a trace."""

    rows: int = 0
    usable: int = 0  #: rows with submission, run time and GPUs that make sense: the load is theirs
    flaws: Counter[str] = field(default_factory=Counter)  #: kind -> number of rows
    #: kind -> its first rows
    places: dict[str, list[RowLocation]] = field(default_factory=lambda: defaultdict(list))
    submissions: Counter[int] = field(default_factory=Counter)  #: hour [h] -> number of jobs
    #: (GPU type as recorded, hour of submission [h]) -> GPU-seconds
    gpu_seconds: dict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    jobs: Counter[str] = field(default_factory=Counter)  #: GPU type -> number of usable jobs
    #: (n,) [s], of the usable rows of each chunk
    run_times: list[Floats] = field(default_factory=list)
    #: number of GPUs -> number of jobs; 0 = a share of one
    gpus: Counter[int] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)  #: GPU type without times -> rows
    weightless: int = 0  #: rows of weight 0
    first: float = np.inf  #: [s], of the submissions
    last: float = -np.inf  #: [s], of the submissions
    #: hashes of the names of each chunk's jobs, and their places among all rows
    names: list[tuple[NDArray[np.uint64], Ints]] = field(default_factory=list)

    def add(self, rows: JobRecords) -> None:
        """Count a chunk."""
        named = np.flatnonzero(rows.id != b"")  # lines that hold no job have no name
        self.names.append((hash_texts(rows.id[named]), self.rows + named))
        self.rows += len(rows)
        for kind in flaws.KINDS:
            flawed = np.flatnonzero(rows.flaw & kind.bit)
            if not len(flawed):
                continue
            self.flaws[kind.name] += len(flawed)
            places = self.places[kind.name]
            for i in flawed[: EXAMPLES - len(places)].tolist():
                name = rows.id[i].decode("utf-8", "replace")
                places.append(RowLocation(rows.file, int(rows.line[i]), name))
        of_no_type = (rows.flaw & flaws.GPU_MODEL.bit) != 0
        if of_no_type.any():
            self.unknown.update(rows.subset(of_no_type).spelled_models)
        self.weightless += int((rows.weight == 0).sum())
        submit = rows.submit[np.isfinite(rows.submit)]
        if len(submit):
            self.first = min(self.first, float(submit.min()))
            self.last = max(self.last, float(submit.max()))
            self.submissions.update(_counts(np.floor(submit / HOUR).astype(np.int64)))
        good = (rows.flaw & ~_HARMLESS) == 0
        good &= np.isfinite(rows.submit) & (rows.duration > 0)
        if good.any():
            self._add_load(rows.subset(good))

    def duplicates(self) -> Ints:
        """Return the places of jobs that an earlier row has, in order."""
        if not self.names:
            return np.empty(0, dtype=np.int64)
        hashes, places = (np.concatenate(each) for each in zip(*self.names, strict=True))
        order = np.argsort(hashes, kind="stable")
        again = order[1:][np.diff(hashes[order]) == 0]
        return np.asarray(places[np.sort(again)])

    def note_file(self, kind: FlawKind, place: RowLocation, count: int) -> None:
        """Count a flaw of a file."""
        self.flaws[kind.name] += count
        self.places[kind.name].append(place)

    def _add_load(self, rows: JobRecords) -> None:
        self.usable += len(rows)
        hour = np.floor(rows.submit / HOUR).astype(np.int64)
        work = rows.duration * rows.gpus * rows.share
        self.run_times.append(rows.duration)
        self.gpus.update(_counts(np.where(rows.share < 1, 0, rows.gpus).astype(np.int64)))
        # Work by hour of submission of the jobs of each GPU type.
        for code in np.unique(rows.model).tolist():
            name = rows.models[code] if code >= 0 else UNRECORDED
            of_type = rows.model == code
            self.jobs[name] += int(of_type.sum())
            hours, position = np.unique(hour[of_type], return_inverse=True)
            sums = np.bincount(position, weights=work[of_type])
            for each, amount in zip(hours.tolist(), sums.tolist(), strict=True):
                self.gpu_seconds[name, each] += amount


def _counts(values: Ints) -> dict[int, int]:
    """Return how often each value occurs; `Counter(values.tolist())` is slower."""
    different, count = np.unique(values, return_counts=True)
    return dict(zip(different.tolist(), count.tolist(), strict=True))


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
    """The result of `inspect`: counts, offered load, gaps and remarks."""

    trace: Trace
    nodes: Sequence[TraceNodes]
    known: Mapping[str, str]  #: see `imputation.stand_ins`
    tally: TraceTally = field(default_factory=TraceTally)
    #: (d,) lines of jobs that an earlier line has
    duplicates: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def rows(self) -> Iterator[JobRecords]:
        """Read the trace, flaws that need more than one row or the cluster added."""
        last, first = -np.inf, 0
        for rows in self.trace.rows():
            flaw = rows.flaw.copy()
            # Submitted before the row above, the last one of the chunk before included.
            timed = np.flatnonzero(np.isfinite(rows.submit))
            before = np.append(last, rows.submit[timed])
            flaw[timed[before[1:] < before[:-1]]] |= flaws.UNSORTED.bit
            last = float(before[-1])
            # Duplicates within the chunk.
            near = np.searchsorted(self.duplicates, [first, first + len(rows)])
            flaw[self.duplicates[slice(*near.tolist())] - first] |= flaws.DUPLICATE.bit
            first += len(rows)
            # Nodes that may run each job: whether there are any, and one is large enough.
            on_gpu = (flaw & flaws.NO_GPU.bit) == 0
            code = np.where(rows.model < 0, len(rows.models), rows.model)
            for i, model in enumerate((*rows.models, UNRECORDED)):
                of_model = on_gpu & (code == i)
                sizes = self._sizes(model) if of_model.any() else []
                # what is not recorded is NaN, and fits
                large = np.ones(len(rows), dtype=bool)
                for gpus, memory in sizes:
                    large &= (rows.gpus > gpus) | (rows.memory > memory)
                flaw[of_model & large] |= (flaws.TOO_LARGE if sizes else flaws.GPU_MODEL).bit
            yield replace(rows, flaw=flaw)

    def _sizes(self, model: str) -> list[tuple[int, float]]:
        """Return GPUs, and GB of each, of the nodes on which a job of a type may run."""
        if not gpus_of(model, self.known):
            return []
        if not self._nodes_for(UNRECORDED):
            return [(LARGEST_NODE, np.inf)]
        return sorted(
            {
                (group.gpus, gpu_type(gpus_of(group.model, self.known)[0]).memory_gb)
                for group in self._nodes_for(model)
            }
        )

    def _nodes_for(self, model: str) -> list[TraceNodes]:
        return nodes_for(model, self.nodes, self.known, binding=self.trace.format.binding)

    @property
    def has_errors(self) -> bool:
        """Return whether there are errors, not only notices."""
        return any(kind.error and self.tally.flaws[kind.name] for kind in flaws.KINDS)

    @property
    def span(self) -> float:
        """Return the time from the first to the last submission [s], at least an hour."""
        return max(HOUR, self.tally.last - self.tally.first) if self.tally.usable else HOUR

    @property
    def loads(self) -> list[OfferedLoad]:
        """Return the offered load of each GPU type as recorded, the largest first."""
        work: dict[str, float] = dict.fromkeys(self.tally.jobs, 0.0)
        for (model, _), amount in self.tally.gpu_seconds.items():
            work[model] += amount
        loads = [
            OfferedLoad(
                model=model,
                jobs=self.tally.jobs[model],
                gpu_hours=amount / HOUR,
                busy=amount / self.span,
                capacity=self._capacity(model),
            )
            for model, amount in work.items()
        ]
        return sorted(loads, key=lambda load: -load.gpu_hours)

    def _capacity(self, model: str) -> int | None:
        """Return the GPUs on which a job of a recorded type may run; None if there are none."""
        return sum(group.gpus * group.count for group in self._nodes_for(model)) or None

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Return the start and the length of long intervals without submissions [h]."""
        hours = np.array(sorted(self.tally.submissions), dtype=np.int64)
        long = np.flatnonzero(np.diff(hours) > GAP)
        gaps = [(int(hours[i] + 1 - hours[0]), int(hours[i + 1] - hours[i] - 1)) for i in long]
        return sorted(gaps, key=lambda gap: -gap[1])

    @property
    def remarks(self) -> list[str]:
        """Return remarks on the trace as a whole."""
        tally, median = self.tally, self.median_run_time
        remarks = [
            f"{tally.flaws[kind.name]} of {tally.rows} rows are {kind.name}: check column and unit"
            for kind in _MISREAD
            if tally.rows and 2 * tally.flaws[kind.name] >= tally.rows
        ]
        if tally.unknown:
            types = ", ".join(f"{name} ({count} rows)" for name, count in tally.unknown.items())
            remarks.append(f"GPU types without times: {types}; gpus NAME=GPU names a stand-in")
        if tally.weightless:
            remarks.append(f"{tally.weightless} rows have weight 0: they may be late for nothing")
        if median is not None and not _ODD_SHORT <= median <= _ODD_LONG:
            remarks.append(f"the median run time is {median:.3g} s: check the unit")
        elif median is not None and self.trace.format.arrivals and median > _ODD_RATIO * self.span:
            remarks.append(
                f"the median run time, {median:.3g} s, is long for submissions within"
                f" {self.span:.3g} s: check the unit"
            )
        capacity = self._capacity(UNRECORDED)
        busy = sum(load.busy for load in self.loads)
        if capacity and self.span > _ODD_SPAN_OF_LOAD and busy > _ODD_LOAD * capacity:
            remarks.append(
                f"{busy:.3g} GPUs busy on average, of {capacity}: check the units of times"
            )
        if self.span > _ODD_SPAN:
            years = self.span / (365.25 * 86400)
            remarks.append(f"submissions span {years:.3g} years: check the unit")
        return remarks

    @property
    def median_run_time(self) -> float | None:
        """Return the median run time of the usable rows [s]; None without any."""
        times = self.tally.run_times
        return float(np.median(np.concatenate(times))) if times else None

    def as_document(self) -> dict[str, Any]:
        """Return the report as a document, for `--json`."""
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
                for kind in flaws.KINDS
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
        GPU type as recorded ("" = not recorded) -> that of the catalogue, which goes first.
    """
    report = QualityReport(
        trace=trace,
        nodes=trace.nodes() if nodes is None else list(nodes),
        known=stand_ins(gpus or {}, trace.format.gpu),
    )
    report = replace(report, tally=_tally(report))
    if len(duplicates := report.tally.duplicates()):
        # they have no part in the load: count once more
        report = replace(report, tally=TraceTally(), duplicates=duplicates)
        report = replace(report, tally=_tally(report))
    return report


def _tally(report: QualityReport) -> TraceTally:
    """Count the rows of a trace."""
    tally, trace = TraceTally(), report.trace
    for table, columns in trace.missing.items():
        place = RowLocation(trace.tables[table].name, 1, ", ".join(columns))
        tally.note_file(flaws.MISSING_COLUMN, place, len(columns))
    if trace.missing:
        return tally
    try:
        for rows in report.rows():
            tally.add(rows)
    except Truncated as error:
        tally.note_file(flaws.TRUNCATED, RowLocation(error.file, error.line, ""), 1)
    if not tally.rows:
        tally.note_file(flaws.EMPTY, RowLocation(trace.file, 1, ""), 1)
    return tally
