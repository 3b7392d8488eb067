"""The constraints on arrays against the checker, on feasible and on damaged decisions."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances.check import check
from rsjs.instances.costs import execution
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import DECISION_ARRAYS, Solution
from rsjs.simulation.feasibility import Constraints
from rsjs.simulation.policy import Stopped
from rsjs.simulation.state import State


def _damaged(solution, rng):
    arrays = {name: getattr(solution, name).copy() for name in DECISION_ARRAYS}
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice(DECISION_ARRAYS)
        at = rng.randrange(len(arrays[name]))
        arrays[name][at] = rng.choice([-2, -1, 0, 1, 2, 3, 9])
    if rng.random() < 0.05:
        arrays["job_gpus"] = arrays["job_gpus"][:-1]
    return Solution(**arrays)


def _state(instance, before):
    jobs = len(instance.jobs)
    return State(
        workload=instance,
        now=instance.now,
        rows=np.arange(jobs),
        epochs_done=instance.jobs.epochs_done,
        current=before,
        elapsed=0.0,
        number=0,
        seed=0,
        time_limit=1.0,
    )


@given(rng=st.randoms(use_true_random=False))
def test_constraints_and_checker_agree(rng, random_document, random_decision):
    instance = to_instance(random_document(rng))
    before = random_decision(instance, rng)
    solution = _damaged(rng.choice([before, random_decision(instance, rng)]), rng)
    verdict = check(instance, solution)
    constraints = Constraints(instance)
    if verdict.feasible:
        used = constraints.check(_state(instance, before), solution).used
        assert used.tolist() == execution(instance, solution).used.tolist()
    else:
        with pytest.raises(Stopped, match=re.escape(str(verdict.violations[0]))):
            constraints.check(_state(instance, before), solution)


@given(rng=st.randoms(use_true_random=False))
def test_the_fast_way_alone_passes_no_infeasible_decision(rng, random_document, random_decision):
    instance = to_instance(random_document(rng))
    before = random_decision(instance, rng)
    solution = _damaged(rng.choice([before, random_decision(instance, rng)]), rng)
    violations = {v.constraint for v in check(instance, solution).violations} - {"open_nodes"}
    passed = Constraints(instance)._passed(_state(instance, before), solution)
    assert (passed is None) == bool(violations)


@pytest.mark.parametrize(
    ("rule", "on", "placed", "told"),
    [
        ("free", 0, 0, ""),
        ("jahani_eq", 2, 0, ""),
        ("jahani_eq", 2, 1, ""),
        ("jahani_eq", 1, 1, "open_nodes"),
        ("jahani_eq", 3, 1, "open_nodes"),
        ("rsjs_eq", 2, 2, ""),
        ("rsjs_eq", 2, 1, "open_nodes"),
        ("rsjs_eq_feasible", 2, 1, "open_nodes"),
        ("rsjs_eq_feasible", 2, 2, ""),
    ],
)
def test_as_many_nodes_are_selected_as_the_rule_says(make, rule, on, placed, told):
    workload = make(types={"A2": [1.0, 1.0]}, nodes=[["A2"]] * 3, release=[0, 0], due=[9, 9])
    instance = replace(workload.submitted(), objective=replace(workload.objective, open_nodes=rule))
    runs = np.arange(2) < placed
    solution = Solution.of(
        np.where(runs, np.arange(2), -1), runs.astype(int), np.where(np.arange(3) < on, 0, -1)
    )
    constraints = Constraints(instance)
    state = _state(instance, Solution.empty(2, 3))
    if told:
        with pytest.raises(Stopped, match=told):
            constraints.check(state, solution)
    else:
        assert constraints.check(state, solution).used.sum() == placed
