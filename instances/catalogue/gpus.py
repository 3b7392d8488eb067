"""
Catalogue of GPU types and networks: memory, time of a training step, time of an epoch.

The tables are CSV files in `data/`; each number has a source (a row of the table "sources") and a
status: `measured` (a published measurement of that network on that GPU type, or a fit to such),
`interpolated` (a measurement times a measured ratio), `estimated` (a transferred ratio or a
hardware specification, +-35 %), `invented` (chosen to match words in a paper), `printed` (a number
in a source paper).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from rsjs.core.errors import InputError, described, integer, one_of
from rsjs.instances.cluster import GpuType

TABLES = (
    "arrivals",
    "epochs_distribution",
    "gpu_types",
    "memory",
    "power_training",
    "sources",
    "step_time_model",
    "vm_costs",
)
SAMPLES = 130_000  # per epoch: Jahani 2019, Table IV
SCALINGS = ("weak", "strong")
# PyTorch: time per sample over TensorFlow's, the mean of seven ResNet-50 ratios (1.02-1.35).
FRAMEWORKS = MappingProxyType({"TensorFlow": 1.0, "PyTorch": 1.15})


@cache
def table(name: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of one of `TABLES`, column -> text."""
    one_of("table", name, TABLES)
    text = files("rsjs.instances").joinpath("data", f"{name}.csv").read_text("utf-8")
    return tuple(MappingProxyType(entries) for entries in csv.DictReader(text.splitlines()))


def rows(name: str, **entries: str) -> list[Mapping[str, str]]:
    """Return the rows of a table with these entries."""
    return [row for row in table(name) if entries.items() <= row.items()]


@cache
def row(name: str, **entries: str) -> Mapping[str, str]:
    """Return the first row of a table with these entries; InputError names both if none has."""
    for each in rows(name, **entries):
        return each
    sought = ", ".join(f"{column} = {entry}" for column, entry in entries.items())
    raise InputError(f"/{name}", described(f"no row with {sought}"), "one in this table")


@cache
def gpu_names() -> tuple[str, ...]:
    """Return all GPU types, in the order of the table."""
    return tuple(entry["gpu"] for entry in table("gpu_types"))


@cache
def networks() -> tuple[str, ...]:
    """Return all networks, in the order of the table."""
    return tuple(dict.fromkeys(entry["network"] for entry in table("step_time_model")))


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """Time of a training step of one network on one GPU type."""

    # a step on one GPU takes alpha + beta * b, b samples on it [ms, ms per sample]
    alpha: float
    beta: float
    # overheads of several GPUs: share of the one-GPU step [-]; once; per further GPU [ms]
    rho: float
    c0: float
    c1: float
    exchange: float  # time to send all parameters once [ms]
    io_cap: float  # samples per second that the input pipeline can deliver, whatever the framework
    status: str  # of beta, the coefficient that most of the time comes from

    def milliseconds(self, k: int, local_batch: float) -> float:
        """Return T(k), the time of a step with `local_batch` samples on each of k GPUs [ms]."""
        alone = self.alpha + self.beta * local_batch
        if k == 1:
            return alone
        shared = self.rho * alone * (1 - 1 / k) + self.c0 + self.c1 * (k - 1)
        return alone + shared + 2 * (k - 1) / k * self.exchange


@cache
def step_time(network: str, gpu: str) -> StepTime:
    """Return the step time of one of `networks()` on one of `gpu_names()`."""
    one_of("network", network, networks())
    one_of("gpu", gpu, gpu_names())
    entry = row("step_time_model", network=network, gpu=gpu)
    return StepTime(
        alpha=float(entry["alpha_ms"]),
        beta=float(entry["beta_ms_per_sample"]),
        rho=float(entry["rho"]),
        c0=float(entry["c0_ms"]),
        c1=float(entry["c1_ms_per_gpu"]),
        exchange=float(entry["param_MB"]) * float(entry["inv_bw_ms_per_MB"]),
        io_cap=float(entry["io_cap_samples_s"] or "inf"),
        status=entry["beta_status"],
    )


@cache
def gpu_type(name: str, *, board: bool = False) -> GpuType:
    """
    Return a GPU type without shares.

    Parameters
    ----------
    name : str
        One of `gpu_names()`.
    board : bool
        The memory of the whole board where the STS paper counts a board as one GPU (K80 24 GB,
        M60 16 GB, A100 80 GB; Filippini 2024, Table IV); otherwise that of one GPU.
    """
    one_of("gpu", name, gpu_names())
    entry = row("gpu_types", gpu=name)
    memory = (board and entry["paper_mem_gb"]) or entry["mem_gb"]
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
    Return seconds to train on `samples` samples once, on k dedicated GPUs.

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
        The min time over 1..k GPUs, so that it never grows with k.
    """
    step = step_time(network, gpu)
    k, batch = integer("k", k, 1), integer("batch", batch, 1)
    samples = integer("samples", samples, 1)
    weak = one_of("scaling", scaling, SCALINGS) == "weak"
    factor = FRAMEWORKS[one_of("framework", framework, FRAMEWORKS)]

    def seconds(gpus: int) -> float:
        local = batch if weak else batch / gpus
        rate = 1000 * gpus * local / step.milliseconds(gpus, local)
        return samples / step.io_cap if rate >= step.io_cap else factor * samples / rate

    return min(map(seconds, range(1, k + 1))) if prefix_minimum else seconds(k)


@cache
def batches(network: str) -> tuple[int, ...]:
    """Return the batches for which the memory of a network is tabulated."""
    one_of("network", network, networks())
    return tuple(int(entry["batch"]) for entry in rows("memory", network=network))


def memory_gb(network: str, batch: int) -> float:
    """Return memory of a job with `batch` samples on each GPU [GB]: fixed + per sample."""
    one_of("network", network, networks())
    batch = integer("batch", batch, 1)
    entry = row("memory", network=network)
    return float(entry["fixed_gb"]) + float(entry["per_sample_mb"]) * batch / 1024
