"""
The four jobs of Jahani 2019, section V-C: one node of Table II's Azure types, a job every 300 s.

Networks, frameworks, batches and epochs are those of Table IV, 130 000 images each; due dates and
weights are drawn as in V-A. What the paper calls a slot is the time between two events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rsjs.experiments.claims.claim import Row
from rsjs.experiments.claims.simulated import row, simulated
from rsjs.instances.catalogue import gpus
from rsjs.instances.generators import jahani, random_streams
from rsjs.instances.instance import Workload
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
