"""
Jahani et al. 2019: the figure of each claim.

The four jobs of Jahani 2019, section V-C: one node of Table II's Azure types, a job every 300 s.

Networks, frameworks, batches and epochs are those of Table IV, 130 000 images each; due dates and
weights are drawn as in V-A. What the paper calls a slot is the time between two events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rsjs.instances.catalogue import gpus
from rsjs.instances.generators import jahani, random_streams
from rsjs.instances.instance import Workload
from rsjs.paper_claims.claim import Row, Rows
from rsjs.paper_claims.metrics import (
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
from rsjs.paper_claims.runs import row, simulated
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import policy

TABLE_IV = (  # network, framework, epochs, batch
    ("VGG19", "PyTorch", 1, 32),
    ("VGG19", "TensorFlow", 1, 32),
    ("AlexNet", "PyTorch", 12, 256),
    ("ResNet-50", "PyTorch", 3, 64),
)
GAP = 300.0  # s


def four_jobs(
    *, seeds: Sequence[int], method: str, cases: Mapping[str, Mapping[str, Any]]
) -> Iterator[Row]:
    """
    Simulate the four jobs, each case with more arguments of `Options`.

    Yields
    ------
    Row
        Of the whole run, with `slots`, the GPUs of the node in each slot, e.g. "1 2 4 4 2 2 1", and
        `predicted`, the cost [$] where nothing takes longer than predicted.
    """
    for seed in seeds:
        made = workload(seed)
        decides = policy(method, made)
        for case, more in cases.items():
            options = Options(period=made.H, **more)
            found = simulated(made, decides, options)
            predicted = simulated(made, decides, options.as_predicted())
            sizes = " ".join(map(str, slot_sizes(found)))
            yield {**row(case, found), "slots": sizes, "predicted": predicted.totals.cost}


def workload(seed: int) -> Workload:
    """The four jobs with the due dates and weights of a seed."""
    base = jahani.workload(
        nodes=1, jobs=len(TABLE_IV), seed=seed, catalogue="azure", gap_seconds=GAP, law="constant"
    )
    cluster, jobs = base.cluster, base.jobs
    hours = np.full(jobs.hours_per_epoch.shape, np.inf)
    for j, (network, framework, _, batch) in enumerate(TABLE_IV):
        for i, gpu in enumerate(cluster.gpu_types):
            for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
                seconds = gpus.seconds_per_epoch(
                    network, gpu.name, k, batch, framework=framework, prefix_minimum=True
                )
                hours[j, i, k] = seconds / 3600
    epochs = np.array([epochs for _, _, epochs, _ in TABLE_IV])
    whole = np.where(np.isfinite(hours), hours, np.nan) * epochs[:, None, None]
    least, longest = np.nanmin(whole, axis=(1, 2)), np.nanmax(whole, axis=(1, 2))
    u = random_streams.uniforms(jahani.FAMILY, seed, "due", len(TABLE_IV))
    made = replace(
        jobs,
        application=tuple(f"{network} ({framework})" for network, framework, *_ in TABLE_IV),
        hours_per_epoch=random_streams.rounded(hours),
        epochs_max=epochs,
        due=random_streams.rounded(jobs.release + random_streams.uniform(u, least, 2 * longest)),
    )
    return replace(
        base, name=f"jahani-table4-s{seed}", jobs=made, realised_epochs=made.epochs_max.copy()
    )


def slot_sizes(outcome: Outcome) -> list[int]:
    """GPUs of the node after each decision but the last, 0 = off."""
    cluster, kind, sizes = outcome.workload.cluster, -1, []
    for record in outcome.records:
        if record.changes is not None:
            if record.changes.nodes.size:
                kind = int(record.changes.kind[-1])
            sizes.append(int(cluster.gpus_of_type[kind]) if kind >= 0 else 0)
    return sizes


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
    return mean(float(row["own_gap"] is not None and row["own_gap"] <= 0.05) for row in rows)


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
