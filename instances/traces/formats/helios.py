"""
Helios (SenseTime, SC '21): 3.36 million jobs of four clusters, 1.58 million of them with GPUs.

Columns of cluster_log.csv: job_id, user, vc, gpu_num, cpu_num, node_num, state (COMPLETED,
CANCELLED, FAILED, TIMEOUT, NODE_FAIL), submit_time, start_time, end_time (2020-06-09 18:41:01),
duration [s] = end - start, queue [s] = start - submit. The GPU type of a job is not recorded.
"""

from __future__ import annotations

from functools import partial

from rsjs.instances.traces.columns import TableBlock, job_records, read_table
from rsjs.instances.traces.flaws import FAILED, KILLED, PENDING, RUNNING
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceTable

_JOBS = TraceTable(
    name="cluster_log",
    columns={
        "job_id": "text",
        "gpu_num": "number",
        "state": "word",
        "submit_time": "date",
        "start_time": "date",
        "end_time": "date",
        "duration": "number",
    },
)
_STATES = {
    "CANCELLED": KILLED,
    "FAILED": FAILED,
    "TIMEOUT": FAILED,
    "NODE_FAIL": FAILED,
    "RUNNING": RUNNING,
    "SUSPENDED": RUNNING,
    "PENDING": PENDING,
}


def _jobs(block: TableBlock) -> JobRecords:
    block.note_states("state", "COMPLETED", _STATES)
    return job_records(
        block,
        id=block.text("job_id"),
        submit=block.date("submit_time"),
        start=block.date("start_time"),
        end=block.date("end_time"),
        duration=block.number("duration"),
        gpus=block.number("gpu_num"),
    )


HELIOS = TraceFormat(
    name="helios",
    title="Helios cluster_log",
    licence="CC-BY-4.0",
    tables=(_JOBS,),
    rows=partial(read_table, _JOBS, _jobs),
    zoned=False,
    gpu="V100",
)
