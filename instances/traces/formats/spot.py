"""
Alibaba cluster-trace-v2026-spot-gpu: jobs of high priority and spot jobs.

Columns of job_info_df.csv: job_name, organization, gpu_model, cpu_request, gpu_request (of a
worker), worker_num, submit_time [s from the first], duration [s], job_type (HP, Spot). Waiting
times and states are not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsjs.instances.traces.columns import TableColumns, is_count, job_records, table_rows
from rsjs.instances.traces.formats.node_lists import node_list
from rsjs.instances.traces.records import JobRecords, Sources, TraceFormat, TraceTable, with_columns

_JOBS, _NODES = "job_info_df", "node_info_df"
_WANTED = {
    "job_name": "text",
    "gpu_model": "word",
    "gpu_request": "number",
    "worker_num": "number",
    "submit_time": "number",
    "duration": "number",
}


def _rows(sources: Sources) -> Iterator[JobRecords]:
    return table_rows(sources[_JOBS], _WANTED, _jobs)


def _jobs(columns: TableColumns, file: str, line: np.ndarray) -> JobRecords:
    submit, duration = columns.time("submit_time"), columns.number("duration")
    each, workers = columns.number("gpu_request"), columns.number("worker_num")
    unknown = np.full(len(line), np.nan)
    whole = is_count(each) & is_count(workers)
    return job_records(
        file=file,
        line=line,
        id=columns.text("job_name"),
        submit=submit,
        start=unknown,
        end=unknown,
        duration=duration,
        gpus=np.multiply(each, workers, out=unknown.copy(), where=whole),
        model=columns.word("gpu_model"),
        flaw=columns.flaw,
    )


SPOT = TraceFormat(
    name="spot",
    title="Alibaba cluster-trace-v2026-spot-gpu",
    tables=(
        TraceTable(name=_JOBS, missing=with_columns(*_WANTED)),
        TraceTable(
            name=_NODES,
            missing=with_columns("node_name", "gpu_model", "gpu_capacity_num"),
            needed=False,
        ),
    ),
    rows=_rows,
    nodes={_NODES: node_list("gpu_capacity_num", "gpu_model")},
    gpu="V100",
    binding=True,
)
