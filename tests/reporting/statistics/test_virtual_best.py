"""The portfolio of all methods, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rsjs.reporting.statistics.failures import penalised
from rsjs.reporting.statistics.shifted_mean import logarithms
from rsjs.reporting.statistics.virtual_best import VirtualBest, virtual_best

NAN = float("nan")


@pytest.fixture
def best(table: Callable[..., pd.DataFrame]) -> VirtualBest:
    times = table(
        {
            "a": [1.0, 7.0, 3.0, NAN],
            "b": [7.0, 1.0, 3.0, NAN],
            "c": [7.0, 7.0, NAN, 15.0],
        }
    )
    limits = pd.Series(63.0, index=times.index)
    return virtual_best(logarithms(penalised(times, limits), 1.0), times, 1.0)


def test_virtual_and_single_best(best: VirtualBest) -> None:
    # one more than the seconds: the best is 2, 2, 4, 16; a has 2, 8, 4, 64; c has 8, 8, 64, 16
    assert best.mean == pytest.approx(256**0.25 - 1)
    assert best.single == "a"
    assert best.single_mean == pytest.approx(4096**0.25 - 1)


def test_what_each_method_adds(best: VirtualBest) -> None:
    assert best.methods["best"].to_dict() == {"a": 2, "b": 2, "c": 1}
    assert best.methods["alone"].to_dict() == {"a": 0, "b": 0, "c": 1}
    virtual = 256**0.25 - 1
    without = {"a": 8 * 2 * 4 * 16, "b": 2 * 8 * 4 * 16, "c": 2 * 2 * 4 * 64}
    expected = {name: (product**0.25 - 1) / virtual for name, product in without.items()}
    assert best.methods["contribution"].to_dict() == pytest.approx(expected)


def test_the_best_of_seconds_that_are_all_0(table: Callable[..., pd.DataFrame]) -> None:
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
def test_of_what_problems_a_method_is_best(
    table: Callable[..., pd.DataFrame], seconds: Any, seeds: int, best: Any, alone: Any
) -> None:
    times = table(seconds, seeds=seeds)
    found = virtual_best(logarithms(times.fillna(10.0), 1.0), times, 1.0)
    assert found.methods["best"].tolist() == best
    assert found.methods["alone"].tolist() == alone
    assert (found.mean == found.single_mean) is (len(best) == 1)


def test_luck_of_one_seed_is_averaged_first(table: Callable[..., pd.DataFrame]) -> None:
    times = table({"lucky": [0.0, 15.0], "steady": [3.0, 3.0]}, seeds=2)
    found = virtual_best(logarithms(times, 1.0), times, 1.0)
    assert found.mean == pytest.approx(3.0)  # not that of 0 and 3
