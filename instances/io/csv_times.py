"""`SelectJobs_times.csv`: execution times by job, VM type and GPUs, and the VM types themselves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.instances.cluster import GpuType, NodeType
from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.csv_tables import Row, preimage, read_rows

HOUR = 3600.0  # seconds
MOST_GPUS = 1024  # of a node, as in the JSON Schema
COLUMNS = ("UniqueJobsID", "VMtype", "GPUtype", "nGPUs", "max_nGPUs", "cost", "ExecutionTime")


@dataclass(frozen=True, kw_only=True, eq=False)
class Times:
    """
    What the file says.

    Attributes
    ----------
    gpu_types, node_types : tuples, in order of appearance
    hours : (J, T, G + 1) float
        Execution times [h]; inf where there is no row.
    """

    gpu_types: tuple[GpuType, ...]
    node_types: tuple[NodeType, ...]
    hours: Floats


def read(path: Path, ids: tuple[str, ...]) -> Times:
    """
    Read the times of the jobs `ids`.

    A time depends on GPU type and number of GPUs: VM types that differ in size only must agree,
    and so must all rows of a VM type in its GPU type, size and price.
    """
    position = {job_id: j for j, job_id in enumerate(ids)}
    types: dict[str, tuple[str, int, float]] = {}
    times: dict[tuple[int, str, int], float] = {}
    seen: set[tuple[int, str, int]] = set()
    for row in read_rows(path, COLUMNS):
        if (job_id := row.entries["UniqueJobsID"]) not in position:
            raise row.error("UniqueJobsID", job_id, "the id of a job")
        vm, gpu, k = _vm(row, types)
        j, seconds = position[job_id], row.positive("ExecutionTime")
        if (j, vm, k) in seen:
            raise row.error("nGPUs", k, f"one row for job {job_id!r} on {k} GPUs of {vm!r}")
        seen.add((j, vm, k))
        if times.setdefault((j, gpu, k), seconds) != seconds:
            expected = f"{times[j, gpu, k]!r}, as on another VM type with {k} x {gpu}"
            raise row.error("ExecutionTime", seconds, expected)
    gpus = tuple(dict.fromkeys(gpu for gpu, _, _ in types.values()))
    hours = np.full((len(ids), len(gpus), 1 + max(size for _, size, _ in types.values())), np.inf)
    for (j, gpu, k), seconds in times.items():
        hours[j, gpus.index(gpu), k] = seconds / HOUR
    return Times(
        gpu_types=tuple(GpuType(name=gpu, memory_gb=0.0) for gpu in gpus),
        node_types=tuple(
            NodeType(name=vm, gpu_type=gpu, cost=(0.0, *(cost,) * size))
            for vm, (gpu, size, cost) in types.items()
        ),
        hours=hours,
    )


def _vm(row: Row, types: dict[str, tuple[str, int, float]]) -> tuple[str, str, int]:
    """VM type, GPU type and number of GPUs of a row; a new VM type is noted."""
    vm, gpu = row.name("VMtype"), row.name("GPUtype")
    size = row.integer("max_nGPUs", 1, MOST_GPUS)
    found = (gpu, size, row.number("cost"))
    noted = types.setdefault(vm, found)
    for column, value, before in zip(("GPUtype", "max_nGPUs", "cost"), found, noted, strict=True):
        if value != before:
            raise row.error(column, value, f"{before!r}, as in the first row of {vm!r}")
    return vm, gpu, row.integer("nGPUs", 1, size)


def seconds(hours: float) -> float:
    """The seconds that read as these hours."""
    return preimage(lambda s: s / HOUR, hours, hours * HOUR)


def remaining_hours(subject: Instance | Workload) -> Floats:
    """(J, T, G + 1) hours left of each job, inf where it does not run."""
    jobs = subject.jobs
    memory = np.array([gpu.memory_gb for gpu in subject.cluster.gpu_types])
    fits = jobs.memory_gb[:, None] <= memory
    hours = jobs.hours_per_epoch * jobs.remaining[:, None, None]
    return np.where(fits[:, :, None], hours, np.inf)


def lines(subject: Instance | Workload, hours: Floats) -> list[list[Any]]:
    """The rows of the file, job by job, or else in an order that keeps that of the VM types."""
    cluster = subject.cluster
    rows: list[list[Any]] = []
    for j, job_id in enumerate(subject.jobs.id):
        for v, node in enumerate(cluster.node_types):
            row = hours[j, cluster.gpu_of_type[v]].tolist()
            for k in range(1, node.gpus + 1):
                if row[k] < np.inf:
                    vm = [node.name, node.gpu_type, k, node.gpus, node.cost[k]]
                    rows.append([job_id, *vm, seconds(row[k])])
    position = {node.name: v for v, node in enumerate(cluster.node_types)}
    appear = [position[name] for name in dict.fromkeys(row[1] for row in rows)]
    return rows if appear == sorted(appear) else sorted(rows, key=lambda row: position[row[1]])
