"""The oracle itself, against every decision written out."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from allpairspy import AllPairs

from rsjs.core.call import Call
from rsjs.core.method import ENERGY, EXPECTATION, OPEN_NODES, TARDINESS_AT
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.instance import Instance, Objective
from rsjs.instances.solution import Solution
from tests.by_hand import jobs_of, nodes_of

CHOICES = [sorted(ENERGY), sorted(TARDINESS_AT), sorted(OPEN_NODES), [0.0, 0.5]]
KINDS = [tuple(kinds) for kinds in AllPairs(CHOICES)]


def small(seed, energy, tardiness_at, open_nodes, mu):
    """Three jobs, a fixed node of two shareable GPUs and a free one."""
    rng = np.random.default_rng(seed)
    shared = energy != "proportional"
    levels = (ShareLevel(units=1, max_memory_gb=4.0), ShareLevel(units=2, max_memory_gb=8.0))
    price = (0.0, 1.0, 1.5) if shared else (0.0, 1.5, 1.5)
    cluster = Cluster(
        gpu_types=(
            GpuType(name="K80", memory_gb=12.0, units=4, levels=levels if shared else ()),
            GpuType(name="M60", memory_gb=8.0),
        ),
        node_types=(
            NodeType(name="two", gpu_type="K80", cost=price),
            NodeType(name="one", gpu_type="M60", cost=(0.0, 0.7)),
        ),
        groups=nodes_of(["two"], ["one", "two"]),
    )
    hours = np.full((3, 2, 3), np.inf)
    hours[:, :, 1:] = rng.uniform(1, 6, (3, 2, 1)) / np.array([1.0, 1.8])
    hours[:, 1, 2] = np.inf
    inflation = np.full((3, 2, 2 if shared else 0), np.inf)
    inflation[:, 0] = rng.uniform(1, 1.5, inflation[:, 0].shape)
    jobs = jobs_of(
        hours,
        due=rng.uniform(-1, 9, 3),
        weight=rng.uniform(0.3, 1.0, 3),
        memory_gb=np.array([3.0, 6.0, 10.0]),
        epochs_max=np.array([3, 3, 3]),
        epochs_done=np.array([0.0, 1.5, 0.0]),
        law=("fixed", "early", "early"),
        inflation=inflation,
    )
    return Instance(
        name="small",
        cluster=cluster,
        jobs=jobs,
        laws={"early": EpochDistribution.of([[1, 1], [2, 2], [3, 1]])},
        H=0.5,
        rho=3.0,
        objective=Objective(
            energy=energy,
            tardiness_at=tardiness_at,
            open_nodes=open_nodes,
            expectation=sorted(EXPECTATION)[seed % 3],
            mu=mu,
        ),
    )


def every_decision(instance):
    """All node types times all configurations of all jobs, feasible or not."""
    levels = range(instance.jobs.inflation.shape[2])
    places = [(-1, 0, -1)]
    places += [(n, k, -1) for n in (0, 1) for k in (1, 2)]
    places += [(n, 0, level) for n in (0, 1) for level in levels]
    for node_type in product((-1, 0, 1), repeat=2):
        for chosen in product(places, repeat=3):
            node, gpus, level = zip(*chosen, strict=True)
            yield Solution.of(node, gpus, node_type, level)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: "-".join(map(str, kinds)))
def test_the_oracle_finds_the_best_of_all_decisions(kinds):
    instance = small(KINDS.index(kinds), *kinds)
    verdicts = (check(instance, solution) for solution in every_decision(instance))
    costs = [verdict.objective for verdict in verdicts if verdict.feasible]
    best = enumeration.best(instance)
    assert check(instance, best).feasible
    assert check(instance, best).objective == pytest.approx(min(costs), rel=1e-12)


def test_it_reports_its_optimum_as_an_exact_bound():
    instance = small(0, "first_ending", "completion", "free", 0.0)
    report = Report()
    result = enumeration.run(instance, Call(), report)
    assert result.stop is Stop.OPTIMAL
    assert result.bound == result.objective == check(instance, result.solution).objective
    assert result.bound_source == "exact"
    assert [event.bound for event in report.events] == [None, result.bound]


def test_it_says_so_when_no_decision_opens_enough_nodes():
    """No job runs on an M60, yet both nodes must have a job."""
    instance = small(0, "first_ending", "completion", "rsjs_eq", 0.0)
    groups = (NodeGroup(count=1, types=("two",)), NodeGroup(count=1, types=("one",)))
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, 1] = np.inf
    jobs = replace(instance.jobs, hours_per_epoch=hours)
    stuck = replace(instance, cluster=replace(instance.cluster, groups=groups), jobs=jobs)
    assert enumeration.run(stuck, Call(), Report()).stop is Stop.INFEASIBLE
    relaxed = replace(stuck, objective=replace(stuck.objective, open_nodes="rsjs_eq_feasible"))
    assert enumeration.run(relaxed, Call(), Report()).stop is Stop.OPTIMAL
