"""Distribution functions of gaps and of times to targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rsjs.reporting.statistics.ecdf import TARGETS, distribution, seconds_to_targets
from rsjs.reporting.statistics.runs import tidy


def test_a_failure_counts_but_is_never_reached_else_it_is_that_of_scipy() -> None:
    x, share = distribution(pd.Series([3.0, 1.0, np.nan, 1.0]))
    assert (x.tolist(), share.tolist()) == ([1.0, 3.0], [0.5, 0.75])
    values = np.random.default_rng(0).integers(0, 9, 50).astype(float)
    x, share = distribution(pd.Series(values))
    expected = stats.ecdf(values).cdf
    np.testing.assert_array_equal(x, expected.quantiles)
    np.testing.assert_allclose(share, expected.probabilities)


def test_times_to_targets_by_hand(rows: list[dict[str, Any]]) -> None:
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
    ("above", "hit"),
    [(0.2, 0), (0.004, 5), (0.0015, 5), (0.0009, 6), (1e-8, 6), (1e-10, 7)],
)
def test_a_gap_hits_the_targets_that_it_is_not_above(
    above: float, hit: int, row: Callable[..., dict[str, Any]]
) -> None:
    rows = [row("i", name, events=[]) for name in ("best", "near")]
    rows[1]["objective"] = 10.0 / (1 - above)
    assert seconds_to_targets(tidy(rows))["near"].notna().sum() == hit
