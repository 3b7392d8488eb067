"""Ranks under draws that are written down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting.statistics.bootstrap import weights
from rsjs.reporting.statistics.rank_stability import better, rank_shares, rank_spread

Table = Callable[..., pd.DataFrame]

DRAWN = np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_shares_of_ranks_by_hand(table: Table) -> None:
    # means in the four draws: a 2, 1, 1, 3; b 2.5, 5, 5, 0; c 2, 1, 1, 3
    scores = table({"b": [5.0, 0.0], "a": [1.0, 3.0], "c": [1.0, 3.0]})
    found = rank_shares(scores, DRAWN)
    assert found.index.tolist() == ["a", "c", "b"]  # in the order of the means
    assert found.loc["a"].tolist() == found.loc["c"].tolist() == [0.75, 0.25, 0.0]
    assert found.loc["b"].tolist() == [0.25, 0.0, 0.75]
    spread = rank_spread(found)
    assert spread.loc["a"].tolist() == [1.25, 1, 2]
    assert spread.loc["b"].tolist() == [2.5, 1, 3]
    assert rank_spread(found, level=0.4).loc["b"].tolist() == [2.5, 3, 3]


def test_how_often_one_is_better_than_another(table: Table) -> None:
    found = better(table({"b": [5.0, 0.0], "a": [1.0, 3.0], "c": [1.0, 3.0]}), DRAWN)
    assert found.loc["a", "b"] == 0.75
    assert found.loc["b", "a"] == 0.25
    assert found.loc["a", "c"] == 0.5
    assert (found + found.T == 1.0).to_numpy().all()


def test_a_method_that_is_best_everywhere_never_changes_its_rank(table: Table) -> None:
    rng = np.random.default_rng(2)
    scores = table({"other": rng.uniform(2, 3, 12), "best": rng.uniform(0, 1, 12)}, seeds=3)
    found = rank_shares(scores, weights(scores.index, draws=100))
    assert found.loc["best"].tolist() == [1.0, 0.0]


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_shares_of_each_method_sum_to_one(lines: list[list[int]]) -> None:
    index = pd.MultiIndex.from_tuples([(f"i{i}", 0) for i in range(len(lines))])
    index.names = ["instance", "seed"]
    scores = pd.DataFrame(lines, index=index, columns=list("abcd")).astype(float)
    found = rank_shares(scores, weights(scores.index, draws=20))
    assert found.sum(axis=1).tolist() == pytest.approx([1.0] * 4)
    assert found[1].sum() >= 1.0 - 1e-9  # somebody is first in every draw
