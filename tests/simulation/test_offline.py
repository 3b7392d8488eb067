"""The capacity-free bound: by hand, and below what any policy pays."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rsjs.instances.generators import sts
from rsjs.simulation.bounds import capacity_free_bound, capacity_free_bounds
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy

OPTIONS = [
    Options(),
    Options(energy="node", boot=0.2),
    Options(energy="gpu", checkpoint="epoch", deviation=0.2, seed=3),
    Options(energy="base:0.5", deviation=0.1, denominator="real"),
]


def _one(make, due, weight=10.0):
    """One job of 2 epochs: 2 h each at 1 $/h, or 1 h each at 3 $/h."""
    job = {"due": [due], "weight": [weight], "law": [[2, 1], [9, 1]], "realised": [2]}
    return make({"A2": [1.0, 3.0]}, hours=[{"A": [2.0, 1.0]}], release=[1], **job)


@pytest.mark.parametrize(
    ("due", "weight", "expected"),
    [
        (9.0, 10.0, 4.0),  # 4 h on one GPU
        (4.0, 10.0, 5.0),  # half of it on one GPU, 2 h, half on two, 1 h
        (3.0, 10.0, 6.0),  # 2 h on two
        (1.0, 10.0, 6.0 + 20.0),
        (2.0, 0.5, 4.0 + 1.5),  # late, on one
    ],
)
def test_one_job_by_hand(make, due, weight, expected):
    assert capacity_free_bound(_one(make, due, weight)) == pytest.approx(expected)


def test_a_job_may_change_its_configuration(make):
    """On one GPU 4 h for 4 $, on two 3 h for 6 $; due after 3.5 h: half and half."""
    workload = make(types={"A2": [1.0, 2.0]}, hours=[{"A": [4.0, 3.0]}], due=[3.5], weight=[10])
    assert capacity_free_bound(workload) == pytest.approx(5.0)
    assert capacity_free_bound(workload, Options(energy="gpu")) == pytest.approx(5.0)


def test_the_cheapest_node_type_of_a_gpu_counts(make):
    types = {"A1": [1.0], "A2": [1.5, 1.5], "A4": [0.1] * 4}
    workload = make(types=types, nodes=[["A1", "A2"]], hours=[{"A": [4.0]}])
    assert capacity_free_bound(workload) == 4 * 0.75  # A4 is nowhere allowed
    assert capacity_free_bound(workload, Options(energy="base:0.5")) == 4 * 0.75


def test_shares_cost_their_part_of_a_gpu(make):
    workload = make(hours=[{"A": [4.0]}], release=[0], due=[9], inflation=1.5)
    assert capacity_free_bound(workload) == 6.0 / 2


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_each_job_is_a_linear_program(rng, random_workload):
    """min sum q_i x_i + eta u, sum t_i x_i - u <= d - r, sum x_i = 1, over dedicated GPUs."""
    workload = random_workload(rng, energy="proportional")
    cluster, jobs = workload.cluster, workload.jobs
    found = capacity_free_bounds(workload, Options())
    for j in range(len(jobs)):
        energy, hours = [], []
        for i, k in product(range(len(cluster.gpu_types)), range(1, cluster.largest + 1)):
            own = [v for v in range(len(cluster.node_types)) if cluster.gpu_of_type[v] == i]
            own = [v for v in own if cluster.allowed[:, v].any()]
            fits = jobs.memory_gb[j] <= cluster.gpu_types[i].memory_gb
            fits &= k <= max((cluster.gpus_of_type[v] for v in own), default=0)
            time = jobs.hours_per_epoch[j, i, k] * workload.realised_epochs[j]
            if fits and time < float("inf"):
                kinds = [cluster.node_types[v] for v in own]
                per_gpu = min(kind.cost[g] / g for kind in kinds for g in range(1, kind.gpus + 1))
                hours.append(time)
                energy.append(time * k * per_gpu)
        late = {"A_ub": [[*hours, -1.0]], "b_ub": [jobs.due[j] - jobs.release[j]]}
        whole = {"A_eq": [[1.0] * len(hours) + [0.0]], "b_eq": [1.0]}
        solved = linprog([*energy, jobs.weight[j]], **late, **whole)
        assert found[j] == pytest.approx(solved.fun, rel=1e-6, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.energy)
def test_no_policy_is_below_the_bound(options):
    workload = sts.workload(nodes=4, jobs=15, seed=1, sharing="paper")
    bound = capacity_free_bound(workload, options)
    for spelling in ("queue:edf", "queue:pedf", "sts:fallback"):
        assert 0 < bound <= simulate(workload, policy(spelling, workload), options).totals.cost


def test_the_bound_says_something_where_jobs_do_not_wait():
    workload = sts.workload(nodes=4, jobs=15, seed=1)
    found = simulate(workload, policy("queue:pedf", workload)).totals
    assert found.utilisation < 0.4
    assert found.cost < 1.25 * capacity_free_bound(workload)
