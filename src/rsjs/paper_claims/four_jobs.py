"""
The four jobs of Jahani et al. 2019, V-C: one node of Table II's Azure types, a job every 300 s.

Networks, frameworks, batches and epochs are those of Table IV, 130 000 images each; due dates and
weights are drawn as in V-A. What the paper calls a slot is the time between two events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rsjs.instances.catalogue import gpus
from rsjs.instances.generators import jahani, random_streams
from rsjs.instances.instance import Workload
from rsjs.paper_claims.claim import Row
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
