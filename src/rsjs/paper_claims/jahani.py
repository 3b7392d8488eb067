"""
Jahani et al. 2019: the metric of each claim, and the four jobs of section V-C.

Those are on one node of Table II's Azure types, a job every 300 s. Networks, frameworks, batches
and epochs are those of Table IV, 130 000 images each; due dates and weights are drawn as in V-A.
What the paper calls a slot is the time between two events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from rsjs.paper_claims.runs import LONGEST, Runner
from rsjs.runs.kinds.base import kind
from rsjs.simulation import event_log
from rsjs.simulation.event_log import Log
from rsjs.simulation.options import Options

TABLE_IV = (  # network, framework, epochs, batch
    ("VGG19", "PyTorch", 1, 32),
    ("VGG19", "TensorFlow", 1, 32),
    ("AlexNet", "PyTorch", 12, 256),
    ("ResNet-50", "PyTorch", 3, 64),
)
GAP = 300.0  # s


def four_jobs(
    runner: Runner, *, seeds: Sequence[int], method: str, cases: Mapping[str, Mapping[str, Any]]
) -> list[Row]:
    """
    Simulate the four jobs, each case with more arguments of `Options`.

    Rows have `slots`, the GPUs of the node in each slot, e.g. "1 2 4 4 2 2 1", and `predicted`, the
    cost [$] where nothing takes longer than predicted.
    """
    workloads = {made.digest: made for made in map(workload, seeds)}
    rows = []
    for case, more in cases.items():
        problems = [(case, made) for made in workloads.values()]
        options = Options(period=problems[0][1].H, **more)
        found, predicted = (
            runner.rows(problems, [method], LONGEST, one)
            for one in (options, options.as_predicted())
        )
        for row, before in zip(found, predicted, strict=True):
            log = runner.file(row, kind("workload").solution_file)
            made = workloads[row["instance_sha256"]]
            sizes = slot_sizes(made, event_log.read(log)) if log.is_file() else []
            slots = " ".join(map(str, sizes))
            rows.append({**row, "slots": slots, "predicted": before["objective"]})
    return rows


def workload(seed: int) -> Workload:
    """Draw the four jobs with the due dates and weights of a seed."""
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


def slot_sizes(workload: Workload, log: Log) -> list[int]:
    """Return the GPUs of the node after each decision but the last, 0 = off."""
    size = {t.name: t.gpus for t in workload.cluster.node_types}
    kind, sizes = None, []
    for event in log.events:
        if event["decided"]:
            kind = event.get("nodes", {"0": kind})["0"]
            sizes.append(0 if kind is None else size[kind])
    return sizes


MODEL = "jahani_patterns@highs"
RULES = ("fifo:code", "edf:code", "priority:code")
SAVING = saving(MODEL, RULES)
FIG4 = (1, 2, 4, 4, 2, 2, 1)  # GPUs of NV6, NV12, NV24, NV24, NV12, NV12, NV6


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
