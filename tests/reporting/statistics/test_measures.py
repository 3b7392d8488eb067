"""Matrices of problems and methods: what is solved, in what time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rsjs.reporting.statistics.measures import gaps, limits, ran, seconds, solved
from rsjs.reporting.statistics.runs import tidy

Make = Callable[..., dict[str, Any]]


def test_solved_by_the_own_bound_or_by_that_of_another(row: Make) -> None:
    runs = tidy(
        [
            row("i", "proves", objective=100.0, bound=100.0),
            row("i", "finds", objective=100.005),
            row("i", "near", objective=100.5, bound=99.0),
            row("i", "wrong", objective=100.0, bound=100.0, status="wrong"),
        ]
    )

    def names(*how: Any) -> list[str]:
        return runs["method"][solved(runs, *how)].tolist()

    assert names("proved") == names("proved", 0.01) == names("reached", 0.0) == ["proves"]
    assert names("reached") == ["finds", "proves"]
    assert names("reached", 0.01) == ["finds", "near", "proves"]
    assert names("proved", 0.02) == ["near", "proves"]


def test_failed_and_missing_runs_are_nan_and_none_takes_longer_than_its_limit(row: Make) -> None:
    rows = [
        row("i", "a", bound=10.0, total_s=10.3),
        row("i", "b", objective=20.0),
        row("j", "b", bound=10.0, total_s=3.0, time_limit=20.0, seed=4),
    ]
    runs = tidy(rows)
    found = seconds(runs)
    assert ran(runs).to_numpy().tolist() == [[True, True], [False, True]]
    assert found.columns.tolist() == ["a", "b"]
    assert found.index.tolist() == [("i", 0, 1), ("j", 4, 1)]
    np.testing.assert_array_equal(found.to_numpy(), [[10.0, np.nan], [np.nan, 3.0]])
    assert limits(runs).tolist() == [10.0, 20.0]
    np.testing.assert_array_equal(gaps(runs).to_numpy(), [[0.0, 0.5], [np.nan, 0.0]])
    assert gaps(runs, "gap").iloc[0].tolist() == pytest.approx([0.0, 0.5])


@pytest.mark.parametrize(
    ("gap_limit", "bound", "expected"),
    [
        (None, 99.995, True),
        (None, 99.9, False),  # what is not told is no larger than the default
        (1e-4, 99.9901, True),
        (1e-4, 99.9895, False),
        (1e-2, 99.9, True),
    ],
)
def test_a_gap_counts_up_to_the_limit_and_not_above(
    row: Make, gap_limit: float | None, bound: float, expected: bool
) -> None:
    runs = tidy([row("i", "a", objective=100.0, bound=bound, gap_limit=gap_limit)])
    assert solved(runs).tolist() == [expected]


def test_the_limit_of_a_problem_is_the_longest_of_its_runs(row: Make) -> None:
    # a solved run whose seconds are not told counts its limit
    assert seconds(tidy([row("i", "a", bound=10.0, total_s=None)])).to_numpy() == [[10.0]]
    runs = tidy([row("i", "a"), row("i", "b", time_limit=30.0), row("i", "c", time_limit=20.0)])
    assert limits(runs).tolist() == [30.0]
