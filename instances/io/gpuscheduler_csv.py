"""
The three CSV files of the authors' public program GPUScheduler, read and written.

`Lof_Selectjobs.csv` (jobs by submission), `SelectJobs_times.csv` (execution times, one row per job,
VM type and number of GPUs) and `tNodes.csv` (names of nodes). Seconds become hours and $/s become
$/h; the objective is the program's own, H = 0, rho = 100. Every node may become any VM type; a job
that has a time on k GPUs of a GPU type may run so on every VM with that GPU type, as in the
program. Memory is not known: 0 for jobs and GPU types, so that all fit. Columns that the schema has
no place for stand in each job's `meta` under their names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.instance import FAMILIES, Instance, Workload
from rsjs.instances.io.csv_tables import Row, preimage, read_rows, unique, write_rows
from rsjs.instances.jobs import Jobs

JOBS, TIMES, NODES = "Lof_Selectjobs.csv", "SelectJobs_times.csv", "tNodes.csv"
HOUR = 3600.0  # seconds
MOST_GPUS = 1024  # of a node, as in the JSON Schema
COLUMNS = ("UniqueJobsID", "VMtype", "GPUtype", "nGPUs", "max_nGPUs", "cost", "ExecutionTime")
VM_COLUMNS = ("GPUtype", "max_nGPUs", "cost")
JOB_COLUMNS = (
    "Application",
    "Images",
    "Epochs",
    "Batchsize",
    "Jobs",
    "UniqueJobsID",
    "SubmissionTime",
    "Deadline",
    "Tardinessweight",
    "MinExecTime",
    "MaxExecTime",
)
COUNTS, BOUNDS = ("Images", "Epochs", "Batchsize"), ("MinExecTime", "MaxExecTime")  # in `meta`
MOST_COUNTED = 10**15
NODE_COLUMNS = ("Nodes",)
H, RHO = 0.0, 100.0


def _read_times(
    path: Path, ids: tuple[str, ...]
) -> tuple[tuple[GpuType, ...], tuple[NodeType, ...], Floats]:
    """
    Read the types in order of appearance, and (J, T, G + 1) times [h], inf where there is no row.

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
    node_types = tuple(
        NodeType(name=vm, gpu_type=gpu, cost=(0.0, *(cost,) * size))
        for vm, (gpu, size, cost) in types.items()
    )
    return tuple(GpuType(name=gpu, memory_gb=0.0) for gpu in gpus), node_types, hours


def _vm(row: Row, types: dict[str, tuple[str, int, float]]) -> tuple[str, str, int]:
    """Return VM type, GPU type and number of GPUs of a row; a new VM type is noted."""
    vm, gpu = row.name("VMtype"), row.name("GPUtype")
    size = row.integer("max_nGPUs", 1, MOST_GPUS)
    described_now = (gpu, size, row.number("cost"))
    described_first = types.setdefault(vm, described_now)
    for column, value, before in zip(VM_COLUMNS, described_now, described_first, strict=True):
        if value != before:
            raise row.error(column, value, f"{before!r}, as in the first row of {vm!r}")
    return vm, gpu, row.integer("nGPUs", 1, size)


def seconds(hours: float) -> float:
    """Return the seconds that read as these hours."""
    return preimage(lambda s: s / HOUR, hours, hours * HOUR)


def remaining_hours(subject: Instance | Workload) -> Floats:
    """Return (J, T, G + 1) hours left of each job, inf where it does not run."""
    jobs = subject.jobs
    memory = np.array([gpu.memory_gb for gpu in subject.cluster.gpu_types])
    fits = jobs.memory_gb[:, None] <= memory
    hours = jobs.hours_per_epoch * jobs.remaining[:, None, None]
    return np.where(fits[:, :, None], hours, np.inf)


def lines(subject: Instance | Workload, hours: Floats) -> list[list[Any]]:
    """Return the rows of the file, job by job, or else in the order of the VM types."""
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


def read_any(folder: str | Path) -> Instance | Workload:
    """
    Read an instance if all jobs are submitted at one time, which is `now`; else a workload.

    Raises
    ------
    InputError
        Naming file, "/<line>/<column>" and value.
    """
    folder = Path(folder)
    rows = read_rows(folder / JOBS, JOB_COLUMNS)
    ids = unique(rows, "UniqueJobsID")
    nodes = unique(read_rows(folder / NODES, NODE_COLUMNS), "Nodes")
    gpu_types, node_types, hours = _read_times(folder / TIMES, ids)
    jobs = _jobs(rows, ids, hours)
    group = NodeGroup(count=len(nodes), types=tuple(v.name for v in node_types), names=nodes)
    parts: dict[str, Any] = {
        "name": folder.resolve().name or "csv",
        "cluster": Cluster(gpu_types=gpu_types, node_types=node_types, groups=(group,)),
        "jobs": jobs,
        "H": H,
        "rho": RHO,
        "objective": FAMILIES["gpuscheduler"],
    }
    now = float(jobs.release[0])
    try:
        if (jobs.release == now).all():
            return Instance(**parts, now=now)
        return Workload(**parts, realised_epochs=np.ones(len(ids), dtype=np.int64))
    except InputError as error:
        raise error.at(folder) from None


