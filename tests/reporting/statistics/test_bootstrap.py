"""Draws over instances, then seeds: intervals, and how stable ranks are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.reporting.statistics.means import logarithms
from rsjs.reporting.statistics.ranks import (
    better,
    interval,
    mean_ratio_interval,
    rank_shares,
    rank_spread,
    weights,
)

FIRST = [[1, 2, 0], [1, 0, 2], [1, 1, 1]]  # how often each of three instances is drawn


def problems(*seeds):
    """An instance for each number, with so many seeds."""
    pairs = [(f"i{i}", seed) for i, count in enumerate(seeds) for seed in range(count)]
    return pd.MultiIndex.from_tuples(pairs, names=["instance", "seed"])


def test_a_draw_takes_instances_then_as_many_seeds_as_each_has():
    drawn = weights(problems(2, 2, 2), draws=500)
    assert drawn.shape == (500, 6)
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0)
    instances = drawn.reshape(500, 3, 2).sum(axis=2) * 3  # each instance a whole number of times
    np.testing.assert_allclose(instances, np.rint(instances), atol=1e-12)
    runs = drawn * 6
    np.testing.assert_allclose(runs, np.rint(runs), atol=1e-12)


def test_instances_are_drawn_as_often_as_chance_has_it_and_weigh_as_in_the_mean():
    drawn = weights(problems(1, 1), draws=4000)
    assert {*np.unique(drawn)} == {0.0, 0.5, 1.0}
    assert (drawn[:, 0] == 0.5).mean() == pytest.approx(0.5, abs=0.03)  # 4 standard errors
    assert drawn.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.03)
    drawn = weights(problems(1, 3), draws=4000)
    np.testing.assert_allclose(drawn[(drawn[:, 0] > 0) & (drawn[:, 0] < 1)][:, 0], 0.25)


def test_the_draws_are_those_of_a_named_stream():
    one, again = (weights(problems(2, 1, 3), draws=50) for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, weights(problems(2, 1, 3), draws=50, seed=1))
    np.testing.assert_allclose(weights(problems(1, 1, 1), draws=3) * 3, FIRST)


def test_the_interval_of_percentiles_and_of_a_mean_as_scipy_has_it(table):
    assert interval(np.arange(1001.0)) == pytest.approx((25.0, 975.0))
    assert interval(np.arange(1001.0), level=0.5) == pytest.approx((250.0, 750.0))
    values = np.random.default_rng(3).lognormal(size=30)
    logs = logarithms(table({"a": values, "one": np.zeros(30)}), 1.0)
    low, high = interval(weights(logs.index) @ logs["a"].to_numpy())
    rng = np.random.default_rng(0)
    expected = stats.bootstrap((logs["a"],), np.mean, method="percentile", rng=rng)
    width = expected.confidence_interval.high - expected.confidence_interval.low
    assert low == pytest.approx(expected.confidence_interval.low, abs=0.05 * width)
    assert high == pytest.approx(expected.confidence_interval.high, abs=0.05 * width)


def test_the_interval_of_a_ratio_holds_the_ratio(table):
    logs = logarithms(table({"a": [1.0, 3.0, 7.0], "b": [3.0, 7.0, 15.0]}), 1.0)
    drawn = weights(logs.index, draws=2000)
    assert mean_ratio_interval(logs, "a", "a", 1.0, drawn) == (1.0, 1.0)
    nothing = logarithms(table({"a": [0.0] * 3, "b": [1.0] * 3}), 1.0)
    assert mean_ratio_interval(nothing, "a", "a", 1.0, drawn) == (1.0, 1.0)
    assert mean_ratio_interval(nothing, "a", "b", 1.0, drawn) == (0.0, 0.0)
    assert not np.isfinite(mean_ratio_interval(nothing, "b", "a", 1.0, drawn)).any()
    low, high = mean_ratio_interval(logs, "b", "a", 1.0, drawn)
    # means 2 * 4 * 8 = 4^3 and 4 * 8 * 16 = 8^3: 7 / 3; the ratio 2 + 1/a of one instance alone
    # lies between 2 + 1/7 and 2 + 1/1
    assert 2 + 1 / 7 <= low < 7 / 3 < high <= 3


DRAWN = np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_shares_of_ranks_by_hand(table):
    # means in the four draws: a 2, 1, 1, 3; b 2.5, 5, 5, 0; c 2, 1, 1, 3
    found = rank_shares(table({"b": [5.0, 0.0], "a": [1.0, 3.0], "c": [1.0, 3.0]}), DRAWN)
    assert found.index.tolist() == ["a", "c", "b"]  # in the order of the means
    assert found.loc["a"].tolist() == found.loc["c"].tolist() == [0.75, 0.25, 0.0]
    assert found.loc["b"].tolist() == [0.25, 0.0, 0.75]
    spread = rank_spread(found)
    assert spread.loc["a"].tolist() == [1.25, 1, 2]
    assert spread.loc["b"].tolist() == [2.5, 1, 3]
    assert rank_spread(found, level=0.4).loc["b"].tolist() == [2.5, 3, 3]


def test_how_often_one_is_better_than_another(table):
    found = better(table({"b": [5.0, 0.0], "a": [1.0, 3.0], "c": [1.0, 3.0]}), DRAWN)
    assert (found.loc["a", "b"], found.loc["b", "a"]) == (0.75, 0.25)
    assert found.loc["a", "c"] == 0.5
    assert (found + found.T == 1.0).to_numpy().all()


def test_a_method_that_is_best_everywhere_never_changes_its_rank(table):
    rng = np.random.default_rng(2)
    scores = table({"other": rng.uniform(2, 3, 12), "best": rng.uniform(0, 1, 12)}, seeds=3)
    found = rank_shares(scores, weights(scores.index, draws=100))
    assert found.loc["best"].tolist() == [1.0, 0.0]


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_shares_of_each_method_sum_to_one(lines):
    index = pd.MultiIndex.from_tuples([(f"i{i}", 0) for i in range(len(lines))])
    index.names = ["instance", "seed"]
    scores = pd.DataFrame(lines, index=index, columns=list("abcd")).astype(float)
    found = rank_shares(scores, weights(scores.index, draws=20))
    assert found.sum(axis=1).tolist() == pytest.approx([1.0] * 4)
    assert found[1].sum() >= 1.0 - 1e-9  # somebody is first in every draw
