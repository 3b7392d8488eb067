"""Shifted geometric mean and PAR10 under both policies for failures."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.reporting.statistics.failures import intersection, penalised
from rsjs.reporting.statistics.par import penalised_average
from rsjs.reporting.statistics.shifted_mean import shifted_geometric_mean, shifted_means

NAN = float("nan")
Seconds = st.lists(st.floats(0, 3600), min_size=1, max_size=20)


def test_the_shifted_geometric_mean_by_hand() -> None:
    # (1 * 4 * 16)^(1/3) - 1 = 3
    assert shifted_geometric_mean([0, 3, 15], 1.0) == pytest.approx(3.0)
    # shift 10 as in Mittelmann's tables: (10 * 20 * 80 * 40)^(1/4) - 10
    assert shifted_geometric_mean([0, 10, 70, 30], 10.0) == pytest.approx(640_000**0.25 - 10)
    # values below one unit count as one without a shift
    assert shifted_geometric_mean([0.001, 100.0], 0.0) == pytest.approx(10.0)
    assert np.isnan(shifted_geometric_mean([], 1.0))


@given(Seconds, st.sampled_from([1.0, 10.0]))
def test_the_mean_lies_between_the_values_and_below_the_arithmetic_one(
    values: list[float], shift: float
) -> None:
    found = shifted_geometric_mean(values, shift)
    assert min(values) - 1e-9 <= found <= np.mean(values) + 1e-9
    assert found == pytest.approx(float(stats.gmean(np.array(values) + shift)) - shift, abs=1e-8)


@pytest.fixture
def times(table: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    return table({"a": [1.0, 2.0, NAN], "b": [3.0, NAN, 5.0]})


@pytest.fixture
def limits(times: pd.DataFrame) -> pd.Series:
    return pd.Series([10.0, 10.0, 20.0], index=times.index)


def test_a_failure_counts_the_limit_of_its_problem_or_its_problem_is_left_out(
    times: Any, limits: Any
) -> None:
    assert penalised(times, limits).to_numpy().tolist() == [[1, 3], [2, 10], [20, 5]]
    assert intersection(times).to_numpy().tolist() == [[1, 3]]


def test_means_under_both_policies_by_hand(times: Any, limits: Any) -> None:
    found = shifted_means(times, limits, shift=1.0)
    a, b = (exp(log(x) / 3) - 1 for x in (2 * 3 * 21, 4 * 11 * 6))
    assert found["penalised"].to_dict() == pytest.approx({"a": a, "b": b})
    assert found["intersection"].to_dict() == pytest.approx({"a": 1.0, "b": 3.0})
    assert found["ratio"].to_dict() == pytest.approx({"a": 1.0, "b": b / a})


def test_ratios_to_a_mean_of_nothing(table: Any) -> None:
    """Seconds may be 0 to the clock: 10 - 10 is then 1.8e-15."""
    times = table({"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [3.0, 3.0]})
    found = shifted_means(times, pd.Series(10.0, index=times.index), shift=10.0)
    assert found["ratio"].to_dict() == {"a": 1.0, "b": 1.0, "c": np.inf}


def test_par10_by_hand(times: Any, limits: Any) -> None:
    found = penalised_average(times, limits)
    assert found.to_dict() == pytest.approx({"a": (1 + 2 + 200) / 3, "b": (3 + 100 + 5) / 3})
    assert penalised_average(times, limits, 2.0)["a"] == pytest.approx((1 + 2 + 40) / 3)
