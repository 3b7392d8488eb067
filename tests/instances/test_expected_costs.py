"""Times, tardiness and E[min t] under the law of the number of epochs, against enumeration."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.costs import remaining_distribution
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution

SHORT = EpochDistribution.of([[2, 1], [4, 1], [8, 2]])


def _remaining(document, job):
    """(epochs left, probability), enumerated; what has run can no longer be."""
    done = Fraction(str(job["epochs_done"]))
    if job["law"] == "fixed":
        return [(job["epochs_max"] - done, Fraction(1))]
    left = [(e - done, weight) for e, weight in document["laws"][job["law"]] if e > done]
    return [(r, Fraction(weight, sum(w for _, w in left))) for r, weight in left]


def _mean(document, job):
    pairs = document["laws"].get(job["law"], [[job["epochs_max"], 1]])
    return Fraction(sum(e * w for e, w in pairs), sum(w for _, w in pairs))


@given(rng=st.randoms(use_true_random=False))
def test_every_configuration_costs_what_enumeration_says(random_document, rng):
    document = random_document(rng)
    instance = to_instance(document)
    table, kind = costs.cost_tables(instance), document["objective"]["expectation"]
    for j, job in enumerate(document["jobs"]):
        law, slack = _remaining(document, job), job["due"] - document["now"]
        done = Fraction(str(job["epochs_done"]))
        epochs = sum(r * p for r, p in law)
        if kind != "expected":
            mean, worst = _mean(document, job), job["epochs_max"] - done
            epochs = mean - done if kind == "mean" and done < mean else worst
            law = [(epochs, Fraction(1))]

        def late(rate, slack, law=law, job=job):
            return job["weight"] * sum(float(p) * max(0, rate * float(r) - slack) for r, p in law)

        rates = [(instance.hours_per_epoch[j], table.hours[j], table.tardiness[j])]
        shared = instance.shared_hours_per_epoch[j]
        rates.append((shared, table.shared_hours[j], table.shared_tardiness[j]))
        for rate, hours, tardiness in rates:
            for at in np.ndindex(rate.shape):
                if np.isinf(rate[at]):
                    assert (hours[at], tardiness[at]) == (np.inf, np.inf)
                else:
                    assert hours[at] == pytest.approx(rate[at] * float(epochs))
                    assert tardiness[at] == pytest.approx(late(rate[at], slack), abs=1e-9)
        slowest = max(r for rate, *_ in rates for r in rate[np.isfinite(rate)].tolist())
        assert table.longest[j] == pytest.approx(slowest * float(epochs))
        postponed = document["rho"] * late(slowest, slack - document["H"])
        assert table.postponement[j] == pytest.approx(postponed, abs=1e-9)


def test_expectations_by_hand(example):
    # b: W > 1.5 leaves 0.5, 2.5, 6.5 epochs with 1/4, 1/4, 1/2: 4 on average
    table = costs.cost_tables(to_instance(example(expectation="expected")))
    assert table.hours[1, 0, 1] == pytest.approx(0.2 * 4)
    assert table.shared_hours[1, 0, 1] == pytest.approx(0.4 * 4)
    assert table.shared_tardiness[1, 0, 1] == pytest.approx(0.5 * (0.4 * 6.5 - 1) / 2)
    assert table.postponement[1] == pytest.approx(100 * 0.5 * 0.4 * 4)


@pytest.mark.parametrize(
    ("done", "left"),
    [
        (0, (2 + 4 + 16) / 4),
        (1.99, (2 + 4 + 16) / 4 - 1.99),
        (2, (4 + 16) / 3 - 2),  # the run goes on at epoch 2: it is not one of two epochs
        (3.5, (4 + 16) / 3 - 3.5),
        (4, 4),
        (7.75, 0.25),
    ],
)
def test_the_law_is_conditional_on_the_epochs_done(done, left):
    assert SHORT.mean_remaining(np.array([done])).tolist() == pytest.approx([left])


@pytest.mark.parametrize(
    ("done", "epochs"),
    [(0, 5.5), (4, 1.5), (5.25, 0.25), (5.5, 2.5), (6, 2)],  # E[W] = 5.5: then the worst case
)
def test_the_mean_baseline_turns_to_the_worst_case_at_the_mean(example, done, epochs):
    document = example(expectation="mean")
    document["jobs"][1]["epochs_done"] = done
    assert costs.cost_tables(to_instance(document)).hours[1, 0, 1] == pytest.approx(0.2 * epochs)


def test_the_fixed_law_is_the_worst_case_under_every_expectation(example):
    tables = [
        costs.cost_tables(to_instance(example(expectation=kind)))
        for kind in ("worst_case", "mean", "expected")
    ]
    for table in tables[1:]:
        np.testing.assert_allclose(table.hours[0], tables[0].hours[0])
        np.testing.assert_allclose(table.tardiness[0], tables[0].tardiness[0])
        assert table.postponement[0] == pytest.approx(tables[0].postponement[0])


def test_expected_tardiness_of_an_overdue_job_is_its_expected_end(example):
    document = example(expectation="expected")
    document["jobs"][1]["due"] = -3
    found = costs.cost_tables(to_instance(document)).tardiness[1, 0, 1]
    assert found == pytest.approx(0.5 * (0.2 * 4 + 4))


def test_weights_and_epochs_of_any_allowed_size_keep_their_mean():
    law = EpochDistribution.of([[1, 10**12], [10**9, 10**12]])  # their product exceeds 64 bits
    assert law.mean == pytest.approx((1 + 10**9) / 2)
    assert law.mean_remaining(np.array([1.0])).tolist() == [10**9 - 1]


def test_the_last_epoch_is_the_last_with_mass():
    assert EpochDistribution.of([[3, 1], [5, 2], [9, 0]]).last == 5


def _enumerated(instance, solution):
    """Node prices times E[min], over all joint outcomes of the jobs of a node."""
    placement = costs.execution(instance, solution)
    total = 0.0
    for n, price in enumerate(costs.node_prices(instance, solution, placement).tolist()):
        laws = []
        for r in (placement.node == n).nonzero()[0].tolist():
            left, probability = remaining_distribution(instance, int(placement.running[r]))
            rate = placement.hours[r] / (left @ probability)
            laws.append([(rate * x, p) for x, p in zip(left, probability, strict=True)])
        for outcome in product(*laws) if laws else ():
            total += price * min(t for t, _ in outcome) * prod(p for _, p in outcome)
    return total


@settings(max_examples=settings().max_examples // 2)
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
