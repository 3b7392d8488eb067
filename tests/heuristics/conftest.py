"""Small instances: written out by hand, and random ones of every shape."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics.ruin_recreate import fix_and_optimise
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.instance import FAMILIES, Instance
from tests.by_hand import jobs_of, nodes_of


def _make(types, hours, due, groups=(), weight=(), release=(), family="kiros", **changes):
    """
    An instance at now = 0 with jobs of one epoch; node type "A4" has 4 GPUs of type A.

    `types`: name -> price of the whole node, or prices of 1, 2, ... GPUs in use; `groups`: how many
    nodes may take which types, else one node of each.
    """
    gpus = sorted({name[0] for name in types})
    node_types = []
    for name, price in types.items():
        prices = [price] * int(name[1:]) if isinstance(price, int | float) else price
        node_types.append(NodeType(name=name, gpu_type=name[0], cost=(0.0, *prices)))
    cluster = Cluster(
        gpu_types=tuple(GpuType(name=gpu, memory_gb=0.0) for gpu in gpus),
        node_types=tuple(node_types),
        groups=tuple(NodeGroup(count=n, types=tuple(names)) for n, names in groups)
        or nodes_of(*([name] for name in types)),
    )
    table = np.full((len(hours), len(gpus), cluster.largest + 1), np.inf)
    for j, by_gpu in enumerate(hours):
        for gpu, times in by_gpu.items():
            for g, time in enumerate(times, start=1):
                table[j, gpus.index(gpu), g] = np.inf if time is None else time
    jobs = len(hours)
    return Instance(
        name="by hand",
        cluster=cluster,
        jobs=jobs_of(
            table,
            np.array(due, dtype=float),
            release=np.array(release or [0.0] * jobs),
            weight=np.array(weight or [1.0] * jobs),
        ),
        H=1.0,
        rho=100.0,
        objective=replace(FAMILIES[family], **changes),
    )


def _random(seed, objective):
    """1 to 9 nodes (fixed, free, or groups of both), 1 to 14 jobs, gaps in the times."""
    rng = np.random.default_rng(seed)
    proportional = objective.energy == "proportional"
    gpus = int(rng.integers(1, 4))
    levels = () if proportional else (ShareLevel(units=1, max_memory_gb=6.0),)
    node_types = []
    for v in range(int(rng.integers(gpus, 7))):
        size = int(rng.choice([1, 2, 3, 4, 8]))
        flat = proportional or rng.random() < 0.5
        steps = [0.0] * (size - 1) if flat else rng.uniform(0, 0.5, size - 1)
        cost = np.cumsum([0.0, rng.uniform(0.3, 1) * (size if flat else 1), *steps])
        gpu = f"g{v if v < gpus else rng.integers(gpus)}"
        node_types.append(NodeType(name=f"v{v}", gpu_type=gpu, cost=tuple(cost.tolist())))
    groups = []
    for _ in range(int(rng.integers(1, 4))):
        allowed = rng.permutation(len(node_types))[: rng.integers(1, len(node_types) + 1)]
        names = tuple(node_types[v].name for v in sorted(allowed))
        groups.append(NodeGroup(count=int(rng.integers(1, 4)), types=names))
    kinds = [GpuType(name=f"g{i}", memory_gb=12.0 + i, units=4, levels=levels) for i in range(gpus)]
    cluster = Cluster(gpu_types=tuple(kinds), node_types=tuple(node_types), groups=tuple(groups))
    jobs = int(rng.integers(1, 15))
    base = rng.uniform(0.05, 2, (jobs, gpus, 1))
    counts = np.maximum(1, np.arange(cluster.largest + 1))
    hours = base * counts ** -rng.uniform(0.3, 1, (jobs, gpus, 1))
    hours[rng.random(hours.shape) < 0.25] = np.inf
    hours[:, :, 0] = np.inf
    somewhere = np.flatnonzero(cluster.largest_of_gpu)[0]
    hours[:, somewhere, 1] = base[:, somewhere, 0]  # every job runs on one GPU of this type
    law = EpochDistribution.of([[3, 1], [7, 4], [12, 2]])
    return Instance(
        name=f"random {seed}",
        cluster=cluster,
        jobs=jobs_of(
            hours,
            release=rng.uniform(-3, 0, jobs).round(1),
            due=rng.uniform(-2, 20, jobs).round(1),
            weight=rng.uniform(0, 3, jobs).round(1),
            memory_gb=rng.choice([0.0, 6.0, 12.0], jobs),
            epochs_max=np.full(jobs, 12),
            epochs_done=rng.choice([0.0, 2.5, 8.0], jobs),
            law=tuple(rng.choice([FIXED, "law"], jobs).tolist()),
            inflation=np.full((jobs, gpus, len(levels)), 1.5),
        ),
        laws={"law": law},
        H=1.0,
        rho=100.0,
        objective=objective,
    )


@pytest.fixture
def make():
    """The builder of instances by hand."""
    return _make


@pytest.fixture
def random_instance():
    """The builder of random instances from a seed and an objective."""
    return _random


@pytest.fixture
def unhurried(monkeypatch):
    """The rounds of fix and optimise end by themselves, however busy the machine is."""
    monkeypatch.setattr(fix_and_optimise, "SECONDS", 3600.0)
