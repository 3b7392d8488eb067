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
import pandas as pd

from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Ints
from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import (
    TableBlock,
    hash_texts,
    job_records,
    read_nodes,
    read_table,
)
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


@dataclass(kw_only=True, eq=False)
class TaskReader:
    """Collector of the tasks: about 70 bytes each, twice as many while they are summed up."""

    models: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)

    def add(self, block: TableBlock) -> JobRecords:
        """Note a block of tasks; no job comes of it yet."""
        plan, instances = block.number("plan_gpu"), block.number("inst_num")
        start, end = block.time("start_time"), block.time("end_time")
        # Instances that are no number, or none, count no GPUs; the flaw is noted.
        on_gpu = plan > 0
        counted = on_gpu & (instances >= 0)
        part = {
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
        self.parts.append(pd.DataFrame(part))
        return broken_lines(block.file, block.line[:0], flaws.UNMATCHED)

    def jobs(self) -> tuple[Any, Ints]:
        """
        Sum up all tasks by job.

        Returns
        -------
        DataFrame
            By the hash of the name of each job: columns of `JobRecords`, `line` of its first task.
        (d,) int
            Lines of tasks that an earlier line has.
        """
        task = pd.concat(self.parts, ignore_index=True)
        self.parts.clear()
        again = task.duplicated(["key", "task"])
        how = {"line": "min", "start": "min", "end": "max", "instances": "sum", "gpus": "sum"}
        how |= dict.fromkeys(("model", "unread", "uncounted"), "max")
        job = task[~again].groupby("key").agg(how)
        part = (job["instances"] == 1) & (job["gpus"] < 1) & (job["gpus"] > 0)
        job["share"] = job["gpus"].where(part, 1.0)
        job["gpus"] = np.ceil(job["gpus"] - _ROUNDING)
        job["flaw"] = job["unread"] * flaws.NUMBER.bit | job["uncounted"] * flaws.GPU_COUNT.bit
        return job, task["line"][again].to_numpy()


def _rows(sources: Mapping[str, ByteSource]) -> Iterator[JobRecords]:
    reader, source, truncated = TaskReader(), sources[_TASKS.name], None
    try:
        yield from read_table(_TASKS, reader.add, sources)
    except Truncated as error:
        truncated = error  # the jobs of the tasks before it count
    if not reader.parts:
        raise InputError("", described("no task"), "tasks of the jobs", source.name)
    tasks, again = reader.jobs()
    matched = np.zeros(len(tasks), dtype=bool)
    models = tuple(reader.models)
    yield from read_table(_JOBS, lambda block: _jobs(block, tasks, models, matched), sources)
    if not matched.all():
        lines = np.sort(tasks["line"].to_numpy()[~matched])
        yield broken_lines(source.name, lines, flaws.UNMATCHED)
    if len(again):
        yield broken_lines(source.name, again, flaws.DUPLICATE)
    if truncated is not None:
        raise truncated


def _jobs(block: TableBlock, tasks: Any, models: tuple[str, ...], matched: Bools) -> JobRecords:
    """Join the jobs of a block with their tasks, and note in `matched` which tasks they have."""
    name, submit = block.text("job_name"), block.time("start_time")
    block.note_states("status", _DONE, _STATES)
    # Position of each job in the tasks, -1 = it has none.
    position = tasks.index.get_indexer(hash_texts(name))
    has = position >= 0
    matched[position[has]] = True
    alone = ~has & ((block.flaw & flaws.PENDING.bit) == 0)
    block.flaw[alone] |= flaws.UNMATCHED.bit
    job = tasks.take(position)  # the last one for -1
    block.flaw[has] |= job["flaw"].to_numpy(dtype=np.uint32)[has]
    recorded: dict[str, Any] = {
        name: np.where(has, job[name], np.nan) for name in ("start", "end", "gpus", "share")
    }
    return job_records(
        block,
        id=name,
        submit=submit,
        model=(np.where(has, job["model"], -1), models),
        **recorded,
    )


PAI = TraceFormat(
    name="pai",
    title="Alibaba cluster-trace-gpu-v2020",
    licence="CC-BY-4.0",
    tables=(_JOBS, _TASKS, _SPEC),
    rows=_rows,
    nodes=partial(read_nodes, _SPEC, "cap_gpu", "gpu_type"),
    gpu="V100",
)
