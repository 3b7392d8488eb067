"""Filippini et al. 2021 (ANDREAS): the figure of each claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rsjs.experiments.claims.claim import Row, Rows, Values
from rsjs.experiments.claims.figures import Figure, Value, average, each_case, gain, late, mean

RG = "randomized_greedy:paper"
ALONE = ("fifo:code", "edf:code", "priority:code")
SHARED = ("queue:fifo", "queue:edf", "queue:priority")
RULES = (("one job per node", ALONE), ("shared nodes", SHARED))
REAL, PREDICTED = 0.95111, 1.08438  # EUR, Table III


def printed() -> Iterator[Row]:
    """Table III as rows."""
    for method, cost in (("real", REAL), ("predicted", PREDICTED)):
        yield {"case": "Table III", "method": method, "objective": cost}


def _average_gain(others: Sequence[str], name: str = "objective") -> Figure:
    """Mean of the reductions against several methods."""

    def figure(rows: Rows) -> float | None:
        found = [gain(RG, other, name)(rows) for other in others]
        return mean(value for value in found if value is not None)

    return figure


def _against_rules(scenario: str, name: str = "objective") -> Value:
    """The average gain in each load of a scenario, against each kind of rules."""

    def values(rows: Rows) -> Values:
        own = [row for row in rows if str(row["case"]).startswith(scenario)]
        return {
            f"{case}, {how}": value
            for how, others in RULES
            for case, value in each_case(_average_gain(others, name))(own).items()
        }

    return values


def _of(scenario: str, figure: Figure) -> Value:
    return each_case(
        figure, lambda row: str(row["case"]) if str(row["case"]).startswith(scenario) else None
    )


def _deviation(below: str) -> Figure:
    def figure(rows: Rows) -> float | None:
        cost = {row["method"]: float(row["objective"]) for row in rows}
        return abs(cost["predicted"] - cost["real"]) / cost[below]

    return figure


VALUES: Mapping[str, Value] = {
    "andreas-scenario1-cost": _against_rules("scenario 1"),
    "andreas-scenario2-cost": _against_rules("scenario 2"),
    "andreas-scenario1-makespan": _against_rules("scenario 1", "makespan_h"),
    "andreas-scenario1-seconds": _of("scenario 1", average(RG, "decision_median_s")),
    "andreas-scenario2-seconds": _of("scenario 2", average(RG, "decision_median_s")),
    "andreas-table3-deviation": each_case(_deviation("real")),
    "andreas-table3-violations": each_case(late(RG)),
}
RUNS: Mapping[str, Callable[..., Iterable[Row]]] = {"andreas_printed": printed}
