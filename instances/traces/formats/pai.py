"""
Alibaba cluster-trace-gpu-v2020 (PAI): tables of jobs, of their tasks, and of machines.

    job    job_name, inst_id, user, status, start_time (= submission), end_time [s]
    task   job_name, task_name, inst_num, status, start_time (= launch), end_time, plan_cpu,
           plan_mem, plan_gpu [% of a GPU, of an instance; empty = none], gpu_type
    spec   machine, gpu_type, cap_cpu, cap_mem, cap_gpu

The tables have no header; one to which somebody has put it is read as well. The trap: start_time
of a job is its submission, that of a task its launch. A job ran from the first launch to the last
end of its tasks, which are summed up for each job:

    GPUs       G = sum over tasks of inst_num plan_gpu / 100, rounded up
    share      G of a single instance with less than one GPU; otherwise 1
    start, end min start_time, max end_time
    GPU type   of a task with GPUs; MISC stands for K40, K80 and M60

A task that an earlier row has, by the names of job and task, is a duplicate and has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import (
    TableBlock,
    hash_texts,
    job_records,
    mix_hashes,
    read_table,
    repeated,
)
from rsjs.instances.traces.flaws import Bits
from rsjs.instances.traces.formats.node_lists import read_nodes
from rsjs.instances.traces.io.streams import ByteSource, Truncated
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceTable, broken_lines, recode

_STATES = {"Running": flaws.RUNNING, "Failed": flaws.FAILED, "Waiting": flaws.PENDING}
_DONE = "Terminated"
_ROUNDING = 1e-9


def _has_state(row: Sequence[str]) -> bool:
    return row[3] in {_DONE, *_STATES}


def _is_machine(row: Sequence[str]) -> bool:
    """Return whether all after the GPU type are numbers, and it is none (pods of openb)."""
    numeric = [entry.strip().replace(".", "", 1).isdigit() for entry in row]
    return not numeric[1] and all(numeric[2:])


_JOBS = TraceTable(
    name="job table",
    columns={"job_name": "text", "status": "word", "start_time": "number"},
    order=("job_name", "inst_id", "user", "status", "start_time", "end_time"),
    is_row=_has_state,
)
_TASKS = TraceTable(
    name="task table",
    columns={
        "job_name": "text",
        "task_name": "word",
        "inst_num": "number",
        "start_time": "number",
        "end_time": "number",
        "plan_gpu": "number",
        "gpu_type": "word",
    },
    order=(
        *("job_name", "task_name", "inst_num", "status", "start_time", "end_time"),
        *("plan_cpu", "plan_mem", "plan_gpu", "gpu_type"),
    ),
    is_row=_has_state,
)
_SPEC = TraceTable(
    name="machine spec",
    columns={"gpu_type": "word", "cap_gpu": "number"},
    order=("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"),
    is_row=_is_machine,
    required=False,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTasks:
    """
    The tasks of each job, summed up.

    All but `key` and `line` have an entry more, for jobs without tasks.

    Attributes
    ----------
    file : str
    key : (n,) uint64, increasing
        Hash of the name of each job that has tasks.
    line : (n,) int
        Of its first task.
    start, end : (n + 1,) float [s]
    gpus, share : (n + 1,) float
    model, models : (n + 1,) int, tuple of str
        See `JobRecords`.
    flaw : (n + 1,) uint32
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

    def positions(self, key: NDArray[np.uint64]) -> Ints:
        """Return (m,) positions of jobs, n = without a task."""
        order = np.argsort(key)  # neighbours are then found near each other
        at = np.empty(len(key), dtype=np.int64)
        at[order] = np.searchsorted(self.key, key[order])
        known = self.key[np.minimum(at, len(self.key) - 1)] == key
        return np.where(known, at, len(self.key))