def write(subject: Instance | Workload, folder: str | Path) -> None:
    """
    Write the three files; objective, H, rho and the placement before are left out.

    What was read reads back exactly. Times are those of the epochs that remain.

    Raises
    ------
    InputError
        For what the files cannot say: nodes that may not take every type, prices that depend on
        the GPUs in use, shares of GPUs, random epochs, negative submission times, and in an
        instance any other than `now`.
    """
    _check(subject)
    folder, hours = Path(folder), remaining_hours(subject)
    described_jobs = [_described(subject.jobs, j, hours[j]) for j in range(len(subject.jobs))]
    job_lines = ([known[column] for column in JOB_COLUMNS] for known in described_jobs)
    write_rows(folder / JOBS, JOB_COLUMNS, job_lines)
    write_rows(folder / TIMES, COLUMNS, lines(subject, hours))
    write_rows(folder / NODES, NODE_COLUMNS, ([name] for name in subject.cluster.node_names))


def _jobs(rows: list[Row], ids: tuple[str, ...], hours: Floats) -> Jobs:
    submission = [row.number("SubmissionTime") for row in rows]
    for row, before, after in zip(rows[1:], submission, submission[1:], strict=False):
        if after < before:
            raise row.error("SubmissionTime", after, f">= {before!r}, the line before")
    for j in np.flatnonzero(~np.isfinite(hours).any(axis=(1, 2)))[:1]:
        raise rows[j].error("UniqueJobsID", ids[j], f"a job with times in {TIMES}")
    n = len(rows)
    return Jobs(
        id=ids,
        application=tuple(row.entries["Application"] for row in rows),
        release=np.array(submission) / HOUR,
        due=np.array([row.number("Deadline", signed=True) for row in rows]) / HOUR,
        weight=np.array([row.number("Tardinessweight") * HOUR for row in rows]),
        memory_gb=np.zeros(n),
        epochs_max=np.ones(n, dtype=np.int64),
        epochs_done=np.zeros(n),
        law=(FIXED,) * n,
        hours_per_epoch=hours,
        inflation=np.empty((n, hours.shape[1], 0)),
        meta=tuple(
            {"Jobs": row.entries["Jobs"]}
            | {name: row.integer(name, 0, MOST_COUNTED) for name in COUNTS}
            | {name: row.number(name) for name in BOUNDS}
            for row in rows
        ),
    )


def _described(jobs: Jobs, j: int, hours: Floats) -> dict[str, Any]:
    """Return column -> entry of one job; what is not known is 0."""
    meta = jobs.meta[j]
    finite = hours[np.isfinite(hours)]
    weight = float(jobs.weight[j])
    return {
        "Images": meta.get("samples", 0),
        "Epochs": int(jobs.epochs_max[j]),
        "Batchsize": meta.get("batch", 0),
        "Jobs": meta.get("Jobs", jobs.id[j]),
        "MinExecTime": seconds(float(finite.min())),
        "MaxExecTime": seconds(float(finite.max())),
        **{name: meta[name] for name in COUNTS + BOUNDS if name in meta},
        "Application": jobs.application[j],
        "UniqueJobsID": jobs.id[j],
        "SubmissionTime": seconds(float(jobs.release[j])),
        "Deadline": seconds(float(jobs.due[j])),
        "Tardinessweight": preimage(lambda w: w * HOUR, weight, weight / HOUR),
    }


def _check(subject: Instance | Workload) -> None:
    cluster, jobs = subject.cluster, subject.jobs
    if not cluster.allowed_in_class.all():
        found = described("nodes that may not take every type")
        raise InputError("/cluster/nodes", found, "all types on every node")
    for v, node_type in enumerate(cluster.node_types):
        if not node_type.flat:
            where = f"/cluster/node_types/{v}/cost"
            raise InputError(where, list(node_type.cost), "one price for any GPUs in use")
    if np.isfinite(jobs.inflation).any():
        raise InputError("/jobs", described("jobs that may share a GPU"), "dedicated GPUs only")
    for j, law in enumerate(jobs.law):
        if law != FIXED:
            raise InputError(f"/jobs/{j}/law", law, repr(FIXED))
    for j, release in enumerate(jobs.release.tolist()):
        if release < 0:
            raise InputError(f"/jobs/{j}/release", release, "a submission time >= 0")
        if isinstance(subject, Instance) and release != subject.now:
            raise InputError(f"/jobs/{j}/release", release, f"now = {subject.now!r}")
