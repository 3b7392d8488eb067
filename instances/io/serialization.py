"""Instances, workloads and solutions as JSON documents; canonical form and digest of a document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.instances.solution import DECISION_ARRAYS, Solution

if TYPE_CHECKING:
    from rsjs.instances.cluster import Cluster
    from rsjs.instances.instance import Instance, Objective, Workload
    from rsjs.instances.jobs import Jobs

Document = dict[str, Any]

INSTANCE, WORKLOAD, SOLUTION = "rsjs-instance/1", "rsjs-workload/1", "rsjs-solution/1"
PLAIN = (str, int, bool, type(None))


def canonical(value: Any) -> Any:
    """Return a value in canonical form: integral numbers as integers, arrays as lists."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [entry if type(entry) in PLAIN else canonical(entry) for entry in value]
    if isinstance(value, (dict, Mapping)):  # those of dict are seen sooner
        return {key: canonical(entry) for key, entry in value.items()}
    if isinstance(value, (np.generic, np.ndarray)):
        return canonical(value.tolist())
    return value


def canonical_text(document: Document) -> str:
    """Return the text of a document: sorted keys, no spaces, shortest numbers."""
    return json.dumps(
        canonical(document),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )


def digest(document: Document) -> str:
    """Return the sha256 of the canonical form without the version of the generator."""
    generator = {k: v for k, v in document.get("generator", {}).items() if k != "version"}
    pinned = {key: value for key, value in document.items() if key != "generator"}
    if generator:
        pinned["generator"] = generator
    return sha256(canonical_text(pinned).encode()).hexdigest()


def of_instance(instance: Instance) -> Document:
    """Return the document of an instance."""
    document: Document = {
        "format": INSTANCE,
        **_common(instance),
        "now": instance.now,
    }
    if instance.current is not None:
        document["current"] = _decision(instance.current)
    return document


def of_workload(workload: Workload) -> Document:
    """Return the document of a workload."""
    return {
        "format": WORKLOAD,
        **_common(workload),
        "realised": {"epochs": workload.realised_epochs.tolist()},
    }


def of_solution(
    solution: Solution,
    instance_digest: str,
    *,
    method: str | None = None,
    objective: float | None = None,
    bound: float | None = None,
) -> Document:
    """Return the document of a solution with what is claimed about it."""
    return {
        "format": SOLUTION,
        "instance": instance_digest,
        "method": method,
        "objective": objective,
        "bound": bound,
        **_decision(solution),
    }


def _decision(solution: Solution) -> Document:
    return {name: getattr(solution, name).tolist() for name in DECISION_ARRAYS}


def _common(subject: Instance | Workload) -> Document:
    cluster, objective = subject.cluster, subject.objective
    document: Document = {
        "name": subject.name,
        "cluster": {
            "gpu_types": [
                {**vars(gpu), "levels": [vars(level) for level in gpu.levels]}
                for gpu in cluster.gpu_types
            ],
            "node_types": [
                {"name": v.name, "gpu_type": v.gpu_type, "gpus": v.gpus, "cost": list(v.cost)}
                for v in cluster.node_types
            ],
            "nodes": [
                {"count": group.count, "types": list(group.types)}
                | ({"names": list(group.names)} if group.names else {})
                for group in cluster.groups
            ],
        },
        "laws": {
            name: np.column_stack([law.epochs, law.weights]).tolist()
            for name, law in subject.laws.items()
        },
        "jobs": _jobs(cluster, subject.jobs),
        "H": subject.H,
        "rho": subject.rho,
        "objective": of_objective(objective),
    }
    if subject.generator:
        document["generator"] = dict(subject.generator)
    return document


def of_objective(objective: Objective) -> Document:
    """Return the document of an objective; costs of changes that are 0 are left out."""
    kinds = vars(objective).items()
    return {key: value for key, value in kinds if value or key not in ("migration", "start")}


def _jobs(cluster: Cluster, jobs: Jobs) -> list[Document]:
    names = [gpu.name for gpu in cluster.gpu_types]
    hours = [_by_gpu(names, rows) for rows in jobs.hours_per_epoch[:, :, 1:].tolist()]
    inflation = [_by_gpu(names, rows) for rows in jobs.inflation.tolist()]
    slowest = jobs.slowest_hours_per_epoch.tolist()
    columns = {
        name: getattr(jobs, name).tolist()
        for name in ("release", "due", "weight", "memory_gb", "epochs_max", "epochs_done")
    }
    documents = []
    for j in range(len(jobs)):
        document: Document = {
            "id": jobs.id[j],
            "application": jobs.application[j],
            **{name: column[j] for name, column in columns.items()},
            "law": jobs.law[j],
            "hours_per_epoch": hours[j],
        }
        if inflation[j]:
            document["inflation"] = inflation[j]
        if slowest[j]:
            document["slowest_hours_per_epoch"] = slowest[j]
        if jobs.meta[j]:
            document["meta"] = dict(jobs.meta[j])
        documents.append(document)
    return documents


def _by_gpu(names: Sequence[str], rows: list[list[float]]) -> dict[str, list[float | None]]:
    """Return GPU name -> values, null where not allowed; trailing nulls and empty rows left out."""
    table: dict[str, list[float | None]] = {}
    for name, row in zip(names, rows, strict=True):
        values = [None if value == inf else value for value in row]
        while values and values[-1] is None:
            values.pop()
        if values:
            table[name] = values
    return table
