"""Small workloads: written out by hand, and random ones of every shape."""

import numpy as np
import pytest

from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.instance import FAMILIES, Workload
from rsjs.instances.io.deserialization import to_workload
from rsjs.instances.solution import Solution
from rsjs.simulation.policy import Choice, Policy
from tests.by_hand import jobs_of

ONE_GPU = {"A1": (1.0,)}  # a node type with one GPU, at 1 $/h


def _make(
    types=ONE_GPU,
    nodes=(),
    hours=(),
    release=(),
    due=(),
    weight=(),
    realised=(),
    law=(),
    inflation=None,
    family="kiros",
):
    """
    Node type "A4" has 4 GPUs of type A.

    `types`: name -> $/h with 1, 2, ... GPUs in use; `nodes`: the types that each may take, else one
    node of the first; `hours`: per epoch, by GPU type, on 1, 2, ... GPUs, else 1 h on one; `law`:
    of all jobs, else one epoch; with `inflation` half a GPU can be had. Jobs come at 0 and are due
    at 9 unless said.
    """
    nodes = nodes or [[next(iter(types))]]
    jobs = len(hours) or len(release) or 1
    hours = hours or [{"A": [1.0]}] * jobs
    gpus = sorted({name[0] for name in types})
    levels = () if inflation is None else (ShareLevel(units=1, max_memory_gb=0.0),)
    cluster = Cluster(
        gpu_types=tuple(GpuType(name=g, memory_gb=0.0, units=2, levels=levels) for g in gpus),
        node_types=tuple(
            NodeType(name=name, gpu_type=name[0], cost=(0.0, *price))
            for name, price in types.items()
        ),
        groups=tuple(NodeGroup(count=1, types=tuple(names)) for names in nodes),
    )
    table = np.full((jobs, len(gpus), cluster.largest + 1), np.inf)
    for j, by_gpu in enumerate(hours):
        for gpu, times in by_gpu.items():
            table[j, gpus.index(gpu), 1 : len(times) + 1] = times
    return Workload(
        name="by hand",
        cluster=cluster,
        jobs=jobs_of(
            table,
            np.array(due or [9.0] * jobs, dtype=float),
            release=np.array(release or [0.0] * jobs, dtype=float),
            weight=np.array(weight or [1.0] * jobs, dtype=float),
            epochs_max=np.full(jobs, law[-1][0] if law else 1),
            law=("law" if law else FIXED,) * jobs,
            inflation=np.full((jobs, len(gpus), len(levels)), inflation or np.inf),
        ),
        laws={"law": EpochDistribution.of(law)} if law else {},
        H=1.0,
        rho=100.0,
        objective=FAMILIES[family],
        realised_epochs=np.array(realised or [1] * jobs),
    )


@pytest.fixture(scope="session")
def make():
    """The builder of workloads by hand."""
    return _make


@pytest.fixture(scope="session")
def scripted():
    """
    The builder of policies that place jobs as a script says.

    `scripted({"j0": (0, 2)}, ...)`: what runs after the first event, the second, ...; the last
    entry holds from then on, jobs that are complete are passed over. Nodes take their first type.
    """

    def build(*script, kinds=None):
        def decide(state, memory):
            ids = [state.workload.jobs.id[row] for row in state.rows]
            wanted = script[min(state.number, len(script) - 1)]
            placed = [wanted.get(name, (-1, 0)) for name in ids]
            cluster = state.workload.cluster
            first = cluster.allowed.argmax(axis=1)
            kind = np.full(cluster.nodes, -1)
            for node, _ in placed:
                if node >= 0:
                    kind[node] = (kinds or {}).get(state.number, first[node])
            return Choice(
                solution=Solution.of(
                    [node for node, _ in placed],
                    [max(0, gpus) for _, gpus in placed],
                    kind,
                    [-1 - gpus if gpus < 0 else -1 for _, gpus in placed],
                )
            )

        return Policy(spelling="scripted", decide=decide)

    return build


@pytest.fixture(scope="session")
def random_workload(random_document):
    """The builder of random workloads with nodes that may be left off: `(Random(seed))`."""

    def build(rng, **objective):
        document = random_document(rng, objective.get("energy"))
        document["format"] = "rsjs-workload/1"
        document.pop("current", None)
        begin = document.pop("now")
        document["objective"] |= {"open_nodes": "free"} | objective
        releases = sorted(
            begin + rng.choice([0, 0, 1, rng.randint(0, 800) / 100]) for _ in document["jobs"]
        )
        realised = []
        for job, release in zip(document["jobs"], releases, strict=True):
            job |= {"epochs_done": 0, "release": release}
            law = [e for e, w in document["laws"].get(job["law"], []) if w]
            realised.append(rng.choice(law or [job["epochs_max"]]))
        document["realised"] = {"epochs": realised}
        return to_workload(document)

    return build


@pytest.fixture(scope="session")
def switching(scripted):
    """A policy that puts each job on a node of its number and wants to be called after 0.1 h."""

    def decide(state, memory):
        nodes = state.workload.cluster.nodes
        node = np.full(len(state.rows), -1)
        for i in range(min(nodes, len(node))):
            node[i] = i
        kind = np.where(np.isin(np.arange(nodes), node), 0, -1)
        change = np.full(len(node), np.inf)
        change[-1] = 0.1
        return Choice(solution=Solution.of(node, node >= 0, kind), change=change)

    return Policy(spelling="switching", decide=decide)


@pytest.fixture
def two(make):
    """Two nodes of one GPU; two jobs of 4 and 2 epochs of an hour, of 6 at most."""
    law = [[2, 1], [4, 1], [6, 1]]
    return make(nodes=[["A1"]] * 2, release=[0, 1], due=[4, 5], law=law, realised=[4, 2])


@pytest.fixture
def both(scripted):
    """A policy that runs both of `two` on nodes of their own."""
    return scripted({"j0": (0, 1), "j1": (1, 1)})
