"""An instance or a workload in numbers: totals, load, due dates, distributions of epochs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rsjs.core.errors import InputError
from rsjs.core.types import Floats
from rsjs.instances.costs import cost_tables
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.instance import FAMILIES, Instance, Workload
from rsjs.instances.io import serialization
from rsjs.instances.offered_load import offered_load
from rsjs.instances.solution import Solution

QUANTILES = (0, 25, 50, 75, 100)


def describe(subject: Instance | Workload) -> dict[str, Any]:
    """
    Return size, prices, load and due dates as a JSON document.

    Load is the GPU hours that the jobs need, each in its fastest or in its cheapest mode; of a
    workload there is also the offered load, see `rsjs.instances.offered_load`.
    """
    instance = subject if isinstance(subject, Instance) else subject.submitted()
    cluster, jobs = subject.cluster, subject.jobs
    modes = job_modes(instance)
    on_node = np.where(cluster.allowed, cluster.gpus_of_type, 0)
    smallest = np.where(cluster.allowed, cluster.gpus_of_type, cluster.largest).min(axis=1)
    capacity = {"least": int(smallest.sum()), "most": int(on_node.max(axis=1).sum())}
    nodes_allowed = cluster.allowed.sum(axis=0).tolist()
    document: dict[str, Any] = {
        "kind": type(subject).__name__.lower(),
        "name": subject.name,
        "sha256": subject.digest,
        "objective": serialization.of_objective(subject.objective),
        "families": [name for name, kinds in FAMILIES.items() if kinds == subject.objective],
        "H": subject.H,
        "rho": subject.rho,
        "nodes": cluster.nodes,
        "jobs": len(jobs),
        "gpus": capacity,
        "node_types": [
            {
                "name": v.name,
                "gpu_type": v.gpu_type,
                "gpus": v.gpus,
                "cost_per_hour": list(v.cost),
                "nodes_allowed": count,
            }
            for v, count in zip(cluster.node_types, nodes_allowed, strict=True)
        ],
        "applications": dict(Counter(jobs.application).most_common()),
        "distributions": len(subject.laws),
        "shares": instance.has_sharing,
        "load": _load(*modes, capacity["most"]),
        "due": _due(subject, modes[0].min(axis=1)),
    }
    if isinstance(subject, Instance):
        free = cost_tables(instance).postponement == 0
        document["now"] = subject.now
        document["due"]["free_to_postpone"] = int(free.sum())
        document["running_before"] = subject.current is not None
    else:
        document["arrivals"] = _arrivals(subject)
    return document


def job_modes(instance: Instance) -> tuple[Floats, Floats, Floats]:
    """
    Return all modes: GPUs or a share level on each node type that some node may take.

    Returns
    -------
    hours : (J, C) float [h]
        Time to completion; inf where not admissible.
    gpus : (C,) float
        GPUs in use; a share counts as its fraction.
    cost : (J, C) float [$]
        The job's part of the price of the full node until it ends.
    """
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
    hours, in_use = np.concatenate(columns, axis=1), np.array(gpus, dtype=np.float64)
    usable = np.isfinite(hours)
    cost = np.where(usable, hours, 0.0) * in_use * np.array(prices)
    return hours, in_use, np.where(usable, cost, np.inf)


def _load(hours: Floats, gpus: Floats, cost: Floats, capacity: int) -> dict[str, dict[str, float]]:
    """Return GPU hours and cost of all jobs in their fastest and in their cheapest mode."""
    load = {}
    for name, criterion in (("fastest", hours), ("cheapest", cost)):
        usable = np.isfinite(hours)
        gpu_hours = np.where(usable, hours, 0.0) * gpus
        # of the modes that tie, the one of fewest GPU hours
        tied = usable & (criterion <= criterion.min(axis=1, keepdims=True) * (1 + 1e-12))
        mode = np.where(tied, gpu_hours, np.inf).argmin(axis=1)
        rows = np.arange(len(mode))
        total = float(gpu_hours[rows, mode].sum())
        load[name] = {
            "gpu_hours": total,
            "hours_per_gpu": total / capacity,
            "cost": float(cost[rows, mode].sum()),
        }
    return load


def _due(subject: Instance | Workload, fastest: Floats) -> dict[str, Any]:
    """Return time until the due date over the fastest time, from now or from submission."""
    start = subject.now if isinstance(subject, Instance) else subject.jobs.release
    slack = subject.jobs.due - start
    with np.errstate(over="ignore", invalid="ignore"):  # of times near 0, told as unknown
        ratios = np.percentile(slack / fastest, QUANTILES)
    return {
        "slack_over_fastest": ratios.tolist(),
        "overdue": int((slack < 0).sum()),
        "late_in_any_case": int((slack < fastest * (1 - 1e-9)).sum()),
    }


def _arrivals(workload: Workload) -> dict[str, Any]:
    release = workload.jobs.release
    span, gaps = float(release[-1] - release[0]), len(release) - 1
    return {
        "first": float(release[0]),
        "last": float(release[-1]),
        "mean_gap_seconds": 3600 * span / gaps if gaps else None,
        "offered_load": offered_load(workload),
    }


def describe_solution(solution: Solution) -> dict[str, int]:
    """Return what a solution says by itself, in numbers; its cost needs the instance."""
    return {
        "jobs": len(solution.job_node),
        "nodes": len(solution.node_type),
        "executed": int((solution.job_node >= 0).sum()),
        "postponed": int((solution.job_node < 0).sum()),
        "selected_nodes": int((solution.node_type >= 0).sum()),
        "dedicated_gpus": int(solution.job_gpus.sum()),
        "sharing_jobs": int((solution.job_level >= 0).sum()),
    }


def describe_distribution(subject: Instance | Workload, name: str) -> dict[str, Any]:
    """
    Return moments, quartiles and support of a distribution of epochs, and its number of jobs.

    Raises
    ------
    InputError
        With the names that are known, if there is none of this name.
    """
    if name not in subject.laws:
        known = ", ".join(subject.laws) or "none in this file"
        fixed = "; fixed is none, each job runs epochs_max" if name == FIXED else ""
        raise InputError("", name, f"the name of a distribution: {known}{fixed}")
    law = subject.laws[name]
    return {
        "kind": "distribution",
        type(subject).__name__.lower(): subject.name,
        "name": name,
        "jobs": subject.jobs.law.count(name),
        "mean": law.mean,
        "deviation": law.deviation,
        "skewness": law.skewness,
        "quartiles": law.quantile((0.25, 0.5, 0.75)).tolist(),
        "last": law.last,
        "probability_of_last": float(law.pmf[law.epochs == law.last][0]),
        "epochs": law.epochs.tolist(),
        "weights": law.weights.tolist(),
    }
