"""Jobs and nodes dealt to controllers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.heuristics.decomposition.partition import SPLITS, demand, divide, parts, runs_on
from rsjs.instances import costs
from rsjs.instances.cluster import NodeGroup
from rsjs.instances.generators import jahani, kiros
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from tests.heuristics.decomposition.hierarchy import solved, with_due


def test_round_robin_deals_in_circular_order():
    division = divide(jahani.generate(nodes=4, jobs=7, seed=1), 3, "round_robin")
    assert division.job.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert division.node.tolist() == [0, 1, 2, 0]


def test_pressure_deals_the_most_pressing_jobs_first():
    instance = jahani.generate(nodes=2, jobs=5, seed=1)
    fastest = costs.cost_tables(instance).hours.min(axis=(1, 2))
    instance = with_due(instance, fastest - [3, 9, 1, 7, 5])  # pressures 3, 9, 1, 7, 5
    assert divide(instance, 2, "pressure").job.tolist() == [1, 0, 0, 1, 0]


def demanding(gpus, nodes=2):
    """Jobs that end by their due date on so many GPUs, not on fewer; nodes of up to 4 GPUs."""
    instance = kiros.generate(nodes=nodes, jobs=len(gpus), seed=1, catalogue="azure")
    hours = np.full(instance.jobs.hours_per_epoch.shape, np.inf)
    hours[:, :, 1:5] = 12.0 / np.arange(1, 5)
    due = [12.0 / k for k in gpus]
    jobs = replace(instance.jobs, hours_per_epoch=hours, epochs_max=np.ones(len(gpus), int))
    return with_due(replace(instance, jobs=jobs), due)


def test_demand_balances_the_gpus_that_jobs_need_to_be_in_time():
    instance = demanding([1, 4, 1, 2, 1, 1])
    assert demand(instance).tolist() == [1, 4, 1, 2, 1, 1]
    assert divide(instance, 2, "demand").job.tolist() == [1, 0, 1, 1, 0, 1]
    late = with_due(instance, np.full(6, -1.0))
    assert demand(late).tolist() == [4] * 6  # soonest


def test_demand_gives_a_job_to_a_controller_whose_nodes_run_it():
    instance = jahani.generate(nodes=3, jobs=6, seed=2, catalogue="azure")
    types = {v.gpu_type: v.name for v in instance.cluster.node_types}
    ours, theirs = sorted(types)[:2]
    groups = tuple(NodeGroup(count=1, types=(types[g],)) for g in (ours, theirs, ours))
    gpu = [g.name for g in instance.cluster.gpu_types].index(theirs)
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, [i for i in range(hours.shape[1]) if i != gpu]] = np.inf
    jobs = replace(instance.jobs, hours_per_epoch=hours)
    instance = replace(instance, cluster=replace(instance.cluster, groups=groups), jobs=jobs)
    assert divide(instance, 3, "demand").job.tolist() == [1] * 6
    dealt = parts(instance, divide(instance, 3, "round_robin"))
    assert [part if part is None else part.jobs.tolist() for part in dealt] == [None, [1, 4], None]
    assert solved(instance, "greedy:paper", 3).counts["jobs_without_node"] == 4


@pytest.mark.parametrize("split", SPLITS)
def test_a_job_that_runs_stays_with_the_controller_of_its_node(split):
    instance = jahani.generate(nodes=3, jobs=6, seed=1)
    current = Solution.of([-1, 2, -1, 0, -1, -1], [0, 1, 0, 1, 0, 0], [0, -1, 0])
    instance = replace(instance, current=current)
    division = divide(instance, 3, split)
    assert division.job[[1, 3]].tolist() == [2, 0]
    if split == "round_robin":
        assert division.job[[0, 2, 4, 5]].tolist() == [0, 1, 2, 0]
    part = parts(instance, division)[2]
    assert part.instance.current.job_node[part.jobs.tolist().index(1)] == 0
    result = solved(instance, "fifo:paper", 3, split)
    assert result.solution.job_node[[1, 3]].tolist() == [2, 0]


@given(st.randoms(use_true_random=False), st.integers(1, 8), st.sampled_from(sorted(SPLITS)))
@settings(max_examples=settings().max_examples // 2)
def test_parts_have_every_job_and_node_once_as_it_was(random_document, rng, controllers, split):
    instance = to_instance({**random_document(rng), "current": None})
    division = divide(instance, controllers, split)
    for name, size in (("job", len(instance.jobs)), ("node", instance.cluster.nodes)):
        assert getattr(division, name).shape == (size,)
        assert set(getattr(division, name).tolist()) <= set(range(controllers))
    runs = runs_on(instance, division.node, controllers)
    whole = costs.cost_tables(instance)
    for k, part in enumerate(parts(instance, division)):
        able = np.flatnonzero((division.job == k) & runs[:, k])
        if part is None:
            assert not able.size
            continue
        np.testing.assert_array_equal(part.jobs, able)
        np.testing.assert_array_equal(part.nodes, np.flatnonzero(division.node == k))
        own, cluster = costs.cost_tables(part.instance), part.instance.cluster
        names = np.array(instance.cluster.node_names)
        assert cluster.node_names == tuple(names[part.nodes])
        np.testing.assert_array_equal(cluster.allowed, instance.cluster.allowed[part.nodes])
        for name in ("hours", "tardiness", "shared_hours", "shared_tardiness"):
            theirs = getattr(whole, name)[part.jobs]
            present = np.isfinite(getattr(own, name))
            np.testing.assert_array_equal(getattr(own, name)[present], theirs[present])
        assert (own.postponement <= whole.postponement[part.jobs]).all()
        if (cluster.largest_of_gpu == instance.cluster.largest_of_gpu).all():
            np.testing.assert_array_equal(own.postponement, whole.postponement[part.jobs])