@dataclass(kw_only=True, eq=False)
class TaskReader:
    """Collector of the tasks: about 70 bytes each, twice as many while they are summed up."""

    file: str = ""
    models: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    parts: list[dict[str, NDArray[Any]]] = field(default_factory=list)

    def add(self, block: TableBlock) -> JobRecords:
        """Note a block of tasks; no job comes of it yet."""
        plan, instances = block.number("plan_gpu"), block.number("inst_num")
        start, end = block.time("start_time"), block.time("end_time")
        # Instances that are no number, or none, count no GPUs; the flaw is noted.
        on_gpu = plan > 0
        counted = on_gpu & (instances >= 0)
        self.file = block.file
        self.parts.append(
            {
                "key": hash_texts(block.text("job_name")),
                "task": recode(*block.word("task_name"), self.names),
                "line": block.line,
                "start": start,
                "end": end,
                "instances": np.where(counted, instances, 0.0),
                "gpus": np.where(counted, instances * plan / 100, 0.0),
                "model": np.where(on_gpu, recode(*block.word("gpu_type"), self.models), -1),
                "unread": (block.flaw & flaws.NUMBER.bit) != 0,
                "uncounted": (on_gpu & ~counted) | (plan < 0),
            }
        )
        return broken_lines(block.file, block.line[:0], flaws.UNMATCHED)

    def jobs(self) -> JobTasks | None:
        """Sum up all tasks by job; None if there is no task."""
        if not self.parts:
            return None
        task = {name: np.concatenate([p[name] for p in self.parts]) for name in self.parts[0]}
        self.parts.clear()
        again = repeated(mix_hashes(task["key"], task["task"].astype(np.uint64)))
        # Tasks in the order of their jobs, without duplicates; the first one of each job.
        order = np.argsort(task["key"])
        if len(again):
            order = order[~np.isin(order, again)]
        key = task["key"][order]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))

        def of_jobs(rule: np.ufunc, name: str) -> NDArray[Any]:
            return np.asarray(rule.reduceat(task[name][order], first))

        # An array each of the sums, extremes and flaws of the jobs.
        gpus = of_jobs(np.add, "gpus")
        part = (of_jobs(np.add, "instances") == 1) & (gpus < 1) & (gpus > 0)
        flaw = of_jobs(np.maximum, "unread") * flaws.NUMBER.bit
        flaw |= of_jobs(np.maximum, "uncounted") * flaws.GPU_COUNT.bit
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


def _rows(sources: Mapping[str, ByteSource]) -> Iterator[JobRecords]:
    reader = TaskReader()
    truncated = None
    try:
        yield from read_table(_TASKS, reader.add, sources)
    except Truncated as error:
        truncated = error  # the jobs of the tasks before it count
    tasks = reader.jobs()
    if tasks is None:
        source = sources[_TASKS.name]
        raise InputError("", described("no task"), "tasks of the jobs", source.name)
    matched = np.zeros(len(tasks.key), dtype=bool)
    yield from read_table(_JOBS, lambda block: _jobs(block, tasks, matched), sources)
    if not matched.all():
        yield broken_lines(tasks.file, np.sort(tasks.line[~matched]), flaws.UNMATCHED)
    if len(tasks.again):
        yield broken_lines(tasks.file, tasks.again, flaws.DUPLICATE)
    if truncated is not None:
        raise truncated


def _jobs(block: TableBlock, tasks: JobTasks, matched: Bools) -> JobRecords:
    """Join the jobs of a block with their tasks, and note in `matched` which tasks they have."""
    name, submit = block.text("job_name"), block.time("start_time")
    block.note_states("status", _DONE, _STATES)
    # Position of each job in the tasks, the last one = it has none.
    at = tasks.positions(hash_texts(name))
    has = at < len(tasks.key)
    matched[at[has]] = True
    block.flaw |= tasks.flaw[at]
    alone = ~has & ((block.flaw & flaws.PENDING.bit) == 0)
    block.flaw[alone] |= flaws.UNMATCHED.bit
    return job_records(
        block,
        id=name,
        submit=submit,
        start=tasks.start[at],
        end=tasks.end[at],
        gpus=tasks.gpus[at],
        share=tasks.share[at],
        model=(tasks.model[at], tasks.models),
    )


PAI = TraceFormat(
    name="pai",
    title="Alibaba cluster-trace-gpu-v2020",
    tables=(_JOBS, _TASKS, _SPEC),
    rows=_rows,
    nodes=partial(read_nodes, _SPEC, "cap_gpu", "gpu_type"),
    gpu="V100",
)
