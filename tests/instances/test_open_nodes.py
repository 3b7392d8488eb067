"""How many nodes must be open, against a search over all assignments of jobs to nodes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.open_nodes import required_nodes


def _runs(instance, j, n):
    cluster = instance.cluster
    for v in np.flatnonzero(cluster.allowed[n]).tolist():
        gpu, size = cluster.gpu_of_type[v], cluster.node_types[v].gpus
        whole = np.isfinite(instance.hours_per_epoch[j, gpu, : size + 1]).any()
        if whole or np.isfinite(instance.shared_hours_per_epoch[j, gpu]).any():
            return True
    return False


def _most_nodes(instance):
    """Nodes with a job of their own, at most: every job tries every node and none."""
    nodes = range(instance.cluster.nodes)
    choices = [
        [-1, *(n for n in nodes if _runs(instance, j, n))] for j in range(len(instance.jobs))
    ]
    return max(len(set(nodes) - {-1}) for nodes in product(*choices))


@given(rng=st.randoms(use_true_random=False))
def test_a_matching_decides_how_many_nodes_can_have_a_job(random_document, rng):
    document = random_document(rng)
    document["jobs"] = document["jobs"][:4]
    document.pop("current", None)
    document["objective"]["open_nodes"] = "rsjs_eq_feasible"
    instance = to_instance(document)
    assert required_nodes(instance) == _most_nodes(instance)


@pytest.mark.parametrize("kind", ["jahani_eq", "rsjs_eq"])
@pytest.mark.parametrize(("jobs", "nodes"), [(3, 3), (2, 2), (1, 1)])
def test_otherwise_it_is_the_lesser_of_jobs_and_nodes(example, kind, jobs, nodes):
    document = example(open_nodes=kind)
    document["jobs"] = document["jobs"][:jobs]
    assert required_nodes(to_instance(document)) == nodes
    document["cluster"]["nodes"] = [{"count": 1, "types": ["vm", "box"]}]
    assert required_nodes(to_instance(document)) == 1


def test_a_node_with_too_few_gpus_of_the_right_type_is_no_match(example):
    document = example(open_nodes="rsjs_eq_feasible")
    small = {"name": "small", "gpu_type": "P", "gpus": 1, "cost": [0, 1]}
    document["cluster"]["node_types"].append(small)
    document["cluster"]["nodes"] += [{"count": 5, "types": ["small"]}]
    c = document["jobs"][2]  # on two P only
    document["jobs"] = [c | {"id": f"c{i}"} for i in range(9)]
    assert required_nodes(to_instance(document)) == 3
