"""
Features of an instance: 24 numbers that tell instances apart, for selection and instance spaces.

All are computed from the data of the instance alone, by numpy, without a solver; FEATURES says what
each is. Times are those the objective counts (worst case, mean or expectation). The *cheapest* mode
of a job is the one of least share in the price of its full node until the job ends, the *fastest*
the one of least time, both on an empty cluster.

Instance spaces follow Smith-Miles and Munoz (2023), Instance Space Analysis for Algorithm Testing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.cluster import NodeType
from rsjs.instances.costs import cost_tables
from rsjs.instances.describe import job_modes
from rsjs.instances.instance import Instance

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "log_nodes": "log10 of the number of nodes",
        "jobs_per_gpu": "jobs over GPUs of all nodes, each of the type with most GPUs",
        "node_classes": "sets of node types that some node may take",
        "node_types": "node types that a node may take, mean over nodes",
        "gpu_types": "GPU types that some node may have",
        "gpus_per_node": "GPUs of the largest node type that a node may take, mean over nodes",
        "log_patterns": "log10 of the ways to fill the largest node with admissible GPU counts",
        "modes_per_job": "GPU types x GPU counts or share levels that a job admits, mean",
        "elastic": "share of jobs that admit several GPU counts of one GPU type",
        "sharing": "share of jobs that may run on a share of a GPU",
        "demand": "GPUs of the cheapest modes over GPUs of the cluster",
        "load": "GPU hours of the cheapest modes over GPUs of the cluster x H",
        "tightness": "median over jobs: fastest time over time to the due date, at most 10",
        "late_cheapest": "share of jobs that complete late in their cheapest mode",
        "late_fastest": "share of jobs that complete late even in their fastest mode",
        "time_variation": "standard deviation over jobs of log10 of the fastest time",
        "heterogeneity": "standard deviation over GPU types of the mean log10 time on fewest GPUs",
        "affinity": "standard deviation of log10 time on fewest GPUs less effects of job and type",
        "scaling_loss": "1 - parallel efficiency from the fewest to the most GPUs, mean over jobs",
        "price_concavity": "1 - price per GPU of a full node over that of one GPU, mean over types",
        "price_spread": "standard deviation over node types of log10 of the price of a GPU hour",
        "log_postponement": "log10(1 + cost of postponing all / cost of all cheapest modes)",
        "uncertainty": "coefficient of variation of the epochs in all, mean over jobs",
        "running": "share of jobs that run in the solution before this decision",
    }
)
MOST_TIGHT = 10.0
TOLERANCE = 1e-9  # of "late": rounding of times


def features(instance: Instance) -> dict[str, float]:
    """
    Return the features of an instance, in the order of FEATURES.
    """
    cluster, jobs, tables = instance.cluster, instance.jobs, cost_tables(instance)
    hours, gpus, cost = job_modes(instance)
    slack = jobs.due - instance.now
    rows = np.arange(len(jobs))
    cheapest, fastest = cost.argmin(axis=1), hours.min(axis=1)
    in_cheapest = hours[rows, cheapest]
    present = cluster.allowed_in_class.any(axis=0)
    of_node = np.where(cluster.allowed, cluster.gpus_of_type, 0).max(axis=1)
    capacity, types = int(of_node.sum()), [cluster.node_types[v] for v in np.flatnonzero(present)]
    dedicated = tables.hours
    admitted = np.isfinite(dedicated).any(axis=1)  # (J, G + 1)
    effects, residual = _speeds(dedicated)
    spent, postponed = float(cost[rows, cheapest].sum()), float(tables.postponement.sum())
    current = instance.current
    largest = int(of_node.max())
    values = {
        "log_nodes": np.log10(cluster.nodes),
        "jobs_per_gpu": len(jobs) / capacity,
        "node_classes": len(cluster.allowed_in_class),
        "node_types": cluster.allowed.sum(axis=1).mean(),
        "gpu_types": len(set(cluster.gpu_of_type[present].tolist())),
        "gpus_per_node": of_node.mean(),
        "log_patterns": _log_patterns(np.flatnonzero(admitted.any(axis=0)), largest),
        "modes_per_job": np.isfinite(dedicated).sum(axis=(1, 2)).mean()
        + np.isfinite(tables.shared_hours).sum(axis=(1, 2)).mean(),
        "elastic": (np.isfinite(dedicated).sum(axis=2) > 1).any(axis=1).mean(),
        "sharing": np.isfinite(tables.shared_hours).any(axis=(1, 2)).mean(),
        "demand": gpus[cheapest].sum() / capacity,
        "load": (gpus[cheapest] * in_cheapest).sum() / (capacity * instance.H)
        if instance.H
        else 0.0,
        "tightness": np.median(_ratio(fastest, slack)),
        "late_cheapest": (in_cheapest > slack + TOLERANCE * in_cheapest).mean(),
        "late_fastest": (fastest > slack + TOLERANCE * fastest).mean(),
        "time_variation": np.log10(np.maximum(fastest, TOLERANCE)).std(),
        "heterogeneity": effects,
        "affinity": residual,
        "scaling_loss": _scaling_loss(dedicated),
        "price_concavity": np.mean([_concavity(node_type) for node_type in types]),
        "price_spread": np.std([np.log10(max(v.cost[-1] / v.gpus, TOLERANCE)) for v in types]),
        "log_postponement": np.log10(1.0 + postponed / max(spent, TOLERANCE)),
        "uncertainty": _uncertainty(instance),
        "running": 0.0 if current is None else (current.job_node >= 0).mean(),
    }
    return {name: float(values[name]) for name in FEATURES}


def _ratio(fastest: Floats, slack: Floats) -> Floats:
    """Return (J,) fastest time over time left, MOST_TIGHT where less is left or none."""
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.where(slack > 0, fastest / np.where(slack > 0, slack, 1.0), MOST_TIGHT)
    limited: Floats = np.minimum(ratio, MOST_TIGHT)
    return limited


def _speeds(hours: Floats) -> tuple[float, ...]:
    """
    Return the spread of GPU types, and what is left of job-dependent speed.

    Of each job and type the log10 time on the fewest admissible GPUs, less the mean of its job;
    the means over jobs are the effects of types, what remains is the affinity.
    """
    finite = np.isfinite(hours)
    fewest = finite.argmax(axis=2)
    used = finite.any(axis=2)
    at_fewest = np.take_along_axis(hours, fewest[:, :, None], axis=2)[:, :, 0]
    logs = np.log10(np.where(used, np.maximum(at_fewest, TOLERANCE), 1.0))
    # a job without a dedicated mode has no part in it
    count = np.maximum(used.sum(axis=1, keepdims=True), 1)
    centred = np.where(used, logs - (logs * used).sum(axis=1, keepdims=True) / count, 0.0)
    of_type = used.sum(axis=0)
    effect = centred.sum(axis=0) / np.maximum(of_type, 1)
    residual = (centred - effect)[used]
    spread = effect[of_type > 0]
    return tuple(float(part.std()) if part.size else 0.0 for part in (spread, residual))


def _scaling_loss(hours: Floats) -> float:
    """Return the mean of 1 - t(a) a / (t(b) b), a and b the fewest and most GPUs of a GPU type."""
    finite = np.isfinite(hours)
    used, most = finite.any(axis=2), hours.shape[2] - 1
    first, last = finite.argmax(axis=2), most - finite[:, :, ::-1].argmax(axis=2)
    work = np.where(finite, hours, 0.0) * np.arange(most + 1)
    low, high = (np.take_along_axis(work, k[:, :, None], axis=2)[:, :, 0] for k in (first, last))
    loss = 1.0 - low / np.where(high > 0, high, 1.0)
    chosen = used & (last > first) & (high > 0)
    return float(loss[chosen].mean()) if chosen.any() else 0.0


def _concavity(node_type: NodeType) -> float:
    """Return 0 if each GPU costs the same, (s - 1) / s if the node is paid whole."""
    one, full = node_type.cost[1], node_type.cost[-1] / node_type.gpus
    return 1.0 - full / one if one > 0 else 0.0


def _log_patterns(counts: Ints, size: int) -> float:
    """Return log10 of the number of multisets of GPU counts whose sum is at most `size`."""
    ways = np.zeros(size + 1)
    ways[0] = 1.0
    for count in counts[counts <= size].tolist():
        for used in range(count, size + 1):
            ways[used] += ways[used - count]
    return float(np.log10(ways.sum()))


def _uncertainty(instance: Instance) -> float:
    """Return the mean over jobs of the coefficient of variation of their epochs; 0 if certain."""
    if instance.objective.expectation == "worst_case":
        return 0.0
    variation = {name: law.deviation / law.mean for name, law in instance.laws.items()}
    return float(np.mean([variation.get(name, 0.0) for name in instance.jobs.law]))
