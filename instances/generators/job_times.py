"""
What jobs are drawn from: synthetic execution times, or networks of the catalogue.

Training jobs of the catalogue's networks: what Filippini 2024 and ANDREAS draw jobs from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rsjs.core.errors import one_of
from rsjs.core.types import Floats, Ints
from rsjs.instances.catalogue import gpus
from rsjs.instances.cluster import Cluster
from rsjs.instances.generators import random_streams

# GPU type -> speed of one GPU against a K80 (design of the synthetic family).
SPEED = {"K80": 1.0, "M60": 1.2, "GTX1080Ti": 2.5, "P600": 0.25}

# Jahani 2019, V-A: Alexnet, Resnet, VGG and DeepSpeech, in PyTorch and TensorFlow.
NETWORKS = ("AlexNet", "ResNet-50", "VGG16", "VGG19", "DeepSpeech2")
FRAMEWORKS = ("PyTorch", "TensorFlow")
MOST_EPOCHS = 12  # the most in Jahani's Table IV


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """
    The part of J jobs that is drawn before due dates and weights; as in `Jobs`.

    Attributes
    ----------
    application, meta : (J,) tuples
    hours_per_epoch : (J, T, G + 1) float
    epochs_max : (J,) int
    memory_gb : (J,) float
    """

    application: tuple[str, ...]
    hours_per_epoch: Floats
    epochs_max: Ints
    memory_gb: Floats
    meta: tuple[Mapping[str, Any], ...]

    def admissible_hours(self, cluster: Cluster) -> Floats:
        """(J, T, G + 1) hours of the whole job, inf where its memory does not fit."""
        memory = np.array([gpu.memory_gb for gpu in cluster.gpu_types])
        fits = self.memory_gb[:, None] <= memory
        hours = self.hours_per_epoch * self.epochs_max[:, None, None]
        return np.where(fits[:, :, None], hours, np.inf)


def synthetic(family: str, seed: int, n: int, cluster: Cluster) -> Pool:
    """
    n jobs of one epoch of base / speed / k^alpha hours on k GPUs.

    base is log-uniform on [0.3, 20] h, alpha uniform on [0.7, 0.95], and speed that of the GPU
    type times exp(N(0, 0.12)), drawn per job and GPU type.
    """
    base = random_streams.log_uniform(random_streams.uniforms(family, seed, "base", n), 0.3, 20.0)
    alpha = random_streams.uniform(random_streams.uniforms(family, seed, "alpha", n), 0.7, 0.95)
    hours = np.full((n, len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        noise = random_streams.normal(
            random_streams.uniforms(family, seed, f"speed/{gpu.name}", n), 0.0, 0.12
        )
        alone = base / (SPEED[gpu.name] * np.exp(noise))
        k = np.arange(1, cluster.largest_of_gpu[i] + 1)
        hours[:, i, 1 : len(k) + 1] = random_streams.rounded(alone[:, None] / k ** alpha[:, None])
    return Pool(
        application=("synthetic",) * n,
        hours_per_epoch=hours,
        epochs_max=np.ones(n, dtype=np.int64),
        memory_gb=np.zeros(n),
        meta=({},) * n,
    )


def of_networks(family: str, seed: int, n: int, cluster: Cluster) -> Pool:
    """
    n training jobs: network, framework, batch and 1 to 12 epochs, each drawn uniformly.

    130 000 samples per epoch, weak scaling, least time over 1..k GPUs. Batches are those whose
    memory fits the 12 GB of a K80, so that the pool does not depend on the node catalogue.
    """

    def u(field: str) -> Floats:
        return random_streams.uniforms(family, seed, field, n)

    names = random_streams.choice(u("network"), NETWORKS)
    frameworks = random_streams.choice(u("framework"), FRAMEWORKS)
    sizes = [_batches(name) for name in names]
    at = random_streams.index(u("batch"), [len(options) for options in sizes])
    batch = [options[i] for options, i in zip(sizes, at.tolist(), strict=True)]
    jobs = list(zip(names, frameworks, batch, strict=True))
    hours = {job: _pool_hours(cluster, *job) for job in dict.fromkeys(jobs)}
    memory = [gpus.memory_gb(name, size) for name, _, size in jobs]
    return Pool(
        application=tuple(f"{name} ({framework})" for name, framework, _ in jobs),
        hours_per_epoch=np.stack([hours[job] for job in jobs]),
        epochs_max=random_streams.integer(u("epochs"), 1, MOST_EPOCHS),
        memory_gb=random_streams.rounded(memory),
        meta=tuple({"batch": size, "samples": gpus.SAMPLES} for size in batch),
    )


POOLS = {"synthetic": synthetic, "networks": of_networks}


@cache
def _batches(network: str) -> tuple[int, ...]:
    limit = gpus.gpu_type("K80").memory_gb
    return tuple(b for b in gpus.batches(network) if gpus.memory_gb(network, b) <= limit)


def _pool_hours(cluster: Cluster, network: str, framework: str, batch: int) -> Floats:
    """(T, G + 1) hours per epoch, to 6 significant decimals."""
    hours = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
            hours[i, k] = gpus.seconds_per_epoch(
                network, gpu.name, k, batch, framework=framework, prefix_minimum=True
            )
    return random_streams.rounded(hours / 3600)


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
