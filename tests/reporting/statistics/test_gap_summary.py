"""Gaps at the end of the runs."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import pytest

from rsjs.reporting.statistics.gap_summary import gap_summary
from rsjs.reporting.statistics.runs import tidy

Make = Callable[..., dict[str, Any]]


def test_gaps_by_hand(row: Make) -> None:
    nothing = {"status": "no_solution", "objective": None}
    rows = [
        row("i", "exact", objective=80.0, bound=80.0),
        row("j", "exact", objective=50.0, bound=40.0),
        row("i", "rule", objective=100.0, peak_memory_mb=20.0),
        row("j", "rule", peak_memory_mb=40.0, **nothing),
    ]
    found = gap_summary(tidy(rows))
    assert found.index.tolist() == ["exact", "rule"]
    exact, rule = found.loc["exact"], found.loc["rule"]
    assert (exact["gaps"], rule["gaps"]) == (2, 1)
    assert exact["median"] == pytest.approx(0.1)  # of 0 and 10/50
    assert exact["upper_quartile"] == pytest.approx(0.15)
    assert exact["most"] == pytest.approx(0.2)
    assert rule["median"] == pytest.approx(0.2)
    assert (exact["primal_mean"], exact["best"]) == (0.0, 2)
    assert rule["primal_mean"] == pytest.approx((0.2 + 1) / 2)  # a failure is a gap of 1
    assert (rule["best"], rule["memory"]) == (0, 30.0)


def test_without_a_bound_there_is_a_primal_gap_only_and_nearly_the_best_is_not(row: Make) -> None:
    found = gap_summary(tidy([row("i", "a", objective=1.0), row("i", "b", objective=2.0)]))
    assert isnan(found.loc["b", "median"])
    assert found.loc["b", "primal_mean"] == 0.5
    costs = {"best": 100.0, "rounding": 100.0 * (1 + 1e-12), "near": 100.001}
    found = gap_summary(tidy([row("i", name, objective=cost) for name, cost in costs.items()]))
    assert found["best"].to_dict() == {"best": 1, "rounding": 1, "near": 0}
