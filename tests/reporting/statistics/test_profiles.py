"""Performance profiles, and distributions of gaps and of times to targets."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.reporting.statistics.gaps import TARGETS, distribution, seconds_to_targets
from rsjs.reporting.statistics.means import ratios
from rsjs.reporting.statistics.tidy import tidy

NAN = float("nan")


def profile(found, tau):
    """rho(tau) by tau and method, of the ratios of all problems."""
    return pd.DataFrame({at: (found <= at).mean() for at in np.atleast_1d(tau)}).T


def test_the_profile_of_dolan_and_more_by_hand(table):
    # ratios: a 1, 2, inf, inf; b 3, 1, 1, inf
    found = ratios(table({"a": [1.0, 4.0, NAN, NAN], "b": [3.0, 2.0, 7.0, NAN]}))
    assert found["a"].tolist() == [1.0, 2.0, np.inf, np.inf]
    assert found["b"].tolist() == [3.0, 1.0, 1.0, np.inf]
    rho = profile(found, [1.0, 2.0, 2.9, 3.0, 1e9])
    assert rho["a"].tolist() == [0.25, 0.5, 0.5, 0.5, 0.5]
    assert rho["b"].tolist() == [0.5, 0.5, 0.5, 0.75, 0.75]


def test_times_below_the_resolution_are_equal(table):
    found = ratios(table({"a": [1e-6], "b": [9e-4], "c": [2e-3]}))
    assert found.iloc[0].tolist() == [1.0, 1.0, 2.0]


def test_a_third_method_can_turn_the_order_of_two(table):
    # Gould and Scott 2016: compared with c, b is second best more often than a; alone, a wins
    times = table({"a": [2.0, 2.0, 2.0], "b": [3.0, 3.0, 1.0], "c": [1.0, 1.0, 9.0]})
    at_one = profile(ratios(times), 1.0).loc[1.0]
    assert at_one["b"] > at_one["a"]
    alone = profile(ratios(times[["a", "b"]]), 1.0).loc[1.0]
    assert alone["a"] > alone["b"]


@given(st.lists(st.tuples(*[st.none() | st.floats(1e-4, 1e4)] * 3), min_size=1, max_size=8))
def test_profiles_rise_to_the_share_of_solved_problems(lines):
    times = pd.DataFrame([[NAN if v is None else v for v in line] for line in lines]).astype(float)
    rho = profile(ratios(times), [1.0, 10.0, 1e9])
    assert (rho.diff().dropna() >= 0).to_numpy().all()
    assert rho.loc[1e9].tolist() == pytest.approx(times.notna().mean().tolist())
    solvable = times.notna().any(axis=1).mean()
    assert rho.loc[1.0].sum() >= solvable - 1e-9  # somebody is the fastest


def test_a_failure_counts_but_is_never_reached_else_it_is_that_of_scipy():
    x, share = distribution(pd.Series([3.0, 1.0, np.nan, 1.0]))
    assert (x.tolist(), share.tolist()) == ([1.0, 3.0], [0.5, 0.75])
    values = np.random.default_rng(0).integers(0, 9, 50).astype(float)
    x, share = distribution(pd.Series(values))
    expected = stats.ecdf(values).cdf
    np.testing.assert_array_equal(x, expected.quantiles)
    np.testing.assert_allclose(share, expected.probabilities)


def test_times_to_targets_by_hand(rows):
    found = seconds_to_targets(tidy(rows))
    assert found.shape == (4 * len(TARGETS), 3)
    # exact has twice the best cost at 1 s and the best at 2 s: no target lies between
    assert (found["exact"] == 2.0).all()
    # rule ends within 1 % on a, within a third on b
    rule = found["rule:x"].unstack("target").notna().loc[("a", 0, 1)]
    assert rule[rule].index.tolist() == [0.1, 0.05, 0.02, 0.01]
    assert found["rule:x"].xs("b", level="instance").isna().all()
    assert (found["slow"].xs("a", level="instance") == 4.0).all()
    # a target is hit at the first event at or below it
    found = seconds_to_targets(tidy(rows), targets=[0.5, 0.0])
    assert found.loc[(0.5, "a", 0, 1), "exact"] == 1.0
    assert found.loc[(0.0, "a", 0, 1), "exact"] == 2.0


@pytest.mark.parametrize(
    ("above", "hit"), [(0.2, 0), (0.004, 5), (0.0015, 5), (0.0009, 6), (1e-8, 6), (1e-10, 7)]
)
def test_a_gap_hits_the_targets_that_it_is_not_above(above, hit, row):
    rows = [row("i", name, events=[]) for name in ("best", "near")]
    rows[1]["objective"] = 10.0 / (1 - above)
    assert seconds_to_targets(tidy(rows))["near"].notna().sum() == hit
