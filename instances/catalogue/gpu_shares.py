"""
GPU shares of Filippini 2024, Table IV, and how much slower a job runs on one.

A K80 (24 GB) or M60 (16 GB) has quarters and halves, an A100 (80 GB) tenths and 3/20: 4 and 20
units. Two models of the inflation b = time on a share / time on the whole GPU:

* `paper`: b ~ U(1.01, b_max) for each job, GPU type and level (VII-A4; "per use" is read so).
* `contention`, ours: b from u, the sum of the GPU utilisations that the jobs on one GPU have when
  alone: max(1.02, u) on K80 and M60, where images train by time slicing (Gavel: a pair's median
  is 1.87), and 1 + 0.026 u + 0.514 max(0, u - 1) elsewhere, the fit to Lucid's pairs (R2 0.65; u
  up to 2, beyond it extrapolated). A job's b may not depend on its neighbours, so u is that of a
  GPU full of jobs like it. The catalogue has no utilisations: (training power - idle) / (limit -
  idle) stands for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.catalogue.gpus import gpu_type, row
from rsjs.instances.cluster import GpuType, ShareLevel
from rsjs.instances.generators import random_streams


@dataclass(frozen=True, kw_only=True)
class Share:
    """A row of Table IV: units of the GPU, memory threshold [GB], largest inflation."""

    units: int
    max_memory_gb: float
    most: float


_QUARTER, _HALF = 1.11, 1.05
UNITS: Mapping[str, int] = MappingProxyType({"K80": 4, "M60": 4, "A100": 20})
TABLE_IV: Mapping[str, tuple[Share, ...]] = MappingProxyType(
    {
        "K80": (
            Share(units=1, max_memory_gb=6.0, most=_QUARTER),
            Share(units=2, max_memory_gb=12.0, most=_HALF),
        ),
        "M60": (
            Share(units=1, max_memory_gb=4.0, most=_QUARTER),
            Share(units=2, max_memory_gb=8.0, most=_HALF),
        ),
        "A100": (
            Share(units=2, max_memory_gb=8.0, most=1.17),
            Share(units=3, max_memory_gb=12.0, most=1.15),
        ),
    }
)
LEAST = 1.01
TIME_SLICED = ("K80", "M60")


def shared_gpu_type(name: str) -> GpuType:
    """Return a GPU type of Table IV with its share levels and the memory of the whole board."""
    levels = tuple(
        ShareLevel(units=share.units, max_memory_gb=share.max_memory_gb) for share in TABLE_IV[name]
    )
    return replace(gpu_type(name, board=True), units=UNITS[name], levels=levels)


def paper(family: str, seed: int, n: int, gpus: Sequence[str]) -> Floats:
    """Draw (n, T, L) inflation of n jobs on the levels of T GPU types: uniform, 6 decimals."""
    drawn = [
        [
            random_streams.uniform(
                random_streams.uniforms(family, seed, f"inflation/{gpu}/{share.units}", n),
                LEAST,
                share.most,
            )
            for share in TABLE_IV[gpu]
        ]
        for gpu in gpus
    ]
    return random_streams.rounded(np.moveaxis(np.array(drawn), -1, 0))


def contention(networks: Sequence[str], gpus: Sequence[str]) -> Floats:
    """Return (n, T, L) inflation of jobs of these networks, each among jobs like it."""
    of_network = {
        network: [[_contended(network, gpu, share) for share in TABLE_IV[gpu]] for gpu in gpus]
        for network in dict.fromkeys(networks)
    }
    return random_streams.rounded([of_network[network] for network in networks])


def _contended(network: str, gpu: str, share: Share) -> float:
    u = UNITS[gpu] // share.units * utilisation(network, gpu)
    return max(1.02, u) if gpu in TIME_SLICED else 1 + 0.026 * u + 0.514 * max(0.0, u - 1)


@cache
def utilisation(network: str, gpu: str) -> float:
    """Return the share of a GPU that one job of a network keeps busy, from its power."""
    limits = row("gpu_types", gpu=gpu)
    power = float(row("power_training", network=network, gpu=gpu)["avg_power_w"])
    idle = float(limits["idle_w"])
    return (power - idle) / (float(limits["tdp_w"]) - idle)
