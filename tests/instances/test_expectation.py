"""The expected first ending E[min t] against enumeration over all outcomes."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.documents import to_instance
from rsjs.instances.expectation import remaining_law
from rsjs.instances.solution import Solution


def _enumerated(instance, solution):
    """Node prices times E[min], over all joint outcomes of the jobs of a node."""
    placement = costs.place(instance, solution)
    total = 0.0
    for n, price in enumerate(costs.node_prices(instance, solution, placement).tolist()):
        laws = []
        for r in (placement.node == n).nonzero()[0].tolist():
            left, probability = remaining_law(instance, int(placement.running[r]))
            rate = placement.hours[r] / (left @ probability)
            laws.append([(rate * x, p) for x, p in zip(left, probability, strict=True)])
        for outcome in product(*laws) if laws else ():
            total += price * min(t for t, _ in outcome) * prod(p for _, p in outcome)
    return total


@given(rng=st.randoms(use_true_random=False))
def test_wait_and_see_energy_is_the_enumerated_one(random_document, random_decision, rng):
    document = random_document(rng, "first_ending")
    document["objective"]["expectation"] = "expected"
    instance = to_instance(document)
    solution = random_decision(instance, rng)
    assume((solution.job_node >= 0).any())
    verdict = check(instance, solution)
    assert verdict.wait_and_see_energy == pytest.approx(_enumerated(instance, solution))
    assert verdict.wait_and_see_energy <= verdict.terms["energy"] * (1 + 1e-9)  # Jensen


def test_two_jobs_by_hand(example):
    document = example(expectation="expected")
    document["jobs"][0] |= {"law": "short", "epochs_done": 2}  # 2 or 6 left, 1/3 and 2/3
    solution = Solution.of([0, 0, -1], [1, 1, 0], [0, -1, -1])
    # a: 0.8 or 2.4 h; b: 0.1, 0.5 or 1.3 h with 1/4, 1/4, 1/2
    first = 0.1 / 4 + 0.5 / 4 + (0.8 / 3 + 1.3 * 2 / 3) / 2
    verdict = check(to_instance(document), solution)
    assert verdict.wait_and_see_energy == pytest.approx(1.2 * first)
    assert verdict.terms["energy"] == pytest.approx(1.2 * 0.2 * 4)


@pytest.mark.parametrize("kind", ["worst_case", "mean"])
def test_without_a_law_there_is_nothing_to_wait_for(example, kind):
    solution = Solution.of([0, -1, -1], [1, 0, 0], [0, -1, -1])
    verdict = check(to_instance(example(expectation=kind)), solution)
    assert verdict.feasible
    assert verdict.wait_and_see_energy is None
