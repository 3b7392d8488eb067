"""
An instance or a workload in numbers: totals, load, due dates.

Every configuration of every job in one table: hours, GPUs, cost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import FAMILIES, Instance, Workload


@dataclass(frozen=True, kw_only=True, eq=False)
class Configurations:
    """
    C configurations: GPUs or a share level on each node type that some node may take.

    Attributes
    ----------
    hours : (J, C) float [h]
        Time to completion; inf where not admissible.
    gpus : (C,) float
        GPUs in use; a share counts as its fraction.
    cost : (J, C) float [$]
        The job's part of the price of the full node until it ends.
    """

    hours: Floats
    gpus: Floats
    cost: Floats

    @staticmethod
    def of(instance: Instance) -> Configurations:
        """The configurations of an instance."""
        cluster, table = instance.cluster, cost_tables(instance)
        columns, gpus, prices = [], [], []
        for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
            gpu, size = int(cluster.gpu_of_type[v]), cluster.node_types[v].gpus
            kind, price = cluster.gpu_types[gpu], cluster.node_types[v].cost[-1] / size
            shares = [level.units / kind.units for level in kind.levels]
            columns += [table.hours[:, gpu, 1 : size + 1]]
            columns += [table.shared_hours[:, gpu, : len(shares)]]
            gpus += [*range(1, size + 1), *shares]
            prices += [price] * (size + len(shares))
        hours = np.concatenate(columns, axis=1)
        in_use = np.array(gpus, dtype=np.float64)
        return Configurations(hours=hours, gpus=in_use, cost=hours * in_use * np.array(prices))

    def gpu_hours_at_least(self, by: Floats) -> tuple[Floats, Floats]:
        """(J,) GPU hours and cost of the configuration least in `by`, of ties the least used."""
        usable = np.isfinite(self.hours)
        gpu_hours = np.where(usable, self.hours, 0.0) * self.gpus
        least = by.min(axis=1, keepdims=True)
        tied = usable & (by <= least * (1 + 1e-12))
        chosen = np.where(tied, gpu_hours, np.inf).argmin(axis=1)
        rows = np.arange(len(chosen))
        return gpu_hours[rows, chosen], self.cost[rows, chosen]


QUARTILES = (0, 25, 50, 75, 100)


def describe(subject: Instance | Workload) -> dict[str, Any]:
    """All that `show` tells of an instance or a workload."""
    instance = subject if isinstance(subject, Instance) else subject.submitted()
    cluster, jobs = subject.cluster, subject.jobs
    configurations = Configurations.of(instance)
    on_node = np.where(cluster.allowed, cluster.gpus_of_type, 0)
    smallest = np.where(cluster.allowed, cluster.gpus_of_type, cluster.largest).min(axis=1)
    capacity = {"least": int(smallest.sum()), "most": int(on_node.max(axis=1).sum())}
    families = [name for name, kinds in FAMILIES.items() if kinds == subject.objective]
    document: dict[str, Any] = {
        "kind": type(subject).__name__.lower(),
        "name": subject.name,
        "sha256": subject.digest,
        "objective": vars(subject.objective),
        "families": families,
        "H": subject.H,
        "rho": subject.rho,
        "nodes": cluster.nodes,
        "jobs": len(jobs),
        "gpus": capacity,
        "node_types": _node_types(instance),
        "applications": dict(Counter(jobs.application).most_common()),
        "laws": len(subject.laws),
        "shares": instance.has_sharing,
        "load": _load(configurations, capacity["most"]),
        "due": _due(subject, configurations),
    }
    if isinstance(subject, Instance):
        free = cost_tables(instance).postponement == 0
        document["now"] = subject.now
        document["due"]["free_to_postpone"] = int(free.sum())
        document["running_before"] = subject.current is not None
    else:
        document["arrivals"] = _arrivals(subject, document["load"])
    return document


def _node_types(instance: Instance) -> list[dict[str, Any]]:
    cluster = instance.cluster
    nodes = cluster.allowed.sum(axis=0).tolist()
    return [
        {
            "name": v.name,
            "gpu_type": v.gpu_type,
            "gpus": v.gpus,
            "cost_per_hour": list(v.cost),
            "nodes_allowed": count,
        }
        for v, count in zip(cluster.node_types, nodes, strict=True)
    ]


def _load(configurations: Configurations, gpus: int) -> dict[str, dict[str, float]]:
    """GPU hours of all jobs on their fastest and their cheapest configuration."""
    kinds = {"fastest": configurations.hours, "cheapest": configurations.cost}
    demands = {name: configurations.gpu_hours_at_least(by) for name, by in kinds.items()}
    return {
        name: {
            "gpu_hours": float(hours.sum()),
            "hours_per_gpu": float(hours.sum()) / gpus,
            "cost": float(cost.sum()),
        }
        for name, (hours, cost) in demands.items()
    }


def _due(subject: Instance | Workload, configurations: Configurations) -> dict[str, Any]:
    """Time until the due date over the fastest time, from now or from submission."""
    start = subject.now if isinstance(subject, Instance) else subject.jobs.release
    slack, fastest = subject.jobs.due - start, configurations.hours.min(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # of times near 0, told as unknown
        ratios = np.percentile(slack / fastest, QUARTILES)
    return {
        "slack_over_fastest": ratios.tolist(),
        "overdue": int((slack < 0).sum()),
        "late_in_any_case": int((slack < fastest * (1 - 1e-9)).sum()),
    }


def _arrivals(workload: Workload, load: dict[str, dict[str, float]]) -> dict[str, Any]:
    release = workload.jobs.release
    span, gaps = float(release[-1] - release[0]), len(release) - 1
    return {
        "first": float(release[0]),
        "last": float(release[-1]),
        "mean_gap_seconds": 3600 * span / gaps if gaps else None,
        "load_while_arriving": {
            name: part["hours_per_gpu"] / span if span > 0 else None for name, part in load.items()
        },
    }
