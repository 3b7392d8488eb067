"""
Alibaba cluster-trace-gpu-v2020 (PAI): job and task table, see `pai_tables` and `pai_tasks`.

The trap: start_time of a job is its submission, that of a task its launch. A job ran from the
first launch to the last end of its tasks. GPU type MISC stands for K40, K80 and M60.

The tables of Alibaba cluster-trace-gpu-v2020 (PAI), which have no header.

    job    job_name, inst_id, user, status, start_time (= submission), end_time [s]
    task   job_name, task_name, inst_num, status, start_time (= launch), end_time, plan_cpu,
           plan_mem, plan_gpu [% of a GPU, of an instance; empty = none], gpu_type
    spec   machine, gpu_type, cap_cpu, cap_mem, cap_gpu

A table to which somebody has put its header is read as well.

The tasks of PAI jobs, summed up for each job.

    GPUs       G = sum over tasks of inst_num plan_gpu / 100, rounded up
    share      G of a single instance with less than one GPU; otherwise 1
    start, end least start_time, largest end_time
    GPU type   of a task with GPUs

A task that an earlier row has, by the names of job and task, is a duplicate and has no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats, Ints
from rsjs.instances.traces.columns import TableColumns, job_records, keys, layout_rows, mixed
from rsjs.instances.traces.flaws import (
    DUPLICATE,
    FAILED,
    GPU_COUNT,
    NUMBER,
    PENDING,
    RUNNING,
    UNMATCHED,
    Bits,
    FlawKind,
)
from rsjs.instances.traces.formats.node_lists import node_list
from rsjs.instances.traces.io.csv import CsvLayout
from rsjs.instances.traces.io.streams import HEAD, ByteSource, Truncated, pieces
from rsjs.instances.traces.records import (
    JobRecords,
    Sources,
    TraceFormat,
    TraceTable,
    broken_lines,
    header_of,
)

JOB = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
TASK = (
    "job_name",
    "task_name",
    "inst_num",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
    "plan_gpu",
    "gpu_type",
)
SPEC = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")
STATES: Mapping[str, FlawKind] = {"Running": RUNNING, "Failed": FAILED, "Waiting": PENDING}
DONE = "Terminated"
_LINES = 20  # from which a table is told: some may be damaged


def like(columns: tuple[str, ...]) -> Callable[[bytes], tuple[str, ...] | None]:
    """`TraceTable.missing` of a table with or without its header."""

    def missing(head: bytes) -> tuple[str, ...] | None:
        if header_of(head) == columns:
            return ()
        lines = head.decode("utf-8", "replace").splitlines()[:-1] or [
            head.decode("utf-8", "replace")
        ]
        rows = (line.split(",") for line in islice(lines, _LINES))
        return () if any(_fits(row, columns) for row in rows) else None

    return missing


def layout(source: ByteSource, columns: tuple[str, ...], wanted: Mapping[str, str]) -> CsvLayout:
    """How one of the tables is written."""
    with source.open() as stream:
        head = next(pieces(stream, HEAD), b"")
    return CsvLayout(columns=columns, wanted=wanted, header=header_of(head) == columns)


def _fits(row: list[str], columns: tuple[str, ...]) -> bool:
    if len(row) != len(columns):
        return False
    if columns is SPEC:
        numeric = [entry.strip().replace(".", "", 1).isdigit() for entry in row]
        return not numeric[1] and all(numeric[2:])  # no GPU type is a number: pods of openb
    return row[columns.index("status")] in {DONE, *STATES}


WANTED = {
    "job_name": "text",
    "task_name": "word",
    "inst_num": "number",
    "start_time": "number",
    "end_time": "number",
    "plan_gpu": "number",
    "gpu_type": "word",
}
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTasks:
    """
    (n + 1,) an entry for each job that has tasks, in the order of `key`, and one for all others.

    Attributes
    ----------
    file : str
    key : (n,) uint64, increasing; see `text_columns.keys`
    line : (n,) int, of its first task
    start, end : float [s]
    gpus, share : float
    model, models : as in `JobRecords`
    flaw : uint32
    again : (d,) int
        Lines of tasks that an earlier line has.
    """

    file: str
    key: NDArray[np.uint64]
    line: Ints
    start: Floats
    end: Floats
    gpus: Floats
    share: Floats
    model: Ints
    models: tuple[str, ...]
    flaw: Bits
    again: Ints

    def of(self, key: NDArray[np.uint64]) -> Ints:
        """(m,) position of each job, n = it has no task."""
        order = np.argsort(key)  # neighbours are then found near each other
        at = np.empty(len(key), dtype=np.int64)
        at[order] = np.searchsorted(self.key, key[order])
        found = self.key[np.minimum(at, len(self.key) - 1)] == key
        return np.where(found, at, len(self.key))


@dataclass(kw_only=True, eq=False)
class TaskReader:
    """Collects the tasks, about 70 bytes each, twice as many while they are summed up."""

    file: str = ""
    models: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    parts: list[dict[str, NDArray[Any]]] = field(default_factory=list)

    def add(self, columns: TableColumns, file: str, line: Ints) -> JobRecords:
        """Note a block of tasks; no row comes of it (`make` of `table_rows.layout_rows`)."""
        plan, instances = columns.number("plan_gpu"), columns.number("inst_num")
        start, end = columns.time("start_time"), columns.time("end_time")
        on_gpu = plan > 0
        counted = on_gpu & (instances >= 0)
        self.file = file
        self.parts.append(
            {
                "key": keys(columns.text("job_name")),
                "task": _coded(columns.word("task_name"), self.names),
                "line": line,
                "start": start,
                "end": end,
                "instances": np.where(counted, instances, 0.0),
                "gpus": np.where(counted, instances * plan / 100, 0.0),
                "model": np.where(on_gpu, _coded(columns.word("gpu_type"), self.models), -1),
                "unread": (columns.flaw & NUMBER.bit) != 0,
                "uncounted": (on_gpu & ~counted) | (plan < 0),
            }
        )
        return broken_lines(file, line[:0], UNMATCHED)

    def jobs(self) -> JobTasks | None:
        """All tasks by job; None if there is no task."""
        if not self.parts:
            return None
        task = {name: np.concatenate([p[name] for p in self.parts]) for name in self.parts[0]}
        self.parts.clear()
        again = _again(task["key"], task["task"])
        order = np.argsort(task["key"])
        if len(again):
            order = order[~np.isin(order, again)]
        key = task["key"][order]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))

        def of_jobs(rule: np.ufunc, name: str) -> NDArray[Any]:
            return np.asarray(rule.reduceat(task[name][order], first))

        gpus = of_jobs(np.add, "gpus")
        part = (of_jobs(np.add, "instances") == 1) & (gpus < 1) & (gpus > 0)
        flaw = of_jobs(np.maximum, "unread") * NUMBER.bit
        flaw |= of_jobs(np.maximum, "uncounted") * GPU_COUNT.bit
        return JobTasks(
            file=self.file,
            key=key[first],
            line=of_jobs(np.minimum, "line"),
            start=np.append(of_jobs(np.fmin, "start"), np.nan),
            end=np.append(of_jobs(np.fmax, "end"), np.nan),
            gpus=np.append(np.ceil(gpus - _ROUNDING), np.nan),
            share=np.append(np.where(part, gpus, 1.0), np.nan),
            model=np.append(of_jobs(np.maximum, "model"), -1),
            models=tuple(self.models),
            flaw=np.append(flaw, 0).astype(np.uint32),
            again=task["line"][again],
        )


def _coded(words: tuple[Ints, tuple[str, ...]], known: dict[str, int]) -> Ints:
    """(n,) positions in the words that are known by now, -1 where there is none."""
    codes, names = words
    position = [known.setdefault(name, len(known)) for name in names]
    return np.array([*position, -1], dtype=np.int64)[codes]


def _again(key: NDArray[np.uint64], task: Ints) -> Ints:
    """Rows that an earlier row has, by job and task, in the order of the file."""
    pair = mixed(key, task.astype(np.uint64))
    ordered = np.sort(pair)
    if (ordered[1:] != ordered[:-1]).all():
        return np.empty(0, dtype=np.int64)
    order = np.argsort(pair, kind="stable")
    return np.sort(order[1:][pair[order[1:]] == pair[order[:-1]]])


_JOBS, _TASKS, _SPEC = "job table", "task table", "machine spec"
_WANTED = {"job_name": "text", "status": "word", "start_time": "number"}


def _rows(sources: Sources) -> Iterator[JobRecords]:
    reader = TaskReader()
    truncated = None
    try:
        yield from layout_rows(sources[_TASKS], layout(sources[_TASKS], TASK, WANTED), reader.add)
    except Truncated as error:
        truncated = error  # the jobs of the tasks before it count
    tasks = reader.jobs()
    if tasks is None:
        expected = "tasks of the jobs"
        raise InputError("", described("no task"), expected, sources[_TASKS].name)
    matched = np.zeros(len(tasks.key), dtype=bool)

    def jobs(columns: TableColumns, file: str, line: Ints) -> JobRecords:
        return _jobs(columns, file, line, tasks, matched)

    yield from layout_rows(sources[_JOBS], layout(sources[_JOBS], JOB, _WANTED), jobs)
    if not matched.all():
        yield broken_lines(tasks.file, np.sort(tasks.line[~matched]), UNMATCHED)
    if len(tasks.again):
        yield broken_lines(tasks.file, tasks.again, DUPLICATE)
    if truncated is not None:
        raise truncated


def _jobs(
    columns: TableColumns, file: str, line: Ints, tasks: JobTasks, matched: np.ndarray
) -> JobRecords:
    name, submit = columns.text("job_name"), columns.time("start_time")
    columns.state("status", DONE, STATES)
    at = tasks.of(keys(name))
    has = at < len(tasks.key)
    matched[at[has]] = True
    columns.flaw |= tasks.flaw[at]
    alone = ~has & ((columns.flaw & PENDING.bit) == 0)
    columns.flaw[alone] |= UNMATCHED.bit
    return job_records(
        file=file,
        line=line,
        id=name,
        submit=submit,
        start=tasks.start[at],
        end=tasks.end[at],
        gpus=tasks.gpus[at],
        share=tasks.share[at],
        model=(tasks.model[at], tasks.models),
        flaw=columns.flaw,
    )


PAI = TraceFormat(
    name="pai",
    title="Alibaba cluster-trace-gpu-v2020",
    tables=(
        TraceTable(name=_JOBS, missing=like(JOB)),
        TraceTable(name=_TASKS, missing=like(TASK)),
        TraceTable(name=_SPEC, missing=like(SPEC), needed=False),
    ),
    rows=_rows,
    nodes={_SPEC: node_list("cap_gpu", "gpu_type", SPEC)},
    gpu="V100",
)
