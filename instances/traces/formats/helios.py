"""
Helios (SenseTime, SC '21): 3.36 million jobs of four clusters, 1.58 million of them with GPUs.

Columns of cluster_log.csv: job_id, user, vc, gpu_num, cpu_num, node_num, state (COMPLETED,
CANCELLED, FAILED, TIMEOUT, NODE_FAIL), submit_time, start_time, end_time (2020-06-09 18:41:01),
duration [s] = end - start, queue [s] = start - submit. The GPU type of a job is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsjs.instances.traces.columns import TableColumns, job_records, table_rows
from rsjs.instances.traces.flaws import FAILED, KILLED, PENDING, RUNNING
from rsjs.instances.traces.records import JobRecords, Sources, TraceFormat, TraceTable, with_columns

_JOBS = "cluster_log"
_WANTED = {
    "job_id": "text",
    "gpu_num": "number",
    "state": "word",
    "submit_time": "date",
    "start_time": "date",
    "end_time": "date",
    "duration": "number",
}
_STATES = {
    "CANCELLED": KILLED,
    "FAILED": FAILED,
    "TIMEOUT": FAILED,
    "NODE_FAIL": FAILED,
    "RUNNING": RUNNING,
    "SUSPENDED": RUNNING,
    "PENDING": PENDING,
}


def _rows(sources: Sources) -> Iterator[JobRecords]:
    return table_rows(sources[_JOBS], _WANTED, _jobs)


def _jobs(columns: TableColumns, file: str, line: np.ndarray) -> JobRecords:
    columns.state("state", "COMPLETED", _STATES)
    dates = [columns.date(name) for name in ("submit_time", "start_time", "end_time")]
    gpus, duration = columns.number("gpu_num"), columns.number("duration")
    return job_records(
        file=file,
        line=line,
        id=columns.text("job_id"),
        submit=dates[0],
        start=dates[1],
        end=dates[2],
        duration=duration,
        gpus=gpus,
        flaw=columns.flaw,
    )


HELIOS = TraceFormat(
    name="helios",
    title="Helios cluster_log",
    tables=(TraceTable(name=_JOBS, missing=with_columns(*_WANTED)),),
    rows=_rows,
    gpu="V100",
)
