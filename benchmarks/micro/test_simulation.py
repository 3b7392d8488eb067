"""Simulations of 100 jobs on 10 nodes, the log and the bound."""

from __future__ import annotations

import pytest

from benchmarks import simulation_cases as cases
from rsjs.simulation import event_log
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.policy import Status


@pytest.mark.parametrize("law", cases.LAWS)
@pytest.mark.parametrize("policy", cases.POLICIES)
def test_simulate(benchmark, policy, law):
    found = benchmark(cases.prepared(policy, law, 10))
    assert found.status == Status.COMPLETE
    assert found.totals.cost >= capacity_free_bound(cases.case(law, 10))
    benchmark.extra_info["cost"] = found.totals.cost


def test_log(benchmark):
    outcome = cases.prepared("queue:edf", "exp", 10)()
    assert len(benchmark(event_log.text, outcome).splitlines()) == outcome.totals.events + 2


def test_capacity_free_bound(benchmark):
    assert benchmark(capacity_free_bound, cases.case("exp", 10)) > 0
