"""Randomized greedy: the same on any number of threads, and never worse than greedy."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.heuristics.common.stopping import Iterations
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.randomized import Constructions, search
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.registry import METHODS
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.open_nodes import select_required_nodes


def _constructions(instance, rule, threads=1):
    return Constructions(prepared(instance, RANDOMIZED_RULES[rule], seed=7), threads)


def _random(random_document, seed):
    """A random instance of a kind that the method serves."""
    document = random_document(Random(seed))
    if document["objective"]["open_nodes"].startswith("rsjs_eq"):
        document["objective"]["open_nodes"] = "free"
    return to_instance(document)


def _run(instance, rule, limits=None, **options):
    call = Call(rule=rule, options=options, limits=limits or Limits())
    return METHODS["randomized_greedy"].load()(instance, call, Report())


@pytest.mark.parametrize("rule", RANDOMIZED_RULES)
def test_the_first_iteration_is_greedy_and_costs_are_the_checkers(random_document, rule):
    for seed in range(15):
        instance = _random(random_document, seed)
        made = _constructions(instance, rule)
        assert made.schedule(1).same_as(greedy.decide(instance, rule))
        for iteration, cost in enumerate(made.costs(1, 4).tolist(), start=1):
            verdict = check(instance, select_required_nodes(instance, made.schedule(iteration)))
            assert verdict.feasible, [str(violation) for violation in verdict.violations]
            assert verdict.objective == pytest.approx(cost, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False), rule=st.sampled_from([*RANDOMIZED_RULES]))
def test_never_worse_than_greedy_nor_better_than_the_optimum(random_document, rng, rule):
    document = random_document(rng)
    document["objective"]["open_nodes"] = rng.choice(["free", "jahani_eq"])
    instance = to_instance(document)
    result = _run(instance, rule, iterations=30)
    of_greedy = METHODS["greedy"].load()(instance, Call(rule=rule), Report())
    best = enumeration.best(instance)
    assert best is not None
    assert result.solution is not None
    margin = 1e-12 * max(1.0, abs(of_greedy.objective))
    assert result.objective <= of_greedy.objective + margin
    assert result.objective >= costs.terms(instance, best).total - 1e-9 * (1 + result.objective)
    assert check(instance, result.solution, objective=result.objective).feasible


@pytest.mark.parametrize("rule", RANDOMIZED_RULES)
def test_threads_change_nothing(rule):
    instance = jahani.generate(nodes=20, jobs=80, seed=2, due="tight")
    one, three = (
        _run(instance, rule, Limits(threads=threads, seed=5), iterations=203) for threads in (1, 3)
    )
    assert one.objective == three.objective
    assert one.solution.same_as(three.solution)


def test_seeds_differ_and_repeat():
    instance = jahani.generate(nodes=10, jobs=40, seed=2)
    limits = [Limits(seed=seed) for seed in (0, 1, 2, 0, 1, 2)]
    costs_ = [_run(instance, "paper", one, iterations=20).objective for one in limits]
    assert costs_[:3] == costs_[3:]
    assert len(set(costs_)) == 3


def test_more_iterations_begin_with_the_same_ones():
    instance = jahani.generate(nodes=10, jobs=40, seed=2)
    few, many = (_constructions(instance, "paper").costs(1, n) for n in (10, 60))
    later = _constructions(instance, "paper", threads=2).costs(31, 30)
    assert few.tolist() == many[:10].tolist()
    assert later.tolist() == many[30:].tolist()


class Recorded:
    """Iterations with given costs that records what it is asked."""

    def __init__(self, costs_):
        self.all, self.asked, self.made = costs_, [], []

    def costs(self, first, count):
        self.asked.append((first, count))
        return np.array(self.all[first - 1 : first - 1 + count])

    def schedule(self, iteration):
        self.made.append(iteration)
        return iteration


def test_search_reports_strict_improvements_and_ends_on_time():
    engine, found = Recorded([5, 5, 4, 6, 4, 3, 3, 9, 2, 1]), []
    assert search(engine, Iterations(8), 3, found.append, 3) == 8
    assert engine.asked == [(1, 3), (4, 3), (7, 2)]
    assert found == [3, 6]  # the best of each chunk, the first of equals


def test_the_first_question_comes_early_where_iterations_take_long():
    engine = Recorded([5, 5, 4, 6, 4])
    assert search(engine, Iterations(5), 3, [].append, 1) == 5
    assert engine.asked == [(1, 1), (2, 3), (5, 1)]


def test_time_limit_and_wish_to_stop_leave_a_solution():
    class Asked(Report):
        def stop_requested(self):
            return True

    instance = jahani.generate(nodes=5, jobs=20, seed=1)
    for report, stop in ((Report(0.0), Stop.TIME_LIMIT), (Asked(), Stop.INTERRUPTED)):
        call = Call(options={"iterations": 0})
        result = METHODS["randomized_greedy"].load()(instance, call, report)
        assert result.stop is stop
        assert result.solution is not None
        assert result.counts == {"iterations": 1000}
        assert result.events[-1].incumbent == result.objective


def test_negative_iterations_are_refused():
    with pytest.raises(ValueError, match="iterations=-1, must be >= 0"):
        _run(jahani.generate(nodes=1, jobs=1, seed=1), "code", iterations=-1)
