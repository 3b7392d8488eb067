"""The bound of the prices holds for every multiplier, and the search finds good ones."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.ruin_recreate import dual_prices, ruin_recreate
from rsjs.heuristics.ruin_recreate.construction import run
from rsjs.heuristics.ruin_recreate.dual_prices import (
    SmoothedDual,
    best_price,
    best_prices,
    dual_columns,
)
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.open_nodes import select_required_nodes
from tests.heuristics.builders import optimum, served


def least_cost(instance):
    """Cost of an optimal decision; inf if there is no decision."""
    least = optimum(instance)
    return np.inf if least is None else least


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False), data=st.data())
def test_any_multipliers_give_a_lower_bound(random_document, rng, data):
    instance = served(random_document, rng)
    priced = dual_columns(instance)
    size = 10.0 ** data.draw(st.integers(-3, 3))
    above = [data.draw(st.floats(0, 1)) * size for _ in priced.limit]
    x = np.where(np.isinf(priced.lower), -size, priced.lower) + above
    least = least_cost(instance)
    assert priced.bound(x) <= least + 1e-9 * max(1.0, abs(least))


@given(rng=st.randoms(use_true_random=False))
def test_prices_found_give_a_lower_bound(random_document, rng):
    instance = served(random_document, rng)
    found, least = dual_prices.find(instance), least_cost(instance)
    assert found.bound <= least + 1e-9 * max(1.0, abs(least))
    assert (found.gain <= 0).all()
    assert found.mix.sum(axis=1) == pytest.approx(1.0)
    assert ((found.mix == 0) | instance.cluster.allowed_in_class).all()


def test_a_bound_computed_by_hand():
    instance = jahani.generate(nodes=3, jobs=7, seed=2)
    table, cluster = costs.cost_tables(instance), instance.cluster
    x = 0.7
    least = 0.0
    for j in range(7):
        value = table.postponement[j]
        for v, node in enumerate(cluster.node_types):
            i, s = int(cluster.gpu_of_type[v]), node.gpus
            for g in range(1, s + 1):
                if np.isfinite(table.hours[j, i, g]):
                    energy = g / s * node.cost[-1] * table.hours[j, i, g]
                    value = min(value, table.tardiness[j, i, g] + energy + x * g / s)
        least += value
    assert dual_columns(instance).bound(np.array([x])) == pytest.approx(least - 3 * x, rel=1e-12)


@pytest.mark.parametrize("catalogue", ["table2", "azure", "server2-11usd"])
def test_bisection_finds_the_best_price(catalogue):
    priced = dual_columns(jahani.generate(nodes=10, jobs=60, seed=1, catalogue=catalogue))
    x, _ = best_price(priced)
    others = x[0] + np.linspace(-2, 2, 101)
    best = max(priced.bound(np.array([y])) for y in others if y >= priced.lower[0])
    assert priced.bound(x) >= best - 1e-9 * abs(best)


@pytest.mark.parametrize(
    "instance",
    [
        kiros.generate(nodes=10, jobs=40, seed=1),
        sts.generate(nodes=10, jobs=40, seed=1, mix="kma"),
        sts.generate(nodes=10, jobs=40, seed=1, sharing="paper"),
    ],
    ids=lambda instance: instance.name,
)
def test_newton_ends_where_no_price_alone_is_much_better(instance):
    priced = dual_columns(instance)
    x, _ = best_prices(priced)
    bound = priced.bound(x)
    for m, factor in np.ndindex(len(x), 5):
        y = x.copy()
        y[m] *= (0.5, 0.9, 0.99, 1.01, 1.1)[factor]
        assert priced.bound(y) <= bound + 0.002 * abs(bound)
    assert bound > 0


def test_the_outline_keeps_followers_and_leaders_that_pay_least_or_most():
    priced = dual_columns(sts.generate(nodes=4, jobs=5, seed=1))
    kept = priced.outline
    assert kept[~priced.leads].all()
    for p in range(len(priced.place_class)):
        here = (priced.place == p) & priced.leads
        most = priced.paid[here].max()
        for column in np.flatnonzero(here):
            assert kept[column] == (priced.paid[column] in (most, priced.room[column]))


def test_fixed_numbers_of_nodes_raise_the_bound():
    free = sts.generate(nodes=6, jobs=8, seed=1)
    fixed = replace(free, objective=replace(free.objective, open_nodes="rsjs_eq"))
    assert dual_prices.find(fixed).bound > dual_prices.find(free).bound


def test_a_search_that_loses_ground_returns_its_best_prices(random_document, monkeypatch):
    """Newton climbs the smoothed dual, whose top may lie below prices passed before."""
    ascend, seen = SmoothedDual.ascend, []

    def recorded(dual, x):
        seen.append(ascend(dual, x))
        return seen[-1]

    monkeypatch.setattr(SmoothedDual, "ascend", recorded)
    lost = 0
    for seed in range(20):
        priced = dual_columns(served(random_document, Random(seed), "first_ending"))
        seen[:] = [np.maximum(0.0, priced.lower)]
        x, _ = best_prices(priced)
        bounds = [priced.bound(y) for y in seen]
        assert priced.bound(x) == pytest.approx(max(bounds), rel=1e-12, abs=1e-12)
        lost += bounds[-1] < max(bounds) - 1e-3
    assert lost > 0


FAMILIES = [
    jahani.generate(nodes=8, jobs=30, seed=1),
    kiros.generate(nodes=8, jobs=30, seed=1),
    sts.generate(nodes=8, jobs=30, seed=1, mix="kma"),
]


def test_decisions_are_feasible_and_above_the_bound(random_document):
    for seed in range(25):
        instance = served(random_document, Random(seed))
        result = run(instance, Call(), Report())
        verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        assert result.stop is Stop.ITERATIONS


@pytest.mark.parametrize("instance", FAMILIES, ids=lambda instance: instance.name)
def test_it_is_repeatable_and_better_than_greedy(instance):
    one, two = (run(instance, Call(limits=Limits(seed=s)), Report()) for s in (0, 1))
    assert one.solution.same_as(two.solution)
    plain = select_required_nodes(instance, greedy.decide(instance, "paper"))
    assert one.objective < costs.terms(instance, plain).total


@pytest.mark.parametrize("instance", FAMILIES, ids=lambda instance: instance.name)
def test_ruin_recreate_begins_with_it(instance):
    call = Call(options={"iterations": 1}, limits=Limits(gap=-1.0))
    report = Report()
    ruin_recreate.run(instance, call, report)
    first = next(e.incumbent for e in report.events if e.incumbent is not None)
    assert first == pytest.approx(run(instance, Call(), Report()).objective, rel=1e-12)
