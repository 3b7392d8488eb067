"""Why a solve stopped, its cost and bound compared: what solvers call optimal may not be."""

from __future__ import annotations

from rsjs.core.report import Stop


def relative_gap(objective: float | None, bound: float | None) -> float:
    """Return |z - b| / max(|z|, |b|); 0 if the bound is not below z, inf if one is missing."""
    if objective is None or bound is None:
        return float("inf")
    if bound >= objective:
        return 0.0
    return (objective - bound) / max(abs(objective), abs(bound))


def settled(stop: Stop, objective: float | None, bound: float | None, largest: float = 1.0) -> Stop:
    """
    Return OPTIMAL only where objective and bound meet, else GAP; other stops as they are.

    Solvers say "optimal" as soon as their gap limit is met. They meet if the relative gap is at
    most 1e-9, or the bound lacks at most 1e-9 max(1, |z|); where the `largest` cost is below 1, it
    stands for the 1.
    """
    if stop is not Stop.OPTIMAL or objective is None:
        return stop
    slack = 1e-9 * max(min(1.0, largest), abs(objective))
    met = bound is not None and bound >= objective - slack
    return Stop.OPTIMAL if met or relative_gap(objective, bound) <= 1e-9 else Stop.GAP


def reached(stop: Stop, objective: float | None, bound: float | None, gap: float) -> Stop:
    """Return GAP only where the gap asked for is reached: solvers round costs and count offsets."""
    if stop is Stop.GAP and relative_gap(objective, bound) > max(1.001 * gap, 1e-8):
        return Stop.ITERATIONS
    return stop
