"""1000 iterations of the randomized greedy at 100 x 400, and greedy, preparation included."""

from __future__ import annotations

import pytest

from rsjs.heuristics import greedy
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.randomized_engines import Batched, Compiled
from rsjs.heuristics.randomized_rules import RULES
from rsjs.heuristics.randomized_tables import prepare
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.generators.jahani import generate

numba = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")


@pytest.fixture(scope="module")
def instance():
    made = generate(nodes=100, jobs=400, seed=1, due="tight")
    costs.tables(made)
    return made


@pytest.mark.parametrize("engine", [pytest.param(Compiled, marks=numba), Batched])
@pytest.mark.parametrize("rule", RULES)
def test_randomized_greedy(benchmark, instance, engine, rule):
    def decide():
        ready = engine(prepare(instance, RULES[rule]))
        return ready.schedule(1 + int(ready.costs(1, 1000).argmin()))

    engine(prepare(instance, RULES[rule])).costs(1, 1)  # compiles
    verdict = check(instance, complete(instance, benchmark(decide)))
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible


@numba
@pytest.mark.parametrize("rule", RULES)
def test_compiled_greedy(benchmark, instance, rule):
    from rsjs.heuristics import greedy_compiled

    greedy_compiled.decide(instance, rule)  # compiles
    decision = benchmark(greedy_compiled.decide, instance, rule)
    assert decision.same_as(greedy.decide(greedy.prepare(instance, rule)))


@pytest.mark.parametrize("rule", RULES)
def test_prepare(benchmark, instance, rule):
    prepared = benchmark(greedy.prepare, instance, rule)
    assert check(instance, complete(instance, greedy.decide(prepared))).feasible


@pytest.mark.parametrize("rule", RULES)
def test_decide(benchmark, instance, rule):
    decision = benchmark(greedy.decide, greedy.prepare(instance, rule))
    verdict = check(instance, complete(instance, decision))
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible
