"""The bound of the prices holds for every multiplier, and the search finds good ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.formulations import enumeration
from rsjs.heuristics import prices
from rsjs.heuristics.price_columns import columns
from rsjs.heuristics.price_search import best_price, best_prices
from rsjs.instances import costs
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import jahani, kiros, sts

KINDS = ("proportional", "first_ending")


def served(document, rng, energy):
    made = document(rng, energy)
    made["objective"]["tardiness_at"] = "completion"
    return to_instance(made)


def optimum(instance):
    """Cost of an optimal decision; inf if there is no decision."""
    best = enumeration.best(instance)
    return np.inf if best is None else costs.terms(instance, best).total


@pytest.mark.parametrize("energy", KINDS)
@given(rng=st.randoms(use_true_random=False), data=st.data())
def test_any_multipliers_give_a_lower_bound(random_document, energy, rng, data):
    instance = served(random_document, rng, energy)
    priced = columns(instance)
    size = 10.0 ** data.draw(st.integers(-3, 3))
    above = [data.draw(st.floats(0, 1)) * size for _ in priced.limit]
    x = np.where(np.isinf(priced.lower), -size, priced.lower) + above
    least = optimum(instance)
    assert priced.bound(x) <= least + 1e-9 * max(1.0, abs(least))


@pytest.mark.parametrize("energy", KINDS)
@given(rng=st.randoms(use_true_random=False))
def test_prices_found_give_a_lower_bound(random_document, energy, rng):
    instance = served(random_document, rng, energy)
    found, least = prices.find(instance), optimum(instance)
    assert found.bound <= least + 1e-9 * max(1.0, abs(least))
    assert (found.gain <= 0).all()
    assert found.mix.sum(axis=1) == pytest.approx(1.0)
    assert ((found.mix == 0) | instance.cluster.allowed_in_class).all()


def test_a_bound_computed_by_hand():
    instance = jahani.generate(nodes=3, jobs=7, seed=2)
    table, cluster = costs.tables(instance), instance.cluster
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
    assert columns(instance).bound(np.array([x])) == pytest.approx(least - 3 * x, rel=1e-12)


@pytest.mark.parametrize("catalogue", ["table2", "azure", "server2-11usd"])
def test_bisection_finds_the_best_price(catalogue):
    priced = columns(jahani.generate(nodes=10, jobs=60, seed=1, catalogue=catalogue))
    x, _ = best_price(priced)
    others = x[0] + np.linspace(-2, 2, 401)
    best = max(priced.bound(np.array([y])) for y in others if y >= priced.lower[0])
    assert priced.bound(x) >= best - 1e-9 * abs(best)


@pytest.mark.parametrize(
    ("instance", "least"),
    [
        (kiros.generate(nodes=20, jobs=80, seed=1), 0.99),
        (sts.generate(nodes=20, jobs=80, seed=1), 0.995),
        (sts.generate(nodes=20, jobs=80, seed=1, mix="kma"), 0.995),
        (sts.generate(nodes=20, jobs=80, seed=1, sharing="paper"), 0.95),
    ],
    ids=lambda case: getattr(case, "name", None),
)
def test_newton_ends_where_no_price_alone_is_much_better(instance, least):
    priced = columns(instance)
    x, _ = best_prices(priced)
    bound = priced.bound(x)
    for m, factor in np.ndindex(len(x), 5):
        y = x.copy()
        y[m] *= (0.5, 0.9, 0.99, 1.01, 1.1)[factor]
        assert priced.bound(y) <= bound + 0.002 * abs(bound)
    assert bound > 0


def test_the_outline_keeps_followers_and_leaders_that_pay_least_or_most():
    priced = columns(sts.generate(nodes=4, jobs=5, seed=1))
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
    assert prices.find(fixed).bound > prices.find(free).bound
