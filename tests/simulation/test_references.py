"""Baselines: by hand, and where they stand to the bound and to the policies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.instances.generators import sts
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.references import clairvoyant_greedy, infinite_cluster


def _one(make, realised, **changed):
    """One job of 1 or 3 epochs: 2 h each for 2 $, or 1 h each for 3 $ on two GPUs; due in 5 h."""
    given = {
        "types": {"A2": [1.0, 2.0], "B2": [1.5, 3.0]},
        "nodes": [["A2"], ["B2"]],
        "hours": [{"A": [2.0], "B": [2.0, 1.0]}],
        "release": [1],
        "due": [6],
        "weight": [100],
        "law": [[1, 1], [3, 1]],
        "realised": [realised],
    }
    return make(**given | changed)


def test_the_profile_begins_slowly_and_is_in_time_with_the_last_epoch(make):
    """Two epochs for 2 $ in 4 h, then one for 3 $ in 1 h: 5 h, if it goes on so long."""
    assert infinite_cluster(_one(make, 3)) == pytest.approx(2 + 2 + 3)
    assert infinite_cluster(_one(make, 1)) == pytest.approx(2.0)


def test_a_job_that_cannot_be_in_time_takes_its_fastest_configuration(make):
    assert infinite_cluster(_one(make, 3, due=[3])) == pytest.approx(3 * 3 + 100 * (3 - 2))


def test_clairvoyant_greedy_knows_when_a_job_ends(make):
    """Greedy has to reckon with three epochs of 1 h; one epoch alone can take the 2 h for 2 $."""
    short = _one(make, 1)
    assert simulate(short, policy("queue:greedy", short)).totals.cost == pytest.approx(3.0)
    assert clairvoyant_greedy(short) == pytest.approx(2.0)


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_they_are_schedules_so_not_below_the_bound(rng, random_workload):
    workload = random_workload(rng)
    options = Options(deviation=rng.choice([0.0, 0.2]), boot=rng.choice([0.0, 0.1]), period=2.0)
    bound = capacity_free_bound(workload, options) * (1 - 1e-9) - 1e-9
    assert bound <= infinite_cluster(workload, options)
    assert bound <= clairvoyant_greedy(workload, options)


def test_without_uncertainty_both_are_what_they_are_for_everybody():
    workload = sts.workload(nodes=4, jobs=20, seed=1, laws="fixed")
    greedy = simulate(workload, policy("queue:greedy", workload)).totals.cost
    assert clairvoyant_greedy(workload) == greedy
    assert infinite_cluster(workload) == pytest.approx(capacity_free_bound(workload))


def test_what_is_known_is_worth_something():
    workload = sts.workload(nodes=4, jobs=40, seed=1)
    greedy = simulate(workload, policy("queue:greedy", workload)).totals.cost
    told = clairvoyant_greedy(workload)
    assert capacity_free_bound(workload) < told < infinite_cluster(workload) < greedy
