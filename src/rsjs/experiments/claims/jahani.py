"""Jahani et al. 2019: the figure of each claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from rsjs.experiments.claims.claim import Row, Rows
from rsjs.experiments.claims.figures import (
    Figure,
    Value,
    each_case,
    ended,
    growth,
    mean,
    most,
    over_all,
    saving,
    with_nodes,
)
from rsjs.experiments.claims.jahani_prototype import four_jobs

MODEL = "jahani_patterns@highs"
RULES = ("fifo:code", "edf:code", "priority:code")
SAVING = saving(MODEL, RULES)
FIG4 = (1, 2, 4, 4, 2, 2, 1)  # GPUs of NV6, NV12, NV24, NV24, NV12, NV12, NV6
TABLE_III = {"small": (3.26, 14.06, 10.19, 18.25), "large": (18.37, 20.73, 94.37, 21.51)}
TABLE_V = {
    "predicted": (0.21, 0.21, 0.43, 1.66, 4.70, 3.61, 1.65),
    "real": (0.21, 0.21, 0.43, 2.47, 4.25, 3.70, 2.03),
}


def printed() -> Iterator[Row]:
    """Tables III and V as rows: what the paper prints, to be held against what it says."""
    for case, costs in TABLE_III.items():
        for method, cost in zip((MODEL, *RULES), costs, strict=True):
            yield _printed(f"Table III, {case}", method, cost)
    for method, slots in TABLE_V.items():
        yield _printed("Table V", method, sum(slots))


def _printed(case: str, method: str, cost: float) -> Row:
    instance = case.lower().replace(", ", "-").replace(" ", "-")
    return {
        "case": case,
        "instance": instance,
        "nodes": 1,
        "method": method,
        "status": "ok",
        "objective": cost,
    }


def _of_table(name: str, figure: Figure) -> Value:
    return each_case(figure, lambda row: row["case"] if row["case"].startswith(name) else None)


def _deviation(rows: Rows) -> float | None:
    costs = {row["method"]: row["objective"] for row in rows}
    return float(abs(costs["real"] - costs["predicted"]) / costs["predicted"])


def _shape(row: Row) -> str:
    return "J = N" if row["jobs"] == row["nodes"] else "J = 10 N"


def _where_all_fit(row: Row) -> str | None:
    return str(row["case"]) if row["jobs"] == row["nodes"] else None


def _solved(rows: Rows) -> float | None:
    """Share of the decisions of the printed model within 5 %; none found is not within."""
    return mean(float(row["gap"] is not None and row["gap"] <= 0.05) for row in rows)


def _with_idle_gpus(rows: Rows) -> float | None:
    return mean(float(row["idle"] > 0) for row in rows if row["idle"] is not None)


def _postponed(rows: Rows) -> float | None:
    return mean(1 - row["executed"] / row["jobs"] for row in rows if row["executed"] is not None)


def _slots_as_printed(rows: Rows) -> float | None:
    return mean(
        sum(a == b for a, b in zip(FIG4, map(int, str(row["slots"]).split()), strict=False))
        / len(FIG4)
        for row in ended(rows)
    )


def _cost_deviation(rows: Rows) -> float | None:
    return mean(abs(row["objective"] - row["predicted"]) / row["predicted"] for row in ended(rows))


def _preempted(rows: Rows) -> float | None:
    return mean(float(row["preemptions"] > 0) for row in ended(rows))


VALUES: Mapping[str, Value] = {
    "jahani-fig2-one-node": each_case(with_nodes(SAVING, 1)),
    "jahani-fig2-two-nodes": each_case(with_nodes(SAVING, 2)),
    "jahani-fig2-more-nodes": each_case(with_nodes(SAVING, 3, 40)),
    "jahani-fig2-peak": each_case(with_nodes(SAVING, 12, 15)),
    "jahani-fig3a-small": each_case(SAVING),
    "jahani-table3-small": each_case(over_all(min, [saving(MODEL, [rule]) for rule in RULES])),
    "jahani-table3-large": each_case(saving(MODEL, RULES[:1])),
    "jahani-table3-summary": _of_table("Table III", SAVING),
    "jahani-fig4-slots": each_case(_slots_as_printed),
    "jahani-fig4-preemption": each_case(_preempted),
    "jahani-table5-sum": _of_table("Table V", _deviation),
    "jahani-table5-deviation": each_case(_cost_deviation),
    "jahani-fig5-seconds": each_case(most(MODEL, "total_s")),
    "jahani-fig5-linear": each_case(growth(MODEL, "total_s")),
    "jahani-fig5-printed-model": each_case(_solved),
    "jahani-mu": each_case(_with_idle_gpus, _shape),
    "jahani-no-postponement": each_case(_postponed, _where_all_fit),
}
RUNS: Mapping[str, Callable[..., Iterable[Row]]] = {
    "four_jobs": four_jobs,
    "jahani_printed": printed,
}
