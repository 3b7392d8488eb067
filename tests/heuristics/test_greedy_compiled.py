"""Greedy by compiled kernels decides as greedy in numpy."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from rsjs.heuristics import greedy
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.registry import METHODS
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import jahani
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import FAMILIES, Instance, Objective

RULES = [*greedy.RULES]


def _decide(instance: Instance, rule: str) -> Any:
    from rsjs.heuristics import greedy_compiled

    return greedy_compiled.decide(instance, rule)


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_random_instances(
    random_document: Callable[..., Any],
    random_instance: Callable[[int, Objective], Instance],
    rule: str,
) -> None:
    instances = [to_instance(random_document(Random(seed))) for seed in range(300)]
    instances += [random_instance(seed, FAMILIES["kiros"]) for seed in range(100)]
    for instance in instances:
        numpy = greedy.decide(greedy.prepare(instance, rule))
        assert _decide(instance, rule).same_as(numpy), instance.name


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_more_nodes_than_bits_of_a_word(rule: str) -> None:
    instance = jahani.generate(nodes=130, jobs=400, seed=1, catalogue="azure", due="tight")
    numpy = greedy.decide(greedy.prepare(instance, rule))
    assert _decide(instance, rule).same_as(numpy)


@pytest.mark.parametrize("rule", RULES)
def test_kernels_are_the_python_they_are_written_in(
    random_document: Callable[..., Any], rule: str, plain_kernels: None, reloaded: None
) -> None:
    for seed in range(30):
        instance = to_instance(random_document(Random(seed)))
        numpy = greedy.decide(greedy.prepare(instance, rule))
        assert _decide(instance, rule).same_as(numpy)


@pytest.fixture
def reloaded(plain_kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that holds the kernels is imported again."""
    import sys

    import rsjs.heuristics as package

    monkeypatch.delitem(sys.modules, "rsjs.heuristics.greedy_compiled", raising=False)
    monkeypatch.delattr(package, "greedy_compiled", raising=False)


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_engines_of_the_method_give_the_same_result(rule: str) -> None:
    instance = jahani.generate(nodes=10, jobs=40, seed=1)
    results = [
        METHODS["greedy"].load()(instance, Call(rule=rule, options={"engine": engine}), Report())
        for engine in ("numba", "numpy")
    ]
    assert results[0].objective == results[1].objective
    assert results[0].solution.same_as(results[1].solution)
