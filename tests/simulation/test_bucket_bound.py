"""The bucket bound: by hand, between the capacity-free bound and the best schedule there is."""

from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.simulation.bounds import (
    bucket_bound,
    build,
    capacity_free_bound,
    certified,
    modes,
)
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from tests.simulation.offline_optimum import offline_optimum

ROUNDING = 1 + 1e-6


def _two(make, **changed):
    """Two jobs at once, 2 h on one GPU at 1 $/h, due after 2 h, 10 $ for each hour late."""
    given = {"types": {"A1": [1.0]}, "hours": [{"A": [2.0]}] * 2, "due": [2, 2], "weight": [10, 10]}
    return make(**given | changed)


@pytest.mark.parametrize(("hours", "late"), [(1.0, 0.5), (0.5, 0.75), (0.25, 0.875)])
def test_jobs_that_share_a_gpu_are_late_together(make, hours, late):
    """Of 4 h of work 2 are left when both are due: work not done falls from 1 to 0 in 2 h."""
    workload = _two(make)
    assert capacity_free_bound(workload) == 4.0
    assert bucket_bound(workload, hours=hours) == pytest.approx(4 + 10 * late)


def test_with_room_for_both_it_is_the_capacity_free_bound(make):
    assert bucket_bound(_two(make, nodes=[["A1"]] * 2), hours=0.5) == pytest.approx(4.0)


def test_a_node_is_of_one_type_at_a_time(make):
    changed = {"types": {"A1": [1.0], "B1": [1.0]}, "hours": [{"A": [2.0]}, {"B": [2.0]}]}
    either = _two(make, nodes=[["A1", "B1"]], **changed)
    assert bucket_bound(either, hours=0.5) == pytest.approx(4 + 10 * 0.75)
    both = _two(make, nodes=[["A1"], ["B1"]], **changed)
    assert bucket_bound(both, hours=0.5) == pytest.approx(4.0)


def test_gpus_of_two_nodes_do_not_add_up_to_one_configuration(make):
    """Three GPUs each, on nodes of two and of four."""
    changed = {"types": {"A2": [1, 2], "A4": [1, 2, 3, 4]}, "hours": [{"A": [9, 9, 2.0]}] * 2}
    of_six = _two(make, nodes=[["A2"], ["A4"]], **changed)
    assert bucket_bound(of_six, hours=0.5) > capacity_free_bound(of_six) + 1
    of_eight = _two(make, nodes=[["A4"], ["A4"]], **changed)
    assert bucket_bound(of_eight, hours=0.5) == pytest.approx(capacity_free_bound(of_eight))


def test_halves_of_a_gpu_are_room_for_two(make):
    assert bucket_bound(_two(make, inflation=1.0), hours=0.5) == pytest.approx(2.0)


def test_a_job_due_before_it_is_submitted_is_late_from_then_on(make):
    workload = _two(make, nodes=[["A1"]] * 2, release=[0, 3], due=[9, 1])
    assert bucket_bound(workload, hours=0.5) == pytest.approx(4 + 10 * (2 + 2))
    alone = _two(make, release=[0, 0], due=[-5, 9])
    assert bucket_bound(alone, hours=0.5) == pytest.approx(4 + 10 * 7)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 4)
def test_below_the_best_schedule_and_that_below_policies(seed, make):
    workload = _tiny(Random(seed), make)
    best = offline_optimum(workload)
    bound, loose = (bucket_bound(workload, hours=hours) for hours in (0.25, 1.0))
    assert capacity_free_bound(workload) <= min(loose, bound) * ROUNDING
    assert max(loose, bound) <= best * ROUNDING
    for spelling in ("queue:edf", "queue:pedf", "queue:greedy", "fifo:paper"):
        assert best <= simulate(workload, policy(spelling, workload)).totals.cost * ROUNDING


