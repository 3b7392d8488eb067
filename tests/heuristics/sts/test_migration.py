"""Idle GPUs given to jobs on shares, and jobs that stay on their nodes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.migration import on_their_nodes
from rsjs.instances.check import check
from rsjs.instances.generators.sts import MIXES, SHARING, generate
from rsjs.instances.solution import Solution
from tests.heuristics.builders import with_shares
from tests.heuristics.sts.plain_sts import PlainSts

HALF = (1, 8)  # units, GB


def sharing(make, gpus, hours, inflation, epochs=1):
    """Jobs on one node that want half a GPU each: it is the cheapest, and no due date is near."""
    name, price = f"A{gpus}", [float(k) for k in range(1, gpus + 1)]
    due = [10.0**4] * len(hours)
    instance = make({name: price}, [{"A": own} for own in hours], groups=[(1, [name])], due=due)
    jobs = replace(instance.jobs, epochs_max=np.broadcast_to(epochs, len(hours)).copy())
    return with_shares(replace(instance, jobs=jobs), 2, [HALF], np.array(inflation)[:, None, None])


@pytest.mark.parametrize(
    ("gpus", "hours", "inflation", "dealt", "levels"),
    [
        # two jobs stay on one GPU if none is idle
        (1, [[4], [4]], [1.2, 1.2], [0, 0], [0, 0]),
        # a job alone on a shared GPU has it before idle ones are given
        (2, [[4, 3]], [1.2], [2], [-1]),
        # of two jobs on a GPU one gets the idle one and the other all of it
        (2, [[4, 3.9], [4, 3.9]], [1.2, 1.5], [1, 1], [-1, -1]),
        # half a GPU is as fast for j0; j1 saves 2 h and leaves, and then 1 h each
        (4, [[4, 3, 2.5, 2.4]] * 2, [1.0, 1.5], [2, 2], [-1, -1]),
    ],
)
def test_idle_gpus_given_to_jobs_on_shares(make, gpus, hours, inflation, dealt, levels):
    instance = sharing(make, gpus, hours, inflation)
    decision = sts.decide(instance, "literal")
    assert check(instance, decision.solution).feasible
    assert decision.wanted.tolist() == [0] * len(hours)
    assert decision.solution.job_gpus.tolist() == dealt
    assert decision.solution.job_level.tolist() == levels


def test_hours_saved_are_those_of_all_epochs_left(make):
    """1.2 h and 0.9 h for each epoch, but 3 and 10 of them."""
    instance = sharing(make, 3, [[4, 2.8], [3, 2.1]], [1.0, 1.0], [3, 10])
    instance = replace(instance, jobs=replace(instance.jobs, memory_gb=np.array([9.0, 9.0])))
    solution = sts.decide(instance, "literal").solution
    assert solution.job_gpus.tolist() == [1, 2]


def two_nodes(make):
    """One job; each node may be of either type."""
    types = {"A2": [1, 2], "B2": [3, 6]}
    instance = make(types, [{"A": [4, 3], "B": [4, 3]}], groups=[(2, [*types])], due=[99])
    return with_shares(instance, 4, [HALF, (2, 16)], 1.5)


@pytest.mark.parametrize(
    ("before", "node"),
    [
        (Solution.of([1], [1], [-1, 0]), 1),
        (Solution.of([1], [1], [-1, 1]), 0),  # the other GPU type
        (Solution.of([1], [2], [-1, 0]), 0),
        (Solution.of([1], [0], [-1, 0], [0]), 0),
    ],
)
def test_only_a_job_with_the_same_gpus_is_kept_on_its_node(make, before, node):
    instance = replace(two_nodes(make), current=before)
    assert on_their_nodes(instance, Solution.of([0], [1], [0, -1])).job_node.tolist() == [node]


@pytest.mark.parametrize(("level", "node"), [(0, 1), (1, 0)])
def test_a_share_of_another_size_is_not_the_same(make, level, node):
    instance = replace(two_nodes(make), current=Solution.of([1], [0], [-1, 0], [0]))
    now = Solution.of([0], [0], [0, -1], [level])
    assert on_their_nodes(instance, now).job_node.tolist() == [node]


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    mix=st.sampled_from(sorted(MIXES)),
    sharing=st.sampled_from(sorted(SHARING)),
    jobs=st.integers(1, 40),
    rule=st.sampled_from(sorted(sts.RULES)),
)
def test_decisions_are_as_published_from_any_floor_and_placement(seed, mix, sharing, jobs, rule):
    instance = generate(nodes=4, jobs=jobs, seed=seed, mix=mix, sharing=sharing)
    before = sts.decide(instance, rule).solution
    rng = np.random.default_rng(seed)
    instance = replace(instance, now=instance.now + rng.uniform(0, 30), current=before)
    floor = rng.integers(0, 9, jobs)
    found, plain = sts.decide(instance, rule, floor=floor), PlainSts(instance, rule, floor).decide()
    assert found.solution.same_as(plain.solution)
    assert np.array_equal(found.change, plain.change)
    assert np.array_equal(found.wanted, plain.wanted)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), jobs=st.integers(1, 30), share=st.floats(0, 1))
def test_loads_go_to_the_nodes_of_the_best_assignment_of_each_class(seed, jobs, share):
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


def _permuted(instance, solution, loose, rng):
    """Loads of some nodes change places within their class."""
    target = np.arange(len(loose))
    for c in range(len(instance.cluster.allowed_in_class)):
        nodes = np.flatnonzero((instance.cluster.class_of_node == c) & loose)
        target[nodes] = rng.permutation(nodes)
    kind = np.empty_like(solution.node_type)
    kind[target] = solution.node_type
    node = np.where(solution.job_node >= 0, target[solution.job_node], -1)
    return Solution.of(node, solution.job_gpus, kind, solution.job_level)


def _assigned(instance, before, after):
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
