"""
Alibaba cluster-trace-gpu-v2023 (openb): pods with shares of GPUs, 8152 of them in the default file.

Columns of the pod list: name, cpu_milli, memory_mib, num_gpu (0 to 8), gpu_milli (thousandths of
one GPU, if num_gpu is 1), gpu_spec ("A|B": A or B; empty: any), qos, pod_phase, creation_time,
deletion_time, scheduled_time [s]. The multigpu files lack everything after gpu_milli and are
refused for these missing columns.
A pod without scheduled_time never started. Most pods are of phase Running until they are deleted.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rsjs.instances.traces.columns import TableBlock, job_records, read_nodes, read_table
from rsjs.instances.traces.flaws import FAILED, PENDING, RUNNING
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceTable

_PODS = TraceTable(
    name="pod list",
    columns={
        "name": "text",
        "num_gpu": "number",
        "gpu_milli": "number",
        "gpu_spec": "word",
        "pod_phase": "word",
        "creation_time": "number",
        "deletion_time": "number",
        "scheduled_time": "number",
    },
)
_NODES = TraceTable(
    name="node list", columns={"sn": "", "gpu": "number", "model": "word"}, required=False
)
_PHASES = {"Pending": PENDING, "Running": RUNNING, "Failed": FAILED}


def _pods(block: TableBlock) -> JobRecords:
    block.note_states("pod_phase", "Succeeded", _PHASES)
    gpus, start = block.number("num_gpu"), block.time("scheduled_time")
    block.flaw[np.isnan(start)] |= PENDING.bit
    return job_records(
        block,
        id=block.text("name"),
        submit=block.time("creation_time"),
        start=start,
        end=block.time("deletion_time"),
        gpus=gpus,
        share=np.where(gpus == 1, block.number("gpu_milli") / 1000, 1.0),
        model=block.word("gpu_spec"),
    )


OPENB = TraceFormat(
    name="openb",
    title="Alibaba cluster-trace-gpu-v2023",
    tables=(_PODS, _NODES),
    rows=partial(read_table, _PODS, _pods),
    nodes=partial(read_nodes, _NODES, "gpu", "model"),
    gpu="V100",
    binding=True,
)