def _tiny(rng, make):
    """Two or three jobs on two nodes with three GPUs, or four jobs on one with two."""
    jobs = rng.randint(2, 4)
    release = sorted(rng.randint(0, 8) / 2 for _ in range(jobs))
    law = [[1, 1], [2, 1], [3, 1]]
    hours = []
    for _ in range(jobs):
        slow = rng.randint(2, 8) / 4
        fast = {"A": [slow, slow * rng.choice([0.5, 0.75])]}
        hours.append(fast if jobs == 4 else rng.choice([fast, {"B": [slow]}, fast | {"B": [slow]}]))
    return make(
        types={"A2": [1.0, rng.choice([1.0, 1.5, 2.0])], "B1": [rng.choice([0.5, 2.0])]},
        nodes=[["A2"]] if jobs == 4 else [["A2"], ["B1"]],
        hours=hours,
        release=release,
        due=[at + rng.randint(0, 6) for at in release],
        weight=[rng.choice([0.5, 5, 50]) for _ in range(jobs)],
        law=law,
        realised=[rng.randint(1, 3) for _ in range(jobs)],
    )


@pytest.mark.slow
def test_where_jobs_queue_it_is_above_the_capacity_free_bound():
    workload = sts.workload(nodes=2, jobs=30, seed=1, mix="a100", gap_seconds=250)
    free = capacity_free_bound(workload)
    bounds = [bucket_bound(workload, hours=hours) for hours in (6.0, 3.0)]
    assert free * 1.001 < bounds[0] < bounds[1]
    for spelling in ("queue:pedf", "queue:greedy", "sts:fallback"):
        assert bounds[1] < simulate(workload, policy(spelling, workload)).totals.cost


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        Options(energy="node", boot=0.2),
        Options(energy="gpu", checkpoint="epoch", deviation=0.2, seed=3),
        Options(energy="base:0.5", deviation=0.1, denominator="real"),
    ],
    ids=lambda options: options.energy,
)
def test_it_holds_under_every_option(options):
    workload = sts.workload(nodes=2, jobs=30, seed=1, sharing="paper", gap_seconds=500)
    free, bound = capacity_free_bound(workload, options), bucket_bound(workload, options, hours=2)
    assert free < bound < simulate(workload, policy("queue:pedf", workload), options).totals.cost


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 2)
def test_any_multipliers_certify_a_bound(seed, make):
    rng = Random(seed)
    workload = _tiny(rng, make)
    model = build(workload, modes(workload, Options()), 0.5)
    multipliers = np.array([rng.uniform(-3, 3) for _ in model.row_lower])
    below = np.isfinite(model.row_upper)
    matrix = model.A.toarray()
    solved = linprog(
        model.cost,
        A_ub=np.vstack([matrix[below], -matrix[~below]]),
        b_ub=np.concatenate([model.row_upper[below], -model.row_lower[~below]]),
        A_eq=matrix[model.row_lower == model.row_upper],
        b_eq=model.row_lower[model.row_lower == model.row_upper],
    )
    assert certified(model, multipliers) < solved.fun
    assert bucket_bound(workload, hours=0.5) == pytest.approx(solved.fun, rel=1e-7)


@pytest.mark.parametrize("hours", [0.0, -1.0, float("inf"), float("nan")])
def test_buckets_of_no_length_are_refused(make, hours):
    with pytest.raises(InputError, match=r"/hours: found .*, expected a bucket of > 0 hours"):
        bucket_bound(_two(make), hours=hours)


def test_more_columns_than_fit_into_memory_are_refused(make):
    with pytest.raises(InputError, match="/hours: found 1e-09, expected longer buckets"):
        bucket_bound(_two(make), hours=1e-9)


def test_few_slow_cheap_gpus_are_not_left_out_for_fast_dear_ones(make):
    types = {"A2": [1.0, 2.0], "B1": [100.0]}
    hours = [{"A": [inf, 2.0], "B": [1.0]}]
    workload = make(types, [["A2"], ["B1"]], hours, release=[0], due=[9])
    assert bucket_bound(workload, hours=1.0) == pytest.approx(4.0)
    assert simulate(workload, policy("queue:pedf", workload)).totals.cost == 4.0


def test_nodes_of_several_classes_have_hours_of_their_own(make):
    """Three jobs at once on three of four nodes, in time: nobody waits."""
    types = {"A1": [5.0], "B1": [1.0], "C1": [7.0]}
    nodes = [["A1"], ["B1"], ["B1"], ["B1", "C1"]]
    hours = [{"B": [1.0]}] * 3
    workload = make(types=types, nodes=nodes, hours=hours, due=[1] * 3, weight=[50.0] * 3)
    for hours in (0.25, 0.5, 1.0):
        assert bucket_bound(workload, hours=hours) == pytest.approx(3.0)
