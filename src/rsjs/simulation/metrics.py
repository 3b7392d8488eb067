"""
The cost of a policy against that of another one.

    total cost ratio  C_m / C_b            method m, baseline b      Filippini et al. 2024 (29)
    cost reduction    (C_o - C_t) / C_o    target t, other o         ibid. (30), "PCR", in %
                      the "percentage gain" of Kiros 2020, 4.3.4, with greedy as o
    deviation         |C_real - C_predicted| / C_predicted, or / C_real

ANDREAS 2021 (Table III) reports 12.29 % for a prediction of 1.08438 and a real cost of 0.95111: of
the prediction. Jahani 2019 (Table V) reports 6.61 % for 12.47 and 13.30, which is 6.66 % of the
prediction and 6.24 % of the real cost. Neither is a ratio of sums over decisions.

What is not there has no ratio: a run that did not complete, or a cost of 0 to divide by. A run is a
row, see `rsjs.rows.columns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Run = Mapping[str, Any]


def metrics(run: Run, baseline: Run) -> dict[str, float | None]:
    """Return ratio and reduction (a share: 0.1 = a tenth less) of cost and energy to a baseline."""
    found: dict[str, float | None] = {}
    for name, key in (("cost", "objective"), ("energy", "energy")):
        share = ratio(run[key], baseline[key])
        found[f"{name}_ratio"] = share
        found[f"{name}_reduction"] = None if share is None else 1 - share
    return found


def ratio(cost: float | None, baseline: float | None) -> float | None:
    """Return C_m / C_b; None if one of them is not known, or the baseline costs nothing."""
    return cost / baseline if cost is not None and baseline else None


def deviation(real: float | None, predicted: float | None, denominator: str) -> float | None:
    """Return |C_real - C_predicted| over one of them; the denominator is "predicted" or "real"."""
    if real is None or predicted is None:
        return None
    return ratio(abs(real - predicted), predicted if denominator == "predicted" else real)
