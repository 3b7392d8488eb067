"""Kiros 2020: the metric of each claim."""

from __future__ import annotations

from collections.abc import Mapping

from rsjs.paper_claims.claim import Rows, Values
from rsjs.paper_claims.metrics import (
    Value,
    each_case,
    faster,
    gain,
    growth,
    most,
    ratio,
    with_nodes,
)

EDF, GREEDY, LS = "edf:code", "greedy:paper", "local_search"
RG = "randomized_greedy:paper"
HIERARCHICAL = f"hierarchical?controllers=5,method={RG}"
EXACT = "first_ending_patterns@highs"
HIERARCHICAL_EXACT = f"hierarchical?controllers=10,method={EXACT}"
MONOLITHIC = "jahani_patterns@highs"

DECISION, ALGORITHM, RUN = "decision_median_s", "solve_s", "total_s"


def _seconds(method: str) -> Value:
    """Return the longest time of a decision, of the algorithm itself and of the whole method."""

    def values(rows: Rows) -> Values:
        parts = {"algorithm": most(method, ALGORITHM), "whole method": most(method, RUN)}
        known = ((name, figure(rows)) for name, figure in parts.items())
        return {name: value for name, value in known if value is not None}

    return values


VALUES: Mapping[str, Value] = {
    "kiros-fig42-costs": each_case(ratio(HIERARCHICAL, RG)),
    "kiros-fig43-greedy-edf": each_case(gain(GREEDY, EDF)),
    "kiros-fig43-rg-edf": each_case(gain(RG, EDF)),
    "kiros-fig43-rg-greedy": each_case(gain(RG, GREEDY)),
    "kiros-fig44-rg-greedy": each_case(gain(RG, GREEDY)),
    "kiros-fig45-costs": each_case(ratio(HIERARCHICAL, GREEDY)),
    "kiros-fig45-constant": each_case(growth(HIERARCHICAL, DECISION)),
    "kiros-fig46-gain": each_case(gain(HIERARCHICAL, RG)),
    "kiros-fig46-faster": each_case(faster(HIERARCHICAL, RG, "policy_s")),
    "kiros-44-greedy-seconds": _seconds(GREEDY),
    "kiros-44-rg-seconds": _seconds(RG),
    "kiros-44-ls-seconds": _seconds(LS),
    "kiros-44-hierarchical-seconds": each_case(most(HIERARCHICAL_EXACT, RUN)),
    "kiros-44-rg-hierarchical": each_case(faster(RG, HIERARCHICAL_EXACT, RUN)),
    "kiros-44-monolithic-seconds": each_case(most(MONOLITHIC, RUN)),
    "kiros-44-greedy-hierarchical": each_case(faster(GREEDY, HIERARCHICAL_EXACT, RUN)),
    "kiros-44-larger-systems": each_case(
        with_nodes(faster(HIERARCHICAL_EXACT, RG, RUN), 600, 10**6)
    ),
}
