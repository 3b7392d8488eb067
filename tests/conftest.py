"""Fixtures for all tests: source data, and random instances and decisions of every shape."""

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from rsjs.bks import storage
from rsjs.core.method import EXPECTATION, OPEN_NODES, TARDINESS_AT
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.generators import sts
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution

ROOT = Path(__file__).parents[1]
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

# Few examples, the same in every run. `make search` tries many new ones and keeps what fails.
settings.register_profile(
    "quick", deadline=None, derandomize=True, max_examples=20, suppress_health_check=SLOW
)
settings.register_profile("search", deadline=None, max_examples=500, suppress_health_check=SLOW)
settings.load_profile("quick")

Document = dict[str, Any]
Choice = tuple[int, int]  # dedicated GPUs and share level of a job

GPU_TYPES = [  # name, GB, units, (units, GB) of each level: Table IV of STS, an odd set, no shares
    ("K80", 24, 4, [(1, 6), (2, 12)]),
    ("M60", 16, 4, [(1, 4), (2, 8)]),
    ("A100", 40, 20, [(2, 8), (3, 12)]),
    ("odd/~", 10.5, 30, [(7, 3.5), (11, 8), (13, 10.5)]),
    ("plain", 8, 1, []),
]


@pytest.fixture(scope="session")
def shared():
    """The folder of source data beside the repository; without it the test is skipped."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("source data (../shared) not here")
    return folder


@pytest.fixture(scope="session")
def sources():
    """Stored results stand beside the package; with an installed wheel the test is skipped."""
    if not storage.TREE.is_dir():
        pytest.skip("rsjs is not imported from its sources: no stored results beside it")


@pytest.fixture(scope="session")
def random_document():
    """
    The builder of random instances, as documents: `random_document(Random(seed))`.

    With the strategy `hypothesis.strategies.randoms(use_true_random=False)` they shrink.
    """
    return _document


@pytest.fixture(scope="session")
def random_decision():
    """The builder of random feasible decisions."""
    return _decision


@pytest.fixture
def without_a_decision():
    """Two nodes must have a job, and all jobs run on the first only."""
    instance = sts.generate(nodes=2, jobs=3, seed=1, mix="km")
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, instance.cluster.gpu_of_type[instance.cluster.allowed[1].argmax()]] = np.inf
    jobs = replace(instance.jobs, hours_per_epoch=hours)
    return replace(instance, jobs=jobs, objective=replace(instance.objective, open_nodes="rsjs_eq"))


def _document(rng, energy=None):
    energy = energy or rng.choice(["first_ending", "next_event", "proportional"])
    flat = energy == "proportional"
    gpu_types = [
        {
            "name": name,
            "memory_gb": memory,
            "units": units,
            "levels": [{"units": u, "max_memory_gb": limit} for u, limit in levels],
        }
        for name, memory, units, levels in rng.sample(GPU_TYPES, rng.randint(1, 3))
    ]
    node_types = [_node_type(rng, v, gpu_types, flat) for v in range(rng.randint(1, 4))]
    nodes = [_group(rng, g, node_types) for g in range(rng.randint(1, 3))]
    laws = {f"law {i}": _law(rng) for i in range(rng.randint(0, 2))}
    now = rng.choice([0, 7.25, -3])
    document: Document = {
        "format": "rsjs-instance/1",
        "name": "random",
        "cluster": {"gpu_types": gpu_types, "node_types": node_types, "nodes": nodes},
        "laws": laws,
        "now": now,
        "H": rng.choice([0, 1, 0.25]),
        "rho": rng.choice([100, 2, 0.5]),
        "objective": {
            "energy": energy,
            "tardiness_at": rng.choice(sorted(TARDINESS_AT)),
            "open_nodes": rng.choice(sorted(OPEN_NODES)),
            "expectation": rng.choice(sorted(EXPECTATION)),
            "mu": rng.choice([0, 0.05, 1]),
        },
    }
    present = sorted({name for group in nodes for name in group["types"]})
    homes, common = rng.choice([(present, 0.7), (present, 0.1), ([rng.choice(present)], 0)])
    document["jobs"] = [_job(rng, j, document, homes, common) for j in range(rng.randint(1, 6))]
    if rng.random() < 0.3:
        document["current"] = _current(rng, document)
    if rng.random() < 0.3:
        document["generator"] = {"name": "test", "version": "0", "parameters": {"seed": 2**64 - 1}}
    if document["objective"]["open_nodes"] == "rsjs_eq":
        instance = to_instance(document)
        if len(_matching(instance, rng)) < min(len(instance.jobs), instance.cluster.nodes):
            document["objective"]["open_nodes"] = "rsjs_eq_feasible"  # no decision is feasible
    return document


def _node_type(rng, v, gpu_types, flat):
    gpus = rng.choice([1, 2, 3, 4, 8])
    base = rng.randint(1, 400) / 100
    steps = [0 if flat else rng.choice([0, 0.1, 0.73]) for _ in range(gpus - 1)]
    cost = [0, *(round(c, 2) for c in accumulate([base, *steps]))]
    gpu = rng.choice(gpu_types)["name"]
    return {"name": f"v{v}", "gpu_type": gpu, "gpus": gpus, "cost": cost}


def _group(rng, g, node_types):
    names = [v["name"] for v in node_types]
    group = {"count": rng.randint(1, 3), "types": rng.sample(names, rng.randint(1, len(names)))}
    if rng.random() < 0.3:
        group["names"] = [f"group {g} node {i}" for i in range(group["count"])]
    return group


def _law(rng):
    epochs = sorted(rng.sample(range(1, 13), rng.randint(1, 5)))
    law = [[epoch, rng.choice([0, 1, 3, 100])] for epoch in epochs]
    rng.choice(law)[1] = 7
    return law


def _job(rng, j, document, homes, common):
    """A job that runs on one of `homes` and has times on other GPUs with probability `common`."""
    cluster, shares = document["cluster"], document["objective"]["energy"] != "proportional"
    gpus = max(v["gpus"] for v in cluster["node_types"])
    law = rng.choice(["fixed", *document["laws"]])
    last = max([e for e, w in document["laws"].get(law, []) if w], default=rng.randint(1, 12))
    done = rng.choice([0, 0, rng.randint(0, last - 1), rng.randint(0, 100 * last - 1) / 100])
    hours: dict[str, list[float | None]] = {}
    inflation: dict[str, list[float | None]] = {}
    for gpu in cluster["gpu_types"]:
        if rng.random() < common:
            base = rng.randint(1, 300) / 100
            times = [round(base / k**0.8, 4) for k in range(1, rng.randint(1, gpus) + 1)]
            hours[gpu["name"]] = [None if rng.random() < 0.2 else time for time in times]
        if shares and gpu["levels"] and rng.random() < 0.8:
            factors = [rng.choice([None, 1, 1.35, 2.5]) for _ in gpu["levels"]]
            inflation[gpu["name"]] = factors[: rng.randint(1, len(factors))]
    name = rng.choice(homes)
    home = next(v for v in cluster["node_types"] if v["name"] == name)
    times = hours.setdefault(home["gpu_type"], [None])
    times[rng.randrange(min(home["gpus"], len(times)))] = rng.randint(1, 300) / 100
    limit = next(g["memory_gb"] for g in cluster["gpu_types"] if g["name"] == home["gpu_type"])
    return {
        "id": f"j{j}",
        "application": "app",
        "release": document["now"] - rng.choice([0, 1.5]),
        "due": document["now"] + rng.randint(-200, 1500) / 100,
        "weight": rng.choice([0, 0.36, 1, 2.75]),
        "memory_gb": min(limit, rng.choice([0, 3.5, 6, 8, 12])),
        "epochs_max": last + rng.choice([0, 0, 5]),
        "epochs_done": done,
        "law": law,
        "hours_per_epoch": hours,
    } | ({"inflation": inflation} if inflation else {})


def _current(rng, document):
    jobs, types = len(document["jobs"]), len(document["cluster"]["node_types"])
    nodes = sum(group["count"] for group in document["cluster"]["nodes"])
    return {
        "job_node": [rng.randint(-1, nodes - 1) for _ in range(jobs)],
        "job_gpus": [rng.randint(0, 1) for _ in range(jobs)],
        "job_level": [-1] * jobs,
        "node_type": [rng.randint(-1, types - 1) for _ in range(nodes)],
    }


def _decision(instance, rng):
    jobs, cluster = range(len(instance.jobs)), instance.cluster
    allowed = [np.flatnonzero(row).tolist() for row in cluster.allowed]
    types = [-1] * cluster.nodes
    placed: dict[int, tuple[int, Choice]] = {}
    on_node: dict[int, list[Choice]] = {n: [] for n in range(cluster.nodes)}

    def put(j, n, choice):
        placed[j] = n, choice
        on_node[n].append(choice)

    kind = instance.objective.open_nodes
    if kind.startswith("rsjs_eq"):
        for j, n in _matching(instance, rng).items():
            types[n] = rng.choice([v for v in allowed[n] if _choices(instance, j, v)])
            put(j, n, rng.choice(_choices(instance, j, types[n])))
    else:
        most = min(len(jobs), cluster.nodes) if kind == "jahani_eq" else cluster.nodes
        for n in rng.sample(range(cluster.nodes), most):
            types[n] = rng.choice(allowed[n] if kind == "jahani_eq" else [-1, *allowed[n]])
    on = [n for n in range(cluster.nodes) if types[n] >= 0]
    for j in rng.sample(jobs, len(jobs)):
        if j not in placed and on and rng.random() < 0.8:
            n = rng.choice(on)
            choices = [
                c
                for c in _choices(instance, j, types[n])
                if _fits(instance, types[n], [*on_node[n], c])
            ]
            if choices:
                put(j, n, rng.choice(choices))
    nothing = -1, (0, -1)
    nodes = [placed.get(j, nothing)[0] for j in jobs]
    taken = [placed.get(j, nothing)[1] for j in jobs]
    return Solution.of(nodes, [gpus for gpus, _ in taken], types, [level for _, level in taken])


def _choices(instance, j, v):
    """Configurations of job j on node type v."""
    gpu, size = instance.cluster.gpu_of_type[v], instance.cluster.gpus_of_type[v]
    dedicated = np.flatnonzero(np.isfinite(instance.hours_per_epoch[j, gpu, : size + 1]))
    shared = np.flatnonzero(np.isfinite(instance.shared_hours_per_epoch[j, gpu]))
    return [(k, -1) for k in dedicated.tolist()] + [(0, level) for level in shared.tolist()]


def _fits(instance, v, choices):
    gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
    shares = [gpu.levels[level].units for _, level in choices if level >= 0]
    used = sum(k for k, _ in choices) + gpus_for_shares(shares, gpu.units)
    return used <= instance.cluster.gpus_of_type[v]


def _matching(instance, rng):
    """Job -> node of its own, for as many as possible."""
    allowed = [np.flatnonzero(row).tolist() for row in instance.cluster.allowed]
    order = rng.sample(range(len(instance.jobs)), len(instance.jobs))
    edges = [[any(_choices(instance, j, v) for v in types) for types in allowed] for j in order]
    found = maximum_bipartite_matching(csr_array(np.array(edges)), perm_type="column")
    return {j: int(n) for j, n in zip(order, found, strict=True) if n >= 0}
