"""The prices found are the best ones that the search has seen."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rsjs.heuristics.price_columns import columns
from rsjs.heuristics.price_search import _Smoothed, best_prices
from rsjs.instances.documents import to_instance


def test_a_search_that_loses_ground_returns_the_best_prices_on_its_way(
    random_document, monkeypatch
):
    """Newton climbs the smoothed dual, whose top may lie below prices passed before."""
    ascend, seen = _Smoothed.ascend, []

    def recorded(dual, x):
        seen.append(ascend(dual, x))
        return seen[-1]

    monkeypatch.setattr(_Smoothed, "ascend", recorded)
    lost = 0
    for seed in range(40):
        made = random_document(Random(seed), "first_ending")
        made["objective"]["tardiness_at"] = "completion"
        priced = columns(to_instance(made))
        seen[:] = [np.maximum(0.0, priced.lower)]
        x, _ = best_prices(priced)
        bounds = [priced.bound(y) for y in seen]
        assert priced.bound(x) == pytest.approx(max(bounds), rel=1e-12, abs=1e-12)
        lost += bounds[-1] < max(bounds) - 1e-3
    assert lost > 0
