"""Shifted geometric means and PAR10 under both policies for failures; the portfolio of all."""

import doctest
from importlib import import_module
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.reporting.statistics.means import (
    geometric_means,
    logarithms,
    penalised,
    penalised_average,
    shifted_means,
    virtual_best,
)

NAN = float("nan")
Seconds = st.lists(st.floats(0, 3600), min_size=1, max_size=20)


def shifted_geometric_mean(values, shift):
    return geometric_means(pd.DataFrame({"a": values}, dtype=float), shift)["a"]


def test_the_shifted_geometric_mean_by_hand():
    # (1 * 4 * 16)^(1/3) - 1 = 3
    assert shifted_geometric_mean([0, 3, 15], 1.0) == pytest.approx(3.0)
    # shift 10 as in Mittelmann's tables: (10 * 20 * 80 * 40)^(1/4) - 10
    assert shifted_geometric_mean([0, 10, 70, 30], 10.0) == pytest.approx(640_000**0.25 - 10)
    # values below one unit count as one without a shift
    assert shifted_geometric_mean([0.001, 100.0], 0.0) == pytest.approx(10.0)
    assert np.isnan(shifted_geometric_mean([], 1.0))


@given(Seconds, st.sampled_from([1.0, 10.0]))
def test_the_mean_lies_between_the_values_and_below_the_arithmetic_one(values, shift):
    found = shifted_geometric_mean(values, shift)
    assert min(values) - 1e-9 <= found <= np.mean(values) + 1e-9
    assert found == pytest.approx(float(stats.gmean(np.array(values) + shift)) - shift, abs=1e-8)


@pytest.fixture
def times(table):
    return table({"a": [1.0, 2.0, NAN], "b": [3.0, NAN, 5.0]})


@pytest.fixture
def limits(times):
    return pd.Series([10.0, 10.0, 20.0], index=times.index)


def test_a_failure_counts_the_limit_of_its_problem_or_its_problem_is_left_out(times, limits):
    assert penalised(times, limits).to_numpy().tolist() == [[1, 3], [2, 10], [20, 5]]
    assert times.dropna().to_numpy().tolist() == [[1, 3]]


def test_means_under_both_policies_by_hand(times, limits):
    found = shifted_means(times, limits, shift=1.0)
    a, b = (exp(log(x) / 3) - 1 for x in (2 * 3 * 21, 4 * 11 * 6))
    assert found["penalised"].to_dict() == pytest.approx({"a": a, "b": b})
    assert found["intersection"].to_dict() == pytest.approx({"a": 1.0, "b": 3.0})
    assert found["ratio"].to_dict() == pytest.approx({"a": 1.0, "b": b / a})


def test_ratios_to_a_mean_of_nothing(table):
    """Seconds may be 0 to the clock: 10 - 10 is then 1.8e-15."""
    times = table({"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [3.0, 3.0]})
    found = shifted_means(times, pd.Series(10.0, index=times.index), shift=10.0)
    assert found["ratio"].to_dict() == {"a": 1.0, "b": 1.0, "c": np.inf}


def test_par10_by_hand(times, limits):
    found = penalised_average(times, limits)
    assert found.to_dict() == pytest.approx({"a": (1 + 2 + 200) / 3, "b": (3 + 100 + 5) / 3})
    assert penalised_average(times, limits, 2.0)["a"] == pytest.approx((1 + 2 + 40) / 3)


@pytest.fixture
def best(table):
    times = table({"a": [1.0, 7.0, 3.0, NAN], "b": [7.0, 1.0, 3.0, NAN], "c": [7, 7, NAN, 15]})
    limits = pd.Series(63.0, index=times.index)
    return virtual_best(logarithms(penalised(times, limits), 1.0), times, 1.0)


def test_virtual_and_single_best(best):
    # one more than the seconds: the best is 2, 2, 4, 16; a has 2, 8, 4, 64; c has 8, 8, 64, 16
    assert best.mean == pytest.approx(256**0.25 - 1)
    assert best.single == "a"
    assert best.single_mean == pytest.approx(4096**0.25 - 1)


def test_what_each_method_adds(best):
    assert best.methods["fastest"].to_dict() == {"a": 2, "b": 2, "c": 1}
    assert best.methods["alone"].to_dict() == {"a": 0, "b": 0, "c": 1}
    virtual = 256**0.25 - 1
    without = {"a": 8 * 2 * 4 * 16, "b": 2 * 8 * 4 * 16, "c": 2 * 2 * 4 * 64}
    expected = {name: (product**0.25 - 1) / virtual for name, product in without.items()}
    assert best.methods["contribution"].to_dict() == pytest.approx(expected)


def test_the_best_of_seconds_that_are_all_0(table):
    times = table({"a": [0.0, 0.0], "b": [1.0, 3.0]})
    found = virtual_best(logarithms(times, 1.0), times, 1.0)
    assert (found.mean, found.single) == (0.0, "a")
    assert found.methods["contribution"].to_dict() == {"a": np.inf, "b": 1.0}


@pytest.mark.parametrize(
    ("seconds", "seeds", "best", "alone"),
    [
        # nobody's best is a problem that nobody solves
        ({"a": [1.0, NAN], "b": [3.0, NAN]}, 1, [1, 0], [0, 0]),
        # an instance is solved if it is with any seed
        ({"a": [1.0, NAN], "b": [NAN, NAN]}, 2, [1, 0], [1, 0]),
        ({"a": [1.0, 3.0]}, 1, [2], [2]),
    ],
)
def test_of_what_problems_a_method_is_best(table, seconds, seeds, best, alone):
    times = table(seconds, seeds=seeds)
    found = virtual_best(logarithms(times.fillna(10.0), 1.0), times, 1.0)
    assert found.methods["fastest"].tolist() == best
    assert found.methods["alone"].tolist() == alone
    assert (found.single, found.mean) == ("a", found.single_mean)


def test_luck_of_one_seed_is_averaged_first(table):
    times = table({"lucky": [0.0, 15.0], "steady": [3.0, 3.0]}, seeds=2)
    found = virtual_best(logarithms(times, 1.0), times, 1.0)
    assert found.mean == pytest.approx(3.0)  # not that of 0 and 3


@pytest.mark.parametrize("name", ["gaps", "ranks", "tables"])
def test_the_examples_are_true(name):
    found = doctest.testmod(import_module(f"rsjs.reporting.statistics.{name}"))
    assert found.failed == 0
    assert found.attempted >= 1
