from __future__ import annotations

from typing import Any

import pytest

from rsjs.reporting.gap_curves import FLOOR, gap_curve


def test_the_curve_follows_the_incumbents_down_to_the_floor() -> None:
    events = [
        {"seconds": 0.0, "incumbent": None, "bound": 5.0},  # no incumbent yet
        {"seconds": 0.5, "incumbent": 20.0, "bound": 5.0},
        {"seconds": 1.0, "incumbent": 10.0, "bound": 5.0},
    ]
    run: dict[str, Any] = {"events": events, "best_bound": 10.0}
    assert gap_curve(run) == [(0.5, 50.0), (1.0, FLOOR)]
    assert gap_curve(run, own=True) == [(0.5, 75.0), (1.0, 50.0)]


def test_the_curve_goes_on_to_the_end_of_the_run_if_that_is_known() -> None:
    events = [{"seconds": s, "incumbent": 20.0, "bound": None} for s in (1.0, 2.0)]
    run: dict[str, Any] = {"events": events, "best_bound": 10.0, "seconds": 60.0}
    assert gap_curve(run)[-1] == (60.0, 50.0)


@pytest.mark.parametrize("bound", [None, 12.0])
def test_without_events_or_bound_there_is_no_curve(bound: float | None) -> None:
    assert gap_curve({"events": [], "best_bound": bound}) == []
