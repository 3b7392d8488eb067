"""GPU types, and what training a network takes: time per epoch and memory."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from rsjs.instances.arguments import integer, one_of
from rsjs.instances.catalogue.step_times import step_time
from rsjs.instances.catalogue.tables import gpu_names, networks, table
from rsjs.instances.cluster import GpuType

SAMPLES = 130_000  # per epoch: Jahani 2019, Table IV
SCALINGS = ("weak", "strong")
# PyTorch: time per sample over TensorFlow's, the mean of seven ResNet-50 ratios (1.02-1.35).
FRAMEWORKS = MappingProxyType({"TensorFlow": 1.0, "PyTorch": 1.15})


@cache
def gpu_type(name: str, *, board: bool = False) -> GpuType:
    """
    A GPU type without shares.

    Parameters
    ----------
    name : str
        One of `gpu_names()`.
    board : bool
        The memory of the whole board where the STS paper counts a board as one GPU (K80 24 GB,
        M60 16 GB, A100 80 GB; Filippini 2024, Table IV); otherwise that of one GPU.
    """
    one_of("gpu", name, gpu_names())
    row = next(row for row in table("gpu_types") if row["gpu"] == name)
    memory = (board and row["paper_mem_gb"]) or row["mem_gb"]
    return GpuType(name=name, memory_gb=float(memory))


def seconds_per_epoch(
    network: str,
    gpu: str,
    k: int,
    batch: int,
    samples: int = SAMPLES,
    scaling: str = "weak",
    framework: str = "TensorFlow",
    *,
    prefix_minimum: bool = False,
) -> float:
    """
    Seconds to train on `samples` samples once, on k dedicated GPUs.

    The rate is min(1000 k b / T(k), io_cap) samples per second, b samples on each GPU. The
    framework's factor applies below the cap: a job that waits for its input gains nothing from
    a faster framework.

    Parameters
    ----------
    network, gpu : str
    k : int
        GPUs, >= 1.
    batch : int
        Samples in a step: on each GPU ("weak" scaling) or on all together ("strong").
    samples : int
        Samples in an epoch.
    scaling : "weak" | "strong"
    framework : "TensorFlow" | "PyTorch"
    prefix_minimum : bool
        The least time over 1..k GPUs, so that it never grows with k.
    """
    law = step_time(network, gpu)
    k, batch = integer("k", k, 1), integer("batch", batch, 1)
    samples = integer("samples", samples, 1)
    weak = one_of("scaling", scaling, SCALINGS) == "weak"
    factor = FRAMEWORKS[one_of("framework", framework, FRAMEWORKS)]

    def seconds(gpus: int) -> float:
        local = batch if weak else batch / gpus
        rate = 1000 * gpus * local / law.milliseconds(gpus, local)
        return samples / law.io_cap if rate >= law.io_cap else factor * samples / rate

    return min(map(seconds, range(1, k + 1))) if prefix_minimum else seconds(k)


@cache
def batches(network: str) -> tuple[int, ...]:
    """The batches for which the memory of a network is tabulated."""
    one_of("network", network, networks())
    return tuple(int(row["batch"]) for row in table("memory") if row["network"] == network)


def memory_gb(network: str, batch: int) -> float:
    """GPU memory of a training job with `batch` samples on each GPU [GB]: fixed + per sample."""
    one_of("network", network, networks())
    batch = integer("batch", batch, 1)
    row = next(row for row in table("memory") if row["network"] == network)
    return float(row["fixed_gb"]) + float(row["per_sample_mb"]) * batch / 1024
