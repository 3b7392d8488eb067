"""
Alibaba cluster-trace-v2026-spot-gpu: jobs of high priority and spot jobs.

Columns of job_info_df.csv: job_name, organization, gpu_model, cpu_request, gpu_request (of a
worker), worker_num, submit_time [s from the first], duration [s], job_type (HP, Spot). Waiting
times and states are not recorded.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rsjs.instances.traces.columns import TableBlock, is_count, job_records, read_nodes, read_table
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceTable

_JOBS = TraceTable(
    name="job_info_df",
    columns={
        "job_name": "text",
        "gpu_model": "word",
        "gpu_request": "number",
        "worker_num": "number",
        "submit_time": "number",
        "duration": "number",
    },
)
_NODES = TraceTable(
    name="node_info_df",
    columns={"node_name": "", "gpu_model": "word", "gpu_capacity_num": "number"},
    required=False,
)


def _jobs(block: TableBlock) -> JobRecords:
    of_worker, workers = block.number("gpu_request"), block.number("worker_num")
    counted = is_count(of_worker) & is_count(workers)
    unknown = np.full(len(workers), np.nan)
    return job_records(
        block,
        id=block.text("job_name"),
        submit=block.time("submit_time"),
        duration=block.number("duration"),
        gpus=np.multiply(of_worker, workers, out=unknown, where=counted),
        model=block.word("gpu_model"),
    )


SPOT = TraceFormat(
    name="spot",
    title="Alibaba cluster-trace-v2026-spot-gpu",
    tables=(_JOBS, _NODES),
    rows=partial(read_table, _JOBS, _jobs),
    nodes=partial(read_nodes, _NODES, "gpu_capacity_num", "gpu_model"),
    gpu="V100",
    binding=True,
)
