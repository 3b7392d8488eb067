"""The bit sets of `FreeCapacity` against the published words, node by node."""

import numpy as np
import pytest

from rsjs.heuristics.dispatching import list_scheduling
from rsjs.heuristics.greedy import greedy
from rsjs.instances.instance import Objective

OBJECTIVE = Objective(
    energy="first_ending", tardiness_at="completion", open_nodes="free", expectation="worst_case"
)


def _plain(queue, candidates, cluster, by_gpu, alone):
    """Best fit on open compatible nodes, else the largest closed one, else the next candidate."""
    stride, nodes = cluster.largest + 1, range(cluster.nodes)
    node_type, idle = [-1] * cluster.nodes, [0] * cluster.nodes
    job_node, job_gpus = [-1] * len(candidates), [0] * len(candidates)

    def kind_of(v):
        return int(cluster.gpu_of_type[v]) if by_gpu else v

    def openings(kind, g):
        return [
            (-cluster.node_types[v].gpus, n, cluster.node_types[v].cost[-1], v)
            for n in nodes
            for v in np.flatnonzero(cluster.allowed[n]).tolist()
            if node_type[n] < 0 and kind_of(v) == kind and cluster.node_types[v].gpus >= g
        ]

    for j in queue:
        for kind, g in (divmod(code, stride) for code in candidates[j]):
            opened = [n for n in nodes if node_type[n] >= 0 and kind_of(node_type[n]) == kind]
            fits = [(idle[n] - g, n) for n in opened if idle[n] >= g]
            if fits:
                n = min(fits)[1]
            elif new := openings(kind, g):
                size, n, _, node_type[n] = min(new)
                idle[n] = -size
            else:
                continue
            job_node[j], job_gpus[j] = n, g
            idle[n] = 0 if alone else idle[n] - g
            break
    return job_node, job_gpus, node_type


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_list_scheduling_assigns_as_published(random_instance, rule):
    for seed in range(15):
        instance = random_instance(seed, OBJECTIVE)
        found = list_scheduling.decide(instance, "edf", rule)
        queue = list_scheduling.ORDERS["edf"](instance).tolist()
        codes = list_scheduling.configurations(instance, rule)
        plain = _plain(queue, codes, instance.cluster, False, rule == "code")
        assert (found.job_node.tolist(), found.job_gpus.tolist(), found.node_type.tolist()) == plain


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_greedy_lets_no_job_wait_that_fits(random_instance, rule):
    for seed in range(15):
        instance = random_instance(seed, OBJECTIVE)
        cluster = instance.cluster
        solution = greedy.decide(instance, rule)
        used = np.bincount(
            np.maximum(solution.job_node, 0), solution.job_gpus, minlength=cluster.nodes
        ).astype(int)
        for n, v in enumerate(solution.node_type.tolist()):
            for w in np.flatnonzero(cluster.allowed[n]) if v < 0 else [v]:
                idle = cluster.gpus_of_type[w] - used[n]
                hours = instance.hours_per_epoch[solution.job_node < 0, cluster.gpu_of_type[w]]
                assert not np.isfinite(hours[:, : idle + 1]).any()
