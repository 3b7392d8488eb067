"""Greedy by compiled kernels decides as greedy in numpy."""

from random import Random

import pytest

from rsjs.heuristics import greedy
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.registry import METHODS
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import jahani
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import FAMILIES

RULES = [*greedy.RULES]


def _decide(instance, rule):
    from rsjs.heuristics import greedy_compiled

    return greedy_compiled.decide(instance, rule)


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_both_engines_decide_alike(random_document, random_instance, rule):
    instances = [to_instance(random_document(Random(seed))) for seed in range(60)]
    instances += [random_instance(seed, FAMILIES["kiros"]) for seed in range(20)]
    # 130 nodes: sets of them take several words
    instances += [jahani.generate(nodes=n, jobs=150, seed=1, due="tight") for n in (10, 130)]
    for instance in instances:
        numpy = greedy.decide(greedy.prepare(instance, rule))
        assert _decide(instance, rule).same_as(numpy), instance.name


@pytest.mark.parametrize("rule", RULES)
def test_kernels_are_the_python_they_are_written_in(random_document, rule, plain_kernels, reloaded):
    for seed in range(30):
        instance = to_instance(random_document(Random(seed)))
        numpy = greedy.decide(greedy.prepare(instance, rule))
        assert _decide(instance, rule).same_as(numpy)


@pytest.fixture
def reloaded(plain_kernels, monkeypatch):
    """The module that holds the kernels is imported again."""
    import sys

    import rsjs.heuristics as package

    monkeypatch.delitem(sys.modules, "rsjs.heuristics.greedy_compiled", raising=False)
    monkeypatch.delattr(package, "greedy_compiled", raising=False)


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_engines_of_the_method_give_the_same_result(rule):
    instance = jahani.generate(nodes=10, jobs=40, seed=1)
    results = [
        METHODS["greedy"].load()(instance, Call(rule=rule, options={"engine": engine}), Report())
        for engine in ("numba", "numpy")
    ]
    assert results[0].objective == results[1].objective
    assert results[0].solution.same_as(results[1].solution)


@pytest.mark.parametrize("engine", ["numpy", "kernels"])
@pytest.mark.parametrize("rule", [*greedy.RULES])
@pytest.mark.parametrize("due", [(900, 901, 902), (901, 900, 902)])
def test_of_jobs_that_gain_as_much_the_first_gets_them_whoever_was_placed(make, rule, due, engine):
    """Each runs on one GPU of four, the cheapest; the most pressing one is placed first."""
    instance = make({"A4": [0.1, 1, 2, 3]}, [{"A": [10, 8]}] * 3, due=due)
    if engine == "numpy":
        found = greedy.decide(greedy.prepare(instance, rule))
    else:
        from rsjs.heuristics import greedy_compiled

        found = greedy_compiled.decide(instance, rule)
    assert (found.job_node.tolist(), found.job_gpus.tolist()) == ([0, 0, 0], [2, 1, 1])
