"""1000 iterations of the randomized greedy at 100 x 400, and greedy, preparation included."""

from __future__ import annotations

import pytest

from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.open_nodes import select_required_nodes


@pytest.fixture(scope="module")
def instance():
    made = generate(nodes=100, jobs=400, seed=1, due="tight")
    costs.cost_tables(made)
    return made


@pytest.mark.parametrize("rule", RANDOMIZED_RULES)
def test_randomized_greedy(benchmark, instance, rule):
    def decide():
        constructions = Constructions(prepared(instance, RANDOMIZED_RULES[rule]))
        return constructions.schedule(1 + int(constructions.costs(1, 1000).argmin()))

    Constructions(prepared(instance, RANDOMIZED_RULES[rule])).costs(1, 1)  # compiles
    verdict = check(instance, select_required_nodes(instance, benchmark(decide)))
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible


@pytest.mark.parametrize("rule", RANDOMIZED_RULES)
def test_greedy(benchmark, instance, rule):
    greedy.decide(instance, rule)  # compiles
    verdict = check(
        instance, select_required_nodes(instance, benchmark(greedy.decide, instance, rule))
    )
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible
