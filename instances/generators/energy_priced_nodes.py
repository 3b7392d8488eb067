"""
Nodes priced by power, W / 1000 x price x PUE (ANDREAS 2021, V-B), and jobs of a user's catalogue.

The catalogue is a file of format `rsjs-catalogue/1`. Nodes: the GPU types that some application was
measured on, in equal numbers, in the order in which they come (with fewer nodes, the first ones). A
node has the largest number of GPUs measured on its type. Power of a GPU type is that of the user's
catalogue, or else of the package (node base, and TDP times the usual share in training).

Jobs: application, batch and epochs are uniform, applications among those that some node serves.
Times are the fitted ones under weak scaling on 1 GPU up to the largest number measured, the min
over fewer GPUs; an application has no times on GPU types that it was not measured on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.catalogue.gpus import gpu_type, row
from rsjs.instances.cluster import Cluster, GpuType, NodeType
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.job_times import JobTimes, draw_batches
from rsjs.instances.io.serialization import Document
from rsjs.instances.profiles.user_catalogue import step_time_of

PRICE, PUE = 0.172, 1.33  # EUR/kWh, -


def powered_node(gpu: str, size: int, base_w: float, train_w: float) -> NodeType:
    """Return a node of `size` GPUs that draws base_w, and train_w for each GPU in use [W]."""
    cost = [(base_w + k * train_w) / 1000 * PRICE * PUE for k in range(1, size + 1)]
    return NodeType(
        name=f"{size} x {gpu}", gpu_type=gpu, cost=(0.0, *random_streams.rounded(cost).tolist())
    )


def trained_node(gpu: str, size: int, networks: Sequence[str]) -> NodeType:
    """Return a node of the catalogue, each GPU in use at the mean power of training networks."""
    watts = [float(row("power_training", gpu=gpu, network=n)["avg_power_w"]) for n in networks]
    base = float(row("gpu_types", gpu=gpu)["node_base_w"])
    return powered_node(gpu, size, base, sum(watts) / len(watts))


def measured_cluster(catalogue: Document, nodes: int) -> Cluster:
    """Return N fixed nodes with the GPU types of a catalogue."""
    most: dict[str, int] = {}
    for application in catalogue["applications"].values():
        for gpu, times in application["times"].items():
            most[gpu] = max(most.get(gpu, 0), times["most_gpus"])
    if not most:
        raise InputError("/profiles", described("no application"), "at least one")
    chosen = [*most][:nodes]
    measured = catalogue["gpu_types"]
    return Cluster.of_fixed(
        [_gpu_type(gpu, measured) for gpu in chosen],
        [_node_type(gpu, most[gpu], measured) for gpu in chosen],
        [len(range(i, nodes, len(chosen))) for i in range(len(chosen))],
    )


def measured_jobs(
    catalogue: Document, family: str, seed: int, n: int, cluster: Cluster, epochs: tuple[int, int]
) -> JobTimes:
    """Draw n jobs, with epochs_max between the two of `epochs`."""
    u = partial(random_streams.uniforms, family, seed, n=n)
    present = {gpu.name for gpu in cluster.gpu_types}
    applications = {
        name: application
        for name, application in catalogue["applications"].items()
        if present & application["times"].keys()
    }
    kinds = draw_batches(u, {name: known["batches"] for name, known in applications.items()})
    hours = {kind: _hours(cluster, applications[kind[0]], kind[1]) for kind in {*kinds}}
    return JobTimes(
        application=tuple(name for name, _ in kinds),
        hours_per_epoch=np.stack([hours[kind] for kind in kinds]),
        epochs_max=random_streams.integer(u("epochs"), *epochs),
        memory_gb=random_streams.rounded([applications[name]["memory_gb"] for name, _ in kinds]),
        meta=tuple(
            {"batch": size, "samples": applications[name]["samples"]} for name, size in kinds
        ),
    )


def _hours(cluster: Cluster, application: Mapping[str, Any], batch: int) -> Floats:
    """Return (T, G + 1) hours per epoch, to 6 significant decimals."""
    hours = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        if (times := application["times"].get(gpu.name)) is None:
            continue
        step = step_time_of(times)
        counts = range(1, times["most_gpus"] + 1)
        steps = [application["samples"] / (k * batch) for k in counts]
        ms = [step.milliseconds(k, batch) for k in counts]
        seconds = np.array(steps) * ms / 1000
        hours[i, 1 : len(counts) + 1] = np.minimum.accumulate(seconds) / 3600
    return random_streams.rounded(hours)


def _gpu_type(name: str, measured: Mapping[str, Mapping[str, float]]) -> GpuType:
    if name in measured:
        return GpuType(name=name, memory_gb=float(measured[name]["memory_gb"]))
    return gpu_type(name)


def _node_type(name: str, size: int, measured: Mapping[str, Mapping[str, float]]) -> NodeType:
    if name in measured:
        return powered_node(name, size, measured[name]["node_base_w"], measured[name]["train_w"])
    gpu = row("gpu_types", gpu=name)
    train = float(gpu["tdp_w"]) * float(gpu["train_power_frac_default"])
    return powered_node(name, size, float(gpu["node_base_w"]), train)
