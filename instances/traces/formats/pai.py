"""
Alibaba cluster-trace-gpu-v2020 (PAI): job and task table, see `pai_tables` and `pai_tasks`.

The trap: start_time of a job is its submission, that of a task its launch. A job ran from the
first launch to the last end of its tasks. GPU type MISC stands for K40, K80 and M60.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.traces.columns import Columns, Index, assembled
from rsjs.instances.traces.flaws import DUPLICATE, PENDING, UNMATCHED
from rsjs.instances.traces.formats.node_lists import node_list
from rsjs.instances.traces.formats.pai_tables import DONE, JOB, SPEC, STATES, TASK, layout, like
from rsjs.instances.traces.formats.pai_tasks import WANTED, JobTasks, TaskReader
from rsjs.instances.traces.io.line_blocks import Truncated
from rsjs.instances.traces.records import Rows, flawed
from rsjs.instances.traces.table_rows import layout_rows
from rsjs.instances.traces.text_columns import keys
from rsjs.instances.traces.trace_format import Sources, Table, TraceFormat

_JOBS, _TASKS, _SPEC = "job table", "task table", "machine spec"
_WANTED = {"job_name": "text", "status": "word", "start_time": "number"}


def _rows(sources: Sources) -> Iterator[Rows]:
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

    def jobs(columns: Columns, file: str, line: Index) -> Rows:
        return _jobs(columns, file, line, tasks, matched)

    yield from layout_rows(sources[_JOBS], layout(sources[_JOBS], JOB, _WANTED), jobs)
    if not matched.all():
        yield flawed(tasks.file, np.sort(tasks.line[~matched]), UNMATCHED)
    if len(tasks.again):
        yield flawed(tasks.file, tasks.again, DUPLICATE)
    if truncated is not None:
        raise truncated


def _jobs(columns: Columns, file: str, line: Index, tasks: JobTasks, matched: np.ndarray) -> Rows:
    name, submit = columns.text("job_name"), columns.time("start_time")
    columns.state("status", DONE, STATES)
    at = tasks.of(keys(name))
    has = at < len(tasks.key)
    matched[at[has]] = True
    columns.flaw |= tasks.flaw[at]
    alone = ~has & ((columns.flaw & PENDING.bit) == 0)
    columns.flaw[alone] |= UNMATCHED.bit
    return assembled(
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
        Table(name=_JOBS, missing=like(JOB)),
        Table(name=_TASKS, missing=like(TASK)),
        Table(name=_SPEC, missing=like(SPEC), needed=False),
    ),
    rows=_rows,
    nodes={_SPEC: node_list("cap_gpu", "gpu_type", SPEC)},
    gpu="V100",
)
