"""Filippini et al. 2021 (ANDREAS): the metric of each claim."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from rsjs.paper_claims.claim import Rows, Values
from rsjs.paper_claims.metrics import Figure, Value, each_case, ended, gain, late, mean, over_all

RG = "randomized_greedy:paper"
ALONE = ("fifo:code", "edf:code", "priority:code")
SHARED = ("queue:fifo", "queue:edf", "queue:priority")
RULES = (("one job per node", ALONE), ("shared nodes", SHARED))


def _against_rules(scenario: str, name: str = "objective") -> Value:
    """Return the average gain in each load of a scenario, against each kind of rules."""

    def values(rows: Rows) -> Values:
        own = [row for row in rows if str(row["case"]).startswith(scenario)]
        gains = {
            how: over_all(fmean, [gain(RG, other, name) for other in others])
            for how, others in RULES
        }
        return {
            f"{case}, {how}": value
            for how, figure in gains.items()
            for case, value in each_case(figure)(own).items()
        }

    return values


def _of(scenario: str, figure: Figure) -> Value:
    return each_case(
        figure, lambda row: str(row["case"]) if str(row["case"]).startswith(scenario) else None
    )


def _decision_seconds(rows: Rows) -> float | None:
    """Return the mean over runs of the mean seconds of a decision."""
    own = [row for row in ended(rows) if row["method"] == RG]
    return mean(row["policy_s"] / row["decisions"] for row in own)


def _deviation(below: str) -> Figure:
    def figure(rows: Rows) -> float | None:
        cost = {row["method"]: float(row["objective"]) for row in rows}
        return abs(cost["predicted"] - cost["real"]) / cost[below]

    return figure


VALUES: Mapping[str, Value] = {
    "andreas-scenario1-cost": _against_rules("scenario 1"),
    "andreas-scenario2-cost": _against_rules("scenario 2"),
    "andreas-scenario1-makespan": _against_rules("scenario 1", "makespan_h"),
    "andreas-scenario1-seconds": _of("scenario 1", _decision_seconds),
    "andreas-scenario2-seconds": _of("scenario 2", _decision_seconds),
    "andreas-table3-deviation": each_case(_deviation("real")),
    "andreas-table3-violations": each_case(late(RG)),
}
