"""Policies that skip what a decision does not need decide as their methods do."""

from __future__ import annotations

import numpy as np
import pytest

from rsjs.heuristics import survival_steps
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.instances.generators import sts
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, whole


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("law", ["exp", "high"])
@pytest.mark.parametrize("rule", ["code", "paper"])
def test_greedy_without_prices_decides_as_the_method_does(rule: str, law: str) -> None:
    workload = sts.workload(nodes=5, jobs=30, seed=3, mix="kma", law=law)
    one, other = (
        simulate(workload, policy(f"greedy:{rule}?engine={engine}", workload))
        for engine in ("numpy", "numba")
    )
    assert one.totals == other.totals
    assert np.array_equal(one.completed_at, other.completed_at)
    assert one.totals.completed == 30


def test_steps_of_a_part_are_those_of_its_own_laws() -> None:
    workload = sts.workload(nodes=5, jobs=30, seed=4)
    known, looked_at = WorkloadData(whole(workload)), 0
    inner = policy("queue:greedy", workload)

    def decide(state: State, memory: object) -> Choice:
        nonlocal looked_at
        laws = [state.instance.laws[law] for law in state.instance.jobs.law]
        of = known.jobs(state).steps
        own = survival_steps.steps(laws, np.arange(len(laws)), state.epochs_done)
        assert np.array_equal(of.first, own.first)
        assert np.array_equal(of.done, own.done)
        assert np.array_equal(of.end[of.law, -1], own.end[own.law, -1])
        assert np.array_equal(of.height[of.law, of.first], own.height[own.law, own.first])
        looked_at += len(laws)
        return inner.decide(state, memory)

    simulate(workload, Policy(spelling="watched", decide=decide))
    assert looked_at > 30
