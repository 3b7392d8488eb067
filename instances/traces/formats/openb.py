"""
Alibaba cluster-trace-gpu-v2023 (openb): pods with shares of GPUs, 8152 of them in the default file.

Columns of the pod list: name, cpu_milli, memory_mib, num_gpu (0 to 8), gpu_milli (thousandths of
one GPU, if num_gpu is 1), gpu_spec ("A|B": A or B; empty: any), qos, pod_phase, creation_time,
deletion_time, scheduled_time [s]. The multigpu files lack everything after gpu_milli and are
refused for these missing columns.
A pod without scheduled_time never started. Most pods are of phase Running until they are deleted.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsjs.instances.traces.columns import TableColumns, job_records, table_rows
from rsjs.instances.traces.flaws import FAILED, PENDING, RUNNING
from rsjs.instances.traces.formats.node_lists import node_list
from rsjs.instances.traces.records import JobRecords, Sources, TraceFormat, TraceTable, with_columns

_PODS, _NODES = "pod list", "node list"
_WANTED = {
    "name": "text",
    "num_gpu": "number",
    "gpu_milli": "number",
    "gpu_spec": "word",
    "pod_phase": "word",
    "creation_time": "number",
    "deletion_time": "number",
    "scheduled_time": "number",
}
_PHASES = {"Pending": PENDING, "Running": RUNNING, "Failed": FAILED}


def _rows(sources: Sources) -> Iterator[JobRecords]:
    return table_rows(sources[_PODS], _WANTED, _pods)


def _pods(columns: TableColumns, file: str, line: np.ndarray) -> JobRecords:
    columns.state("pod_phase", "Succeeded", _PHASES)
    gpus, milli = columns.number("num_gpu"), columns.number("gpu_milli")
    start = columns.time("scheduled_time")
    submit, end = columns.time("creation_time"), columns.time("deletion_time")
    columns.flaw[np.isnan(start)] |= PENDING.bit
    return job_records(
        file=file,
        line=line,
        id=columns.text("name"),
        submit=submit,
        start=start,
        end=end,
        gpus=gpus,
        share=np.where(gpus == 1, milli / 1000, 1.0),
        model=columns.word("gpu_spec"),
        flaw=columns.flaw,
    )


OPENB = TraceFormat(
    name="openb",
    title="Alibaba cluster-trace-gpu-v2023",
    tables=(
        TraceTable(name=_PODS, missing=with_columns(*_WANTED)),
        TraceTable(name=_NODES, missing=with_columns("sn", "gpu", "model"), needed=False),
    ),
    rows=_rows,
    nodes={_NODES: node_list("gpu", "model")},
    gpu="V100",
    binding=True,
)
