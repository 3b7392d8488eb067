"""ROLL: what a decision costs, against all numbers of epochs there are, and what it chooses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.instances.costs import remaining_distribution
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import jahani, sts
from rsjs.methods import parse
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Kind
from rsjs.simulation.policies import roll
from rsjs.simulation.policies.registry import deciders, policy
from rsjs.simulation.policies.roll import step, useful
from rsjs.simulation.policy import Status


def alone(workload, now=0.0):
    """The jobs of a workload at a time."""
    return replace(workload.submitted(), now=now)


def two_speeds(make, due=15.2, weight=100.0):
    """An hour and 1 $ for an epoch, or 0.6 h and 1.2 $; 10 or 20 epochs."""
    job = {"due": [due], "weight": [weight], "law": [[10, 1], [20, 1]], "realised": [20]}
    return make({"A2": [1.0, 2.0]}, hours=[{"A": [1.0, 0.6]}], **job, family="sts")


def test_the_cost_to_go_is_that_of_the_optimal_profile(make):
    """8 epochs slowly and 12 fast, of which the last 10 with probability 1/2: 16.4 $."""
    found = roll.values(alone(two_speeds(make)), 1.0)
    assert found.running[0, 0].tolist() == [np.inf, pytest.approx(16.4), pytest.approx(16.4)]
    assert found.waiting[0] == pytest.approx(16.9)  # 5.5 epochs slowly, 14.5 fast


def test_a_job_that_cannot_be_in_time_pays_for_what_is_to_come_only(make):
    """Due 2 h ago, 1 $ for an hour: slowly 10 h or 20 h at 2 $, fast 6 h or 12 h at 3 $."""
    found = roll.values(alone(two_speeds(make, due=-2.0, weight=1.0)), 3.0)
    slow, fast = 2 * (10 + 20) / 2, 3 * (6 + 12) / 2
    after = 3 / 1.0 * 0.6 * 3  # $ of the epochs of 3 h slowly, if they were fast
    assert found.running[0, 0, 2] == pytest.approx(fast)
    assert found.running[0, 0, 1] == pytest.approx(min(slow, 2 * 3 + fast - after))
    assert found.waiting[0] == pytest.approx(3 + fast)


def enumerated(instance, j, hours, rate, power):
    """What job j costs at a rate for the next hours, over all numbers of epochs, without V*."""
    left, probability = remaining_distribution(instance, j)
    slack = max(0.0, instance.jobs.due[j] - instance.now)
    ran = np.minimum(hours, rate * left)
    late = np.maximum(0.0, ran - np.minimum(slack, ran))
    return float(probability @ (power * ran + instance.jobs.weight[j] * late))


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_the_next_hours_cost_what_all_numbers_of_epochs_say(rng, random_workload):
    """A decision for ever: no job goes on after the last epoch, V* counts for nothing."""
    workload = random_workload(rng)
    laws = [
        most if law == FIXED else workload.laws[law].last
        for law, most in zip(workload.jobs.law, workload.jobs.epochs_max.tolist(), strict=True)
    ]
    done = np.array([rng.choice([0.0, 0.5, last - 0.25]) for last in laws])
    at = rng.choice([0.0, 3.0, 30.0])
    jobs = replace(workload.jobs, epochs_done=done)
    instance = replace(alone(workload, float(jobs.release[-1]) + at), jobs=jobs)
    found = roll.values(instance, 1e6)
    for j, gpu, k in zip(*np.nonzero(np.isfinite(found.model.rate)), strict=True):
        rate, power = found.model.rate[j, gpu, k], found.model.power[j, gpu, k]
        expected = enumerated(instance, int(j), 1e6, rate, power)
        assert found.running[j, gpu, k] == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_step_costs_at_least_v_star_where_lateness_is_free_or_unbearable(rng, random_workload):
    """
    V* can change what a step cannot, and is the cost of doing the best from now on.

    Where a job may be late a little, what is best is neither a profile in time nor one
    configuration to the end, and a step towards it may cost less than V*.
    """
    workload = random_workload(rng)
    weight = np.array([rng.choice([0.0, 1e6]) for _ in workload.jobs.id])
    workload = replace(workload, jobs=replace(workload.jobs, weight=weight))
    instance = alone(workload, float(workload.jobs.release[-1]))
    start = roll.values(instance, 1e-15)
    for hours in (0.1, 1.0, 5.0):
        later = roll.values(instance, hours)
        best = later.running.reshape(len(later.running), -1).min(axis=1)
        assert (best >= start.waiting * (1 - 1e-6) - 1e-6).all()
        assert (later.waiting >= start.waiting * (1 - 1e-6) - 1e-6).all()


def test_more_gpus_are_offered_only_if_they_save_more():
    saving = np.array(
        [[[-np.inf, 2.0, 2.0, 3.0], [1.0, 0.5, -1.0, 4.0]], [[-np.inf, -1, 0, -2]] * 2]
    )
    found = useful(saving, np.array([[0, 3], [0, 0]]))
    columns = (found.job, found.gpu, found.count, found.units, found.saving)
    assert [*zip(*(column.tolist() for column in columns), strict=True)] == [
        (0, 1, 3, 0, 4.0),
        (0, 0, 3, 0, 3.0),
        (0, 0, 1, 0, 2.0),
        (0, 1, 0, 3, 1.0),
    ]


@pytest.mark.parametrize(
    ("release", "hours"), [([5.0], 1.0), ([5.0, 5.0], 0.05), ([0.0, 0.2, 0.3], 0.3), ([0, 9], 1.0)]
)
def test_the_step_is_twice_the_mean_gap_so_far(release, hours):
    assert step(np.array(release)) == pytest.approx(hours)


def test_a_job_alone_follows_its_profile_hour_by_hour(make):
    workload = two_speeds(make)
    found = simulate(workload, policy("roll", workload))
    assert found.completed_at == pytest.approx([15.2])
    assert found.totals.energy == pytest.approx(22.4)
    assert [r.time for r in found.records] == pytest.approx([*range(16), 15.2])
    assert {r.kinds for r in found.records[1:-1]} == {(Kind.SWITCH,)}


def test_gpus_go_where_they_save_most(make):
    """One GPU, one job that must run now and one that can wait, whatever their order."""
    for due in ([1.0, 5.0], [5.0, 1.0]):
        workload = make(release=[0.0, 0.0], due=due)
        found = simulate(workload, policy("roll", workload))
        assert found.totals.tardiness == 0
        assert found.completed_at.argmin() == due.index(1.0)


def test_what_is_left_is_used_by_jobs_that_could_wait(make):
    workload = make(nodes=[["A1"], ["A1"]], release=[0.0, 0.0], due=[9.0, 9.0])
    assert simulate(workload, policy("roll", workload)).completed_at.tolist() == [1.0, 1.0]


@pytest.mark.solver
@pytest.mark.parametrize(
    "workload",
    [
        sts.workload(nodes=1, jobs=4, seed=2, gap_seconds=100, sharing="paper"),
        jahani.workload(nodes=2, jobs=16, seed=1, gap_seconds=0.1),
        sts.workload(nodes=2, jobs=10, seed=1, mix="kma", law="high"),
    ],
    ids=["shares", "jahani", "kma"],
)
def test_crowded_workloads_are_served_the_same_way_each_time(workload):
    first, second = (simulate(workload, policy("roll", workload)) for _ in range(2))
    assert (first.status, first.message) == (Status.COMPLETE, "")
    assert first.totals == second.totals
    assert first.totals.longest_queue > 0


@pytest.mark.solver
@pytest.mark.parametrize("gap", [50_000, 14_000])
def test_it_costs_less_than_the_others_at_every_load(gap):
    """sts-km, N = 6: at most 1.07 of the bound, with a quarter and 3/4 of the GPUs in use."""
    workload = sts.workload(nodes=6, jobs=40, seed=2, gap_seconds=gap)
    spellings = ("roll", "queue:pedf", "queue:greedy", "sts:literal", "sts:fallback")
    roll, *rest = (simulate(workload, policy(one, workload)).totals.cost for one in spellings)
    assert capacity_free_bound(workload) <= roll <= 1.07 * capacity_free_bound(workload)
    assert roll < min(rest)


def test_a_decision_that_takes_too_long_ends_the_run(monkeypatch):
    def late(*_):
        raise TimeoutError("HiGHS: Time limit reached, no choice within 0.5 s")

    monkeypatch.setattr("rsjs.simulation.policies.roll.choose", late)
    workload = sts.workload(nodes=2, jobs=3, seed=1)
    found = simulate(workload, policy("roll", workload), Options(decision_limit=0.5))
    assert found.status == Status.ERROR
    assert "no choice within 0.5 s" in found.message


def test_it_is_spelled_as_a_policy_only():
    assert parse("roll", deciders()).spelling == "roll"
    assert [name for name in deciders() if name == "roll"] == ["roll"]
