"""Counts: each run has one quality and one cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rsjs.instances.solution import Stop
from rsjs.reporting.statistics.counts import CAUSES, QUALITIES, counts
from rsjs.reporting.statistics.runs import tidy

Make = Callable[..., dict[str, Any]]
NOTHING = {"status": "no_solution", "objective": None}


def test_each_run_is_counted_once_by_quality_and_once_by_cause(row: Make) -> None:
    found = counts(
        tidy(
            [
                row("i", "a", bound=10.0),
                row("j", "a", stop="time_limit", bound=8.0),
                row("k", "a", stop="time_limit", **NOTHING),
                row("l", "a", stop="memory_limit", **NOTHING),
                row("m", "a", stop="error", status="infeasible", objective=None),
                row("n", "a", stop="infeasible", **NOTHING),
                row("i", "b", stop="iterations"),
                row("j", "b", stop="gap", status="wrong"),
            ]
        )
    )
    a, b = found.loc["a"], found.loc["b"]
    assert a["runs"] == 6
    assert a[list(QUALITIES)].tolist() == [1, 0, 1, 1, 2, 1]
    assert a[list(CAUSES)].tolist() == [2, 2, 1, 1, 0]
    assert b[list(QUALITIES)].tolist() == [0, 1, 0, 0, 0, 1]
    assert (a["not_run"], b["not_run"]) == (0, 4)
    for words in (QUALITIES, CAUSES):
        assert (found[list(words)].sum(axis=1) == found["runs"]).all()


@pytest.mark.parametrize("stop", list(Stop))
def test_every_reason_to_stop_has_a_cause(row: Make, stop: Stop) -> None:
    found = counts(tidy([row("i", "a", stop=stop.value, **NOTHING)])).loc["a"]
    expected = stop.value.replace("_", " ")
    assert found[expected if expected in CAUSES else "by itself"] == 1
