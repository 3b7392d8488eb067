"""Training jobs of the catalogue's networks: what Filippini 2024 and ANDREAS draw jobs from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rsjs.instances.arguments import one_of
from rsjs.instances.catalogue import gpus
from rsjs.instances.cluster import Cluster
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.job_times import Pool
from rsjs.instances.generators.random_streams import Floats

SPEEDUPS = ("weak", "strong", "p0.5")
_POWER = 0.5  # of p0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingPool(Pool):
    """
    A pool with the network of each job.

    Attributes
    ----------
    network : (J,) tuple of str, names of the catalogue
    """

    network: tuple[str, ...]


def training_jobs(
    family: str,
    seed: int,
    n: int,
    cluster: Cluster,
    *,
    batches: Mapping[str, Sequence[int]],
    frameworks: Sequence[str],
    epochs: tuple[int, int],
    samples: int = gpus.SAMPLES,
    speedup: str = "weak",
) -> TrainingPool:
    """
    n jobs: network, framework, batch and most epochs, each drawn uniformly.

    Parameters
    ----------
    family, seed
        Name the streams.
    n : int
    cluster : Cluster
        Jobs have times on 1 GPU up to those of the largest node with each GPU type.
    batches : mapping
        The networks, each with its batches.
    frameworks : sequence of str
    epochs : (int, int)
        Least and largest epochs_max.
    samples : int
        Per epoch.
    speedup : "weak" | "strong" | "p0.5"
        Time on k GPUs: the least over 1..k of the catalogue's law under weak scaling (the batch
        is that of each GPU) or strong scaling (of all GPUs together); or 1-GPU time / k^0.5.
    """

    def u(field: str) -> Floats:
        return random_streams.uniforms(family, seed, field, n)

    one_of("speedup", speedup, SPEEDUPS)
    names = random_streams.choice(u("network"), tuple(batches))
    framework = random_streams.choice(u("framework"), frameworks)
    at = random_streams.index(u("batch"), [len(batches[name]) for name in names])
    batch = [batches[name][i] for name, i in zip(names, at.tolist(), strict=True)]
    jobs = list(zip(names, framework, batch, strict=True))
    hours = {job: _hours(cluster, *job, samples, speedup) for job in dict.fromkeys(jobs)}
    return TrainingPool(
        network=tuple(names),
        application=tuple(f"{name} ({chosen})" for name, chosen, _ in jobs),
        hours_per_epoch=np.stack([hours[job] for job in jobs]),
        epochs_max=random_streams.integer(u("epochs"), *epochs),
        memory_gb=random_streams.rounded([gpus.memory_gb(name, size) for name, _, size in jobs]),
        meta=tuple({"batch": size, "samples": samples} for size in batch),
    )


def _hours(
    cluster: Cluster, network: str, framework: str, batch: int, samples: int, speedup: str
) -> Floats:
    """(T, G + 1) hours per epoch, to 6 significant decimals."""
    by_power = speedup == "p0.5"
    scaling = "weak" if by_power else speedup
    hours = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
            hours[i, k] = gpus.seconds_per_epoch(
                network,
                gpu.name,
                1 if by_power else k,
                batch,
                samples,
                scaling,
                framework,
                prefix_minimum=True,
            )
            if by_power:
                hours[i, k] /= k**_POWER
    return random_streams.rounded(hours / 3600)
