"""Iterations of the randomized greedy against the published words, one job and node at a time."""

from random import Random

import numpy as np
import pytest

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import chances, prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.instances.generators import jahani
from rsjs.instances.io.deserialization import to_instance
from tests.heuristics.greedy.plain_greedy import PlainGreedy


@pytest.mark.slow
@pytest.mark.parametrize("rule", RANDOMIZED_RULES)
def test_iterations_are_as_printed(random_document, rule):
    differ = 0
    instances = [to_instance(random_document(Random(seed))) for seed in range(40)]
    # sets of nodes take several words; most jobs wait
    instances += [
        jahani.generate(nodes=n, jobs=j, seed=3, due="tight") for n, j in ((70, 40), (5, 90))
    ]
    for seed, instance in enumerate(instances):
        tables = prepared(instance, RANDOMIZED_RULES[rule], seed=seed)
        constructions = Constructions(tables)
        constructions.costs(1, 6)
        for iteration in range(2, 7):
            plain = PlainGreedy(instance, rule, tables.streams(iteration, 1))
            found = constructions.schedule(iteration)
            assert found.same_as(plain.decide()), (seed, iteration)
            differ += not found.same_as(greedy.decide(instance, rule))
    assert differ > 12


def test_chances_are_inverse_to_what_sorts_the_candidates(make):
    instance = make(
        types={"A1": 1, "B1": 2, "C1": 4, "D1": 8},
        groups=[(1, ["A1", "B1", "C1", "D1"])],
        hours=[
            {"A": [2], "B": [2], "C": [2], "D": [2]},  # 2, 4, 8, 16 $
            {"A": [2], "B": [9], "C": [8], "D": [7]},  # one in time
            {"A": [8], "B": [4], "C": [2], "D": [9]},  # all late: 2, 4, 8 h
            {"A": [1], "B": [1]},  # 1, 2 $
        ],
        due=[9, 3, 1, 9],
    )
    hours, price = instance.hours_per_epoch, [[0, 1], [0, 2], [0, 4], [0, 8]]
    ranking = candidates.ranking(instance, hours, np.array(price, dtype=float), strict=True)
    chance = chances(ranking, 3)
    assert chance[0].tolist() == pytest.approx([4 / 7, 6 / 7, 2])
    assert chance[1].tolist() == [2, 2, 2]
    assert chance[2].tolist() == pytest.approx([4 / 7, 6 / 7, 2])
    assert chance[3].tolist() == pytest.approx([2 / 3, 2, 2])


def test_free_candidates_share_all_chances(make):
    types = {"A1": 0, "B1": 0, "C1": 5}
    instance = make(types, [{"A": [1], "B": [2], "C": [1]}], groups=[(1, [*types])], due=[9])
    hours, price = instance.hours_per_epoch, np.array([[0.0, 0], [0, 0], [0, 5]])
    ranking = candidates.ranking(instance, hours, price, strict=True)
    assert chances(ranking, 3).tolist() == [[0.5, 2, 2]]


@pytest.mark.parametrize(("rule", "share"), [("code", 0.55), ("paper", 0.45)])
def test_a_heavier_job_is_passed_as_often_as_the_rule_says(make, rule, share):
    # one GPU: the job that comes first runs; j0 is the more pressing one
    instance = make({"A1": 1}, [{"A": [5]}, {"A": [4]}], due=[1, 1], weight=[2, 1])
    constructions = Constructions(prepared(instance, RANDOMIZED_RULES[rule], seed=1))
    passed = sum(constructions.schedule(i).job_node[1] == 0 for i in range(2, 2002))
    assert passed / 2000 == pytest.approx(share, abs=0.035)  # three standard deviations
