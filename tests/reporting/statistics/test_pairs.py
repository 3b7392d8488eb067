"""Pairs of methods: counted by problem, tested by instance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from rsjs.reporting.statistics.bootstrap import weights
from rsjs.reporting.statistics.pairs import least_p, pairs
from rsjs.reporting.statistics.wilcoxon import signed_rank
from rsjs.reporting.statistics.wins import wins

NAN = float("nan")
Table = Callable[..., pd.DataFrame]


def test_wins_ties_and_losses(table: Table) -> None:
    values = table(
        {
            "a": [1.0, 100.0, 5.0, NAN, NAN, 0.0, -2.0],
            "b": [2.0, 100.9, NAN, 5.0, NAN, 0.0, -1.0],
        }
    )
    assert wins(values, "a", "b") == (3, 3, 1)  # 100 and 100.9 tie, so do two failures
    assert wins(values, "b", "a") == (1, 3, 3)
    assert wins(values, "a", "b", tolerance=0.0) == (4, 2, 1)
    assert wins(table({"a": [100.0], "b": [101.5]}), "a", "b") == (1, 0, 0)


def test_each_pair_is_tested_on_the_means_of_its_instances(table: Table) -> None:
    rng = np.random.default_rng(1)
    scores = table(
        {name: rng.normal(mean, 1.0, 20) for name, mean in zip("abc", (0, 1, 9), strict=True)},
        seeds=2,
    )
    found = pairs(scores, scores, weights(scores.index, draws=400))
    assert found[["one", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    of_instance = scores.groupby(level="instance").mean()
    assert len(of_instance) == 10
    expected = signed_rank(of_instance["a"], of_instance["b"])
    assert found.loc[0, ["p", "effect"]].tolist() == [expected.p, expected.effect]
    assert found["holm"][1] == pytest.approx(3 * least_p(10))
    assert (found["holm"] >= found["p"]).all()
    assert found["better"][1] == 1.0
    assert (found[["wins", "ties", "losses"]].sum(axis=1) == 20).all()


def test_six_instances_are_the_least_that_can_be_significant(table: Table) -> None:
    scores = table({"a": np.arange(1.0, 7.0), "b": np.arange(1.0, 7.0) * 2})
    found = pairs(scores, scores, weights(scores.index, draws=10))
    assert found["p"][0] == least_p(6) == 0.03125
    assert found["effect"][0] == -1.0
    assert least_p(5) > 0.05
