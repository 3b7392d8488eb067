"""Instances, workloads and solutions from JSON documents that fit their JSON Schemas."""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.core.errors import InputError, described, escaped
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.instance import Instance, Objective, Workload
from rsjs.instances.io.serialization import Document
from rsjs.instances.jobs import Jobs
from rsjs.instances.solution import DECISION_ARRAYS, Solution
from rsjs.instances.validation import check_cluster

# What keys that a document leaves out stand for, as the JSON Schemas say; written out again, all
# keys are there.
JOB_DEFAULTS: Document = {
    "application": "",
    "release": 0,
    "memory_gb": 0,
    "epochs_max": 1,
    "epochs_done": 0,
    "law": FIXED,
}
GPU_DEFAULTS: Document = {"units": 1, "levels": []}
MOST_CELLS = 20_000_000  # of a table of 8 bytes each; there are a dozen of such tables


def to_instance(document: Document) -> Instance:
    """Build the instance in a document that fits the JSON Schema."""
    current = document.get("current")
    return Instance(
        **_shared_parts(document),
        now=float(document.get("now", 0)),
        current=None if current is None else to_solution(current),
    )


def to_workload(document: Document) -> Workload:
    """Build the workload in a document that fits the JSON Schema."""
    realised = np.array(document["realised"]["epochs"], dtype=np.int64)
    return Workload(**_shared_parts(document), realised_epochs=realised)


def to_solution(document: Document) -> Solution:
    """Build the solution in a document that fits the JSON Schema."""
    return Solution(**{name: np.array(document[name], np.int64) for name in DECISION_ARRAYS})


def _shared_parts(document: Document) -> Document:
    cluster = _to_cluster(document["cluster"])
    check_cluster(cluster)  # before the jobs, which name its GPU types
    return {
        "name": document["name"],
        "cluster": cluster,
        "jobs": _to_jobs(cluster, document["jobs"]),
        "laws": {
            name: EpochDistribution.of(pairs) for name, pairs in document.get("laws", {}).items()
        },
        "H": float(document["H"]),
        "rho": float(document["rho"]),
        "objective": Objective(**document["objective"]),
        "generator": document.get("generator", {}),
    }


def _to_cluster(document: Document) -> Cluster:
    node_types = []
    for v, entry in enumerate(document["node_types"]):
        gpus = int(entry["gpus"])
        if len(entry["cost"]) != gpus + 1:
            found = described(f"{len(entry['cost'])} prices")
            expected = f"{gpus + 1} prices, for 0 to {gpus} GPUs in use"
            raise InputError(f"/cluster/node_types/{v}/cost", found, expected)
        cost = tuple(float(price) for price in entry["cost"])
        node_types.append(NodeType(name=entry["name"], gpu_type=entry["gpu_type"], cost=cost))
    return Cluster(
        gpu_types=tuple(
            GpuType(
                name=entry["name"],
                memory_gb=float(entry["memory_gb"]),
                units=int(entry["units"]),
                levels=tuple(
                    ShareLevel(
                        units=int(level["units"]), max_memory_gb=float(level["max_memory_gb"])
                    )
                    for level in entry["levels"]
                ),
            )
            for entry in ({**GPU_DEFAULTS, **given} for given in document["gpu_types"])
        ),
        node_types=tuple(node_types),
        groups=tuple(
            NodeGroup(
                count=int(entry["count"]),
                types=tuple(entry["types"]),
                names=tuple(entry.get("names", ())),
            )
            for entry in document["nodes"]
        ),
    )


def _to_jobs(cluster: Cluster, given: list[Document]) -> Jobs:
    documents = [{**JOB_DEFAULTS, **entry} for entry in given]
    position = {gpu.name: i for i, gpu in enumerate(cluster.gpu_types)}
    types = len(cluster.gpu_types)
    gpus = max((v.gpus for v in cluster.node_types), default=0)
    levels = max((len(gpu.levels) for gpu in cluster.gpu_types), default=0)
    _refuse_large(cluster, len(documents), max(gpus + 1, levels))
    hours = np.full((len(documents), types, gpus + 1), np.inf)
    inflation = np.full((len(documents), types, levels), np.inf)
    # The table of each key, the column of its first value, and how many a GPU type may have.
    tables = {
        "hours_per_epoch": (hours, 1, [gpus] * types),
        "inflation": (inflation, 0, [len(gpu.levels) for gpu in cluster.gpu_types]),
    }
    for j, entry in enumerate(documents):
        for key, (table, first, most) in tables.items():
            for name, values in entry.get(key, {}).items():
                where = f"/jobs/{j}/{key}"
                if (i := position.get(name)) is None:
                    raise InputError(where, name, f"one of {', '.join(sorted(position))}")
                if len(values) > most[i]:
                    found = described(f"{len(values)} entries")
                    raise InputError(f"{where}/{escaped(name)}", found, f"at most {most[i]}")
                numbers = [inf if value is None else value for value in values]
                table[j, i, first : first + len(values)] = numbers
    column = {
        name: np.array([entry[name] for entry in documents], dtype=np.float64)
        for name in ("release", "due", "weight", "memory_gb", "epochs_done")
    }
    return Jobs(
        id=tuple(entry["id"] for entry in documents),
        application=tuple(entry["application"] for entry in documents),
        epochs_max=np.array([entry["epochs_max"] for entry in documents], dtype=np.int64),
        law=tuple(entry["law"] for entry in documents),
        hours_per_epoch=hours,
        inflation=inflation,
        slowest_hours_per_epoch=np.array(
            [float(entry.get("slowest_hours_per_epoch", 0)) for entry in documents]
        ),
        meta=tuple(entry.get("meta", {}) for entry in documents),
        **column,
    )


def _refuse_large(cluster: Cluster, jobs: int, modes: int) -> None:
    """Refuse counts, which a small file may hold, whose products are large tables."""
    types = max(len(cluster.gpu_types), len(cluster.node_types))
    for found, cells in (
        (f"{jobs} jobs x {types} types x {modes} modes", jobs * types * modes),
        (f"{types} types x {modes} modes", types * modes),
        (f"{len(cluster.groups)} groups of nodes x {types} types", len(cluster.groups) * types),
        (f"{cluster.nodes} nodes x {types} types", cluster.nodes * types // 8),  # bytes
    ):
        if cells > MOST_CELLS:
            raise InputError("/cluster", described(found), f"at most {MOST_CELLS} in all")
