"""
Networks for the jobs of a trace, and their times on the GPUs of the catalogue.

    t(g, k) = D r(g, k) / r(g*, k*)                                                          (1)

D is the recorded run time on k* GPUs of type g*, r the time per epoch of the catalogue for the
network and batch of the job (weak scaling, least over 1..k GPUs). So t(g*, k*) = D.

Where the trace does not tell the network, its class is that of the GPU-hours, as in Sia (SOSP
'23): up to 1 h, 10 h, 100 h, more; network and batch are drawn uniformly within the class. The
networks of the classes are invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.catalogue import gpus
from rsjs.instances.cluster import Cluster
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.records import Rows

FAMILY = "trace"
CLASSES: Sequence[tuple[float, tuple[str, str]]] = (  # GPU-hours up to, networks
    (1.0, ("AlexNet", "LSTM")),
    (10.0, ("MobileNetV2", "EfficientNet-B0")),
    (100.0, ("ResNet-50", "VGG16")),
    (np.inf, ("VGG19", "DeepSpeech2")),
)
BATCHES = (16, 32, 64)  # Filippini 2024, VII-A2
_BATCH = re.compile(r"(.*) \(batch size (\d+)\)")  # of Gavel


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """
    What (n,) jobs train.

    Attributes
    ----------
    network : tuple of str, of the catalogue
    batch : tuple of int, on each GPU
    """

    network: tuple[str, ...]
    batch: tuple[int, ...]


def draw(rows: Rows, networks: Mapping[str, str], seed: int) -> Training:
    """Network and batch of each job, from the trace as far as `networks` knows its application."""
    n = len(rows)
    hours = rows.duration * rows.gpus * rows.share / 3600
    limits = [limit for limit, _ in CLASSES]
    own = np.searchsorted(limits, hours, side="left")
    which = random_streams.index(random_streams.uniforms(FAMILY, seed, "network", n), 2)
    batch = random_streams.choice(random_streams.uniforms(FAMILY, seed, "batch", n), BATCHES)
    network = [CLASSES[c][1][i] for c, i in zip(own.tolist(), which.tolist(), strict=True)]
    for j, code in enumerate(rows.application.tolist()):
        name = rows.applications[code] if code >= 0 else ""
        told = _BATCH.fullmatch(name)
        if (kind := told[1] if told else name) in networks:
            network[j] = networks[kind]
            batch[j] = int(told[2]) if told else batch[j]
    return Training(network=tuple(network), batch=tuple(batch))


def whole_hours(
    rows: Rows, training: Training, recorded: Sequence[str], cluster: Cluster
) -> tuple[Floats, NDArray[np.bool_]]:
    """
    (n, T, G + 1) hours of each job on dedicated GPUs by (1), and where they are those recorded.

    Parameters
    ----------
    recorded : (n,) sequence of str
        g*, in the catalogue.
    """
    hours = np.full((len(rows), len(cluster.gpu_types), cluster.largest + 1), np.inf)
    same = np.zeros(hours.shape, dtype=bool)
    jobs = zip(training.network, training.batch, recorded, rows.gpus.tolist(), strict=True)
    members: dict[tuple[str, int, str, float], list[int]] = {}
    for j, job in enumerate(jobs):
        members.setdefault(job, []).append(j)
    for (network, batch, gpu, k), own in members.items():
        ratio = _per_epoch(cluster, network, batch) / _seconds(network, gpu, int(k), batch)
        known = rows.duration[own, None, None] / 3600
        hours[own] = known * ratio
        same[own] = ratio == 1
    return hours, same


def _per_epoch(cluster: Cluster, network: str, batch: int) -> Floats:
    found = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
            found[i, k] = _seconds(network, gpu.name, k, batch)
    return found


@cache
def _seconds(network: str, gpu: str, k: int, batch: int) -> float:
    return gpus.seconds_per_epoch(network, gpu, k, batch, prefix_minimum=True)
