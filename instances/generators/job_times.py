"""
Random jobs without release, due date and weight: times per epoch, epochs and memory.

`synthetic` jobs have invented execution times. `training_jobs` train networks of the catalogue, as
in ANDREAS 2021 and Filippini 2024; `of_networks` draws those of Jahani 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, one_of
from rsjs.core.types import Floats, Ints
from rsjs.instances.catalogue import gpus
from rsjs.instances.cluster import Cluster
from rsjs.instances.generators import random_streams

# GPU type -> speed of one GPU against a K80 (design of the synthetic family).
SPEED = {"K80": 1.0, "M60": 1.2, "GTX1080Ti": 2.5, "P600": 0.25}

# Jahani 2019, V-A: Alexnet, Resnet, VGG and DeepSpeech, in PyTorch and TensorFlow.
NETWORKS = ("AlexNet", "ResNet-50", "VGG16", "VGG19", "DeepSpeech2")
FRAMEWORKS = ("PyTorch", "TensorFlow")
MOST_EPOCHS = 12  # the max in Jahani's Table IV
SPEEDUPS = ("weak", "strong", "p0.5")
_POWER = 0.5  # of p0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTimes:
    """J jobs before their due dates and weights are drawn; attributes as in `Jobs`."""

    application: tuple[str, ...]  # (J,)
    hours_per_epoch: Floats  # (J, T, G + 1)
    epochs_max: Ints  # (J,)
    memory_gb: Floats  # (J,)
    meta: tuple[Mapping[str, Any], ...]  # (J,)
    network: tuple[str, ...] = ()  # (J,) names in the catalogue; empty for other jobs

    def admissible_hours(self, cluster: Cluster) -> Floats:
        """Return (J, T, G + 1) hours of the whole job, inf where its memory does not fit."""
        memory = np.array([gpu.memory_gb for gpu in cluster.gpu_types])
        fits = self.memory_gb[:, None] <= memory
        hours = self.hours_per_epoch * self.epochs_max[:, None, None]
        return np.where(fits[:, :, None], hours, np.inf)


def synthetic(
    family: str,
    seed: int,
    n: int,
    cluster: Cluster,
    *,
    speed: Mapping[str, float] = SPEED,
    spread: float = 0.12,
    alpha: tuple[float, float] = (0.7, 0.95),
) -> JobTimes:
    """
    Draw n jobs of one epoch of base / speed / k^alpha hours on k GPUs.

    base is log-uniform on [0.3, 20] h, alpha uniform between the two given, and speed that of the
    GPU type times exp(N(0, spread)), drawn per job and GPU type.
    """
    base = random_streams.log_uniform(random_streams.uniforms(family, seed, "base", n), 0.3, 20.0)
    power = random_streams.uniform(random_streams.uniforms(family, seed, "alpha", n), *alpha)
    hours = np.full((n, len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        if gpu.name not in speed:
            found = described(f"synthetic, which has no speed of {gpu.name}")
            raise InputError("/times", found, "networks")
        noise = random_streams.normal(
            random_streams.uniforms(family, seed, f"speed/{gpu.name}", n), 0.0, spread
        )
        alone = base / (speed[gpu.name] * np.exp(noise))
        k = np.arange(1, cluster.largest_of_gpu[i] + 1)
        hours[:, i, 1 : len(k) + 1] = random_streams.rounded(alone[:, None] / k ** power[:, None])
    return JobTimes(
        application=("synthetic",) * n,
        hours_per_epoch=hours,
        epochs_max=np.ones(n, dtype=np.int64),
        memory_gb=np.zeros(n),
        meta=({},) * n,
    )


def of_networks(
    family: str,
    seed: int,
    n: int,
    cluster: Cluster,
    *,
    frameworks: Sequence[str] = FRAMEWORKS,
    epochs: tuple[int, int] = (1, MOST_EPOCHS),
    samples: int = gpus.SAMPLES,
) -> JobTimes:
    """
    Draw n training jobs of the networks of Jahani 2019, by default each of 1 to 12 epochs.

    Batches are those whose memory fits the 12 GB of a K80, so that the jobs do not depend on the
    node catalogue.
    """
    limit = gpus.gpu_type("K80").memory_gb
    return training_jobs(
        family,
        seed,
        n,
        cluster,
        batches={
            name: [size for size in gpus.batches(name) if gpus.memory_gb(name, size) <= limit]
            for name in NETWORKS
        },
        frameworks=frameworks,
        epochs=epochs,
        samples=samples,
    )


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
) -> JobTimes:
    """
    Draw n training jobs: network, framework, batch and epochs_max, each uniform.

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
        Min and max epochs_max.
    samples : int
        Per epoch.
    speedup : "weak" | "strong" | "p0.5"
        Time on k GPUs: the min over 1..k of the catalogue's times under weak scaling (the batch
        is that of each GPU) or strong scaling (of all GPUs together); or 1-GPU time / k^0.5.
    """

    one_of("speedup", speedup, SPEEDUPS)
    u = partial(random_streams.uniforms, family, seed, n=n)
    kinds = draw_batches(u, batches)
    framework = random_streams.choice(u("framework"), frameworks)
    jobs = [(name, chosen, size) for (name, size), chosen in zip(kinds, framework, strict=True)]
    hours = {job: _hours(cluster, *job, samples, speedup) for job in dict.fromkeys(jobs)}
    return JobTimes(
        network=tuple(name for name, _ in kinds),
        application=tuple(f"{name} ({chosen})" for name, chosen, _ in jobs),
        hours_per_epoch=np.stack([hours[job] for job in jobs]),
        epochs_max=random_streams.integer(u("epochs"), *epochs),
        memory_gb=random_streams.rounded([gpus.memory_gb(name, size) for name, _, size in jobs]),
        meta=tuple({"batch": size, "samples": samples} for _, size in kinds),
    )


def draw_batches(
    u: Callable[[str], Floats], batches: Mapping[str, Sequence[int]]
) -> list[tuple[str, int]]:
    """Return network and batch of each job, both uniform, from the streams "network", "batch"."""
    names = random_streams.choice(u("network"), [*batches])
    index = random_streams.index(u("batch"), [len(batches[name]) for name in names])
    return [(name, batches[name][i]) for name, i in zip(names, index.tolist(), strict=True)]


def _hours(
    cluster: Cluster, network: str, framework: str, batch: int, samples: int, speedup: str
) -> Floats:
    """Return (T, G + 1) hours per epoch, to 6 significant decimals."""
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


# Name of the execution times -> what draws jobs of (family, seed, n, cluster).
TIMES: Mapping[str, Callable[[str, int, int, Cluster], JobTimes]] = MappingProxyType(
    {"synthetic": synthetic, "networks": of_networks}
)
