"""One greedy decision at 100 x 400, and its preparation."""

from __future__ import annotations

import pytest

from rsjs.heuristics import greedy
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.generators.jahani import generate


@pytest.fixture(scope="module")
def instance():
    made = generate(nodes=100, jobs=400, seed=1, due="tight")
    costs.tables(made)
    return made


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_prepare(benchmark, instance, rule):
    prepared = benchmark(greedy.prepare, instance, rule)
    assert check(instance, complete(instance, greedy.decide(prepared))).feasible


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_decide(benchmark, instance, rule):
    decision = benchmark(greedy.decide, greedy.prepare(instance, rule))
    verdict = check(instance, complete(instance, decision))
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible
