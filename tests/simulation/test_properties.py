"""Random workloads under random decisions: what holds whatever a policy does."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.simulation import event_log
from rsjs.simulation.bounds import capacity_free_bound, workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy, Status


def _random_policy(random_decision):
    """Preempts, moves and shares at random, and wants to be called again at random."""

    def decide(state, memory):
        rng = Random(state.seed)
        change = np.full(len(state.rows), np.inf)
        change[0] = rng.choice([np.inf, 0.5, 3.0])
        return Choice(solution=random_decision(state.instance, rng), change=change)

    return Policy(spelling="random", decide=decide)


def _options(rng):
    return Options(
        energy=rng.choice(["curve", "gpu", "node", "base:0.3"]),
        boot=rng.choice([0.0, 0.0, 0.1]),
        checkpoint="continuous",
        events=rng.choice(["gathered", "gathered", "authors"]),
        period=2.0,
        deviation=rng.choice([0.0, 0.2]),
        denominator=rng.choice(["predicted", "real"]),
        seed=rng.randint(0, 99),
    )


def _case(rng, random_workload, random_decision):
    workload, options = random_workload(rng), _options(rng)
    return workload, options, simulate(workload, _random_policy(random_decision), options)


def _dedicated(records):
    """GPU-hours of dedicated GPUs, job by job."""
    runs, hours = {}, 0.0
    for before, after in pairwise(records):
        runs = {j: k for j, k in runs.items() if j not in {*before.completed, *before.wait}}
        runs |= {name: gpus for name, (_, gpus, _) in before.run.items()}
        hours += sum(runs.values()) * (after.time - before.time)
    return hours


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_conservation_the_clock_and_the_bound(rng, random_workload, random_decision):
    workload, options, found = _case(rng, random_workload, random_decision)
    jobs, totals = workload.jobs, found.totals
    assert (found.status, found.message) == (Status.COMPLETE, "")
    assert all(a.time <= b.time for a, b in pairwise(found.records))
    assert all(a.energy <= b.energy for a, b in pairwise(found.records))
    assert sorted(j for r in found.records for j in r.arrived) == sorted(jobs.id)
    assert sorted(j for r in found.records for j in r.completed) == sorted(jobs.id)
    assert (found.completed_at > jobs.release).all()
    late = np.maximum(0, found.completed_at - jobs.due)
    assert totals.tardiness == pytest.approx(float(jobs.weight @ late))
    assert totals.cost == totals.energy + totals.tardiness
    assert 0 <= totals.utilisation <= 1 + 1e-9
    assert found.records[-1].in_use == [0] * len(workload.cluster.gpu_types)
    hours = np.zeros(len(workload.cluster.gpu_types))
    for before, after in pairwise(found.records):
        hours += np.array(before.in_use) * (after.time - before.time)
    assert [*totals.gpu_hours.values()] == pytest.approx(hours.tolist())
    assert _dedicated(found.records) <= sum(hours) * (1 + 1e-9) + 1e-9
    free, above = capacity_free_bound(workload, options), totals.cost * (1 + 1e-9) + 1e-9
    assert free * (1 - 1e-8) <= workload_bound(workload, options).value <= above


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 4)
def test_same_seed_same_log(seed, random_workload, random_decision):
    given = random_workload, random_decision
    texts = [event_log.text(_case(Random(seed), *given)[2]) for _ in range(2)]
    assert texts[0] == texts[1]
