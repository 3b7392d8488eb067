"""Performance profiles of all methods and of pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting.statistics.profiles import of_pair, profile, ratios

NAN = float("nan")
Table = Callable[..., pd.DataFrame]


def test_the_profile_of_dolan_and_more_by_hand(table: Table) -> None:
    # ratios: a 1, 2, inf, inf; b 3, 1, 1, inf
    found = ratios(table({"a": [1.0, 4.0, NAN, NAN], "b": [3.0, 2.0, 7.0, NAN]}))
    assert found["a"].tolist() == [1.0, 2.0, np.inf, np.inf]
    assert found["b"].tolist() == [3.0, 1.0, 1.0, np.inf]
    rho = profile(found, [1.0, 2.0, 2.9, 3.0, 1e9])
    assert rho["a"].tolist() == [0.25, 0.5, 0.5, 0.5, 0.5]
    assert rho["b"].tolist() == [0.5, 0.5, 0.5, 0.75, 0.75]


def test_times_below_the_resolution_are_equal(table: Table) -> None:
    found = ratios(table({"a": [1e-6], "b": [9e-4], "c": [2e-3]}))
    assert found.iloc[0].tolist() == [1.0, 1.0, 2.0]


def test_a_third_method_can_turn_the_order_of_two(table: Table) -> None:
    # Gould and Scott 2016: compared with c, b is second best more often than a; alone, a wins
    times = table({"a": [2.0, 2.0, 2.0], "b": [3.0, 3.0, 1.0], "c": [1.0, 1.0, 9.0]})
    at_one = profile(ratios(times), 1.0).loc[1.0]
    assert at_one["b"] > at_one["a"]
    alone = profile(of_pair(times, "a", "b"), 1.0).loc[1.0]
    assert alone["a"] > alone["b"]


@given(st.lists(st.tuples(*[st.none() | st.floats(1e-4, 1e4)] * 3), min_size=1, max_size=8))
def test_profiles_rise_to_the_share_of_solved_problems(
    lines: list[tuple[float | None, ...]],
) -> None:
    times = pd.DataFrame([[NAN if v is None else v for v in line] for line in lines]).astype(float)
    rho = profile(ratios(times), [1.0, 10.0, 1e9])
    assert (rho.diff().dropna() >= 0).to_numpy().all()
    assert rho.loc[1e9].tolist() == pytest.approx(times.notna().mean().tolist())
    solvable = times.notna().any(axis=1).mean()
    assert rho.loc[1.0].sum() >= solvable - 1e-9  # somebody is the fastest
