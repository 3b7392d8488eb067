"""STS in one compiled pass decides as it does step by step, and loads go where most jobs stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from rsjs.heuristics import sts
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.sts_postprocessing import on_their_nodes
from rsjs.instances.generators.sts import MIXES, SHARING, generate
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@given(
    seed=st.integers(0, 10**6),
    mix=st.sampled_from(sorted(MIXES)),
    sharing=st.sampled_from(sorted(SHARING)),
    jobs=st.integers(1, 40),
    rule=st.sampled_from(sorted(sts.RULES)),
    margin=st.sampled_from([None, True, False]),
)
def test_engines_decide_alike_from_any_floor_and_placement(
    seed: int, mix: str, sharing: str, jobs: int, rule: str, margin: bool | None
) -> None:
    instance = generate(nodes=4, jobs=jobs, seed=seed, mix=mix, sharing=sharing)
    before = sts.decide(instance, rule).solution
    rng = np.random.default_rng(seed)
    instance = replace(instance, now=instance.now + rng.uniform(0, 30), current=before)
    floor = rng.integers(0, 9, jobs)
    one, other = (
        sts.decide(instance, rule, floor=floor, margin=margin, engine=engine)
        for engine in ("numpy", "numba")
    )
    assert one.solution.same_as(other.solution)
    assert np.array_equal(one.change, other.change)
    assert np.array_equal(one.wanted, other.wanted)


@given(seed=st.integers(0, 10**6), jobs=st.integers(1, 30), share=st.floats(0, 1))
def test_loads_go_to_the_nodes_of_the_best_assignment_of_each_class(
    seed: int, jobs: int, share: float
) -> None:
    instance = generate(nodes=9, jobs=jobs, seed=seed)
    before = sts.decide(instance, "fallback").solution
    rng = np.random.default_rng(seed)
    now = sts.decide(replace(instance, now=instance.now + 1), "literal").solution
    moved = _permuted(instance, now if seed % 2 else before, rng.random(9) < share, rng)
    found = on_their_nodes(replace(instance, current=before), moved)
    target = _assigned(instance, before, moved)
    node = np.where(moved.job_node >= 0, target[moved.job_node], -1)
    assert found.job_node.tolist() == node.tolist()
    assert found.node_type[target].tolist() == moved.node_type.tolist()


def _permuted(
    instance: Instance, solution: Solution, loose: np.ndarray, rng: np.random.Generator
) -> Solution:
    """Loads of some nodes change places within their class."""
    target = np.arange(len(loose))
    for c in range(len(instance.cluster.allowed_in_class)):
        nodes = np.flatnonzero((instance.cluster.class_of_node == c) & loose)
        target[nodes] = rng.permutation(nodes)
    kind = np.empty_like(solution.node_type)
    kind[target] = solution.node_type
    node = np.where(solution.job_node >= 0, target[solution.job_node], -1)
    return Solution.of(node, solution.job_gpus, kind, solution.job_level)


def _assigned(instance: Instance, before: Solution, after: Solution) -> np.ndarray:
    """Where the load of each node goes, every class by the assignment itself."""
    cluster = instance.cluster
    stays = np.zeros((cluster.nodes, cluster.nodes))
    for j in range(len(before.job_node)):
        old, new = before.job_node[j], after.job_node[j]
        if min(old, new) < 0 or before.job_gpus[j] != after.job_gpus[j]:
            continue
        types = before.node_type[old], after.node_type[new]
        stays[new, old] += cluster.gpu_of_type[types[0]] == cluster.gpu_of_type[types[1]]
    target = np.arange(cluster.nodes)
    for c in range(len(cluster.allowed_in_class)):
        nodes = np.flatnonzero(cluster.class_of_node == c)
        load, place = linear_sum_assignment(stays[np.ix_(nodes, nodes)], maximize=True)
        target[nodes[load]] = nodes[place]
    return target
