"""
Random instances of clusters with many GPU types and large nodes, ours: hard ones to compare on.

Each parameter has its reason in hardware that people run, see docs/reference/heterogeneous.md. Left
open by those reasons, decided here:

* GPU types: the eight of the catalogue, then H100 and L4 with memory and peak FP32 rate of NVIDIA's
  data sheets; the first `types` of them. Where times are not those of networks, a GPU is as fast
  as its peak FP32 rate, times exp(N(0, 0.28)) for each job: the spread of the catalogue's
  measured speeds around these rates.
* Price of a GPU hour: 0.56 $ of Jahani 2019 for a K80, in proportion to the peak FP32 rate, times
  U(0.7, 1.3) for each GPU type and seed. A node with k of its s GPUs in use costs 0.2 s + 0.8 k of
  these: beside 8 GPUs in training the base draws 13 to 31 % of a node's power in the catalogue.
* Node class c of C may take the GPU types at positions c, c + C, ...: one class can become
  anything, with as many classes as types the hardware is fixed. Classes are as equal as N allows;
  with fewer nodes than classes, jobs have no times on the GPU types of the classes without nodes.
* Networks, weights and H are those of `jahani`; of networks 10 to 100 epochs of the 1 281 167
  images of ImageNet. `load` multiplies all times, against the interval H and the costs of idle
  GPUs.
* Shares of a GPU slow a job down by U(1.01, 1.17), the range of Filippini 2024, Table IV.

Sizes nest; all variants are paired: the same seed draws the same jobs as far as they have a field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, integer, one_of, positive
from rsjs.core.types import Bools, Floats
from rsjs.instances.catalogue import gpu_shares, gpus
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import arrivals, random_streams
from rsjs.instances.generators.assemble import InstanceParts, due_window
from rsjs.instances.generators.jahani import WEIGHT
from rsjs.instances.generators.job_times import JobTimes, of_networks, synthetic
from rsjs.instances.instance import FAMILIES, Instance, Workload
from rsjs.instances.validation import MOST_NODES

FAMILY = "heterogeneous"
KINDS = MappingProxyType({"proportional": FAMILIES["jahani"], "first_ending": FAMILIES["kiros"]})
# GPUs of a node -> of the node types in turn.
SIZES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {**{str(size): (size,) for size in (2, 4, 8, 16, 24, 72)}, "mixed": (8, 16, 24, 72)}
)
MEASURED = ("A100", "V100", "T4", "P100", "K80", "M60", "GTX1080Ti", "P600")
# Of NVIDIA's data sheets: GPU type -> memory [GB], peak FP32 rate [TFLOPS].
FURTHER: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"H100": (80.0, 67.0), "L4": (24.0, 30.3)}
)
GPUS = (*MEASURED, *FURTHER)
TIMES = ("networks", "power", "linear", "random")
COUNTS = ("any", "powers", "rigid")
DUE = ("median", "base", "tight")
PRICES = ("flat", "used")
# Name of the shares -> units of a GPU, units of each level.
SHARES: Mapping[str, tuple[int, tuple[int, ...]]] = MappingProxyType(
    {"none": (1, ()), "7": (7, (2, 3)), "16": (16, (3, 5, 7)), "24": (24, (5, 7, 9, 11))}
)
SPREAD = 0.28  # standard deviation of log(measured speed / peak rate), against a K80
ALPHA = (0.5, 0.95)
EPOCHS, SAMPLES = (10, 100), 1_281_167
MOST_RIGID = 8  # GPUs of the smallest node of `mixed`
BASE = 0.2  # share of the base in the price of a full node
SLOWEST = 1.17  # inflation
GAP = 30_000.0  # s, of Kiros 2020


def generate(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    kind: str = "proportional",
    gpus: str = "8",
    types: int = 5,
    classes: int = 1,
    prices: str = "flat",
    scaling: str = "networks",
    counts: str = "any",
    due: str = "median",
    shares: str = "none",
    load: float = 1.0,
    rho: float = 100.0,
) -> Instance:
    """
    Return one decision at time 0 with all jobs submitted.

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1.
    seed : int
        >= 0.
    kind : "proportional" | "first_ending"
        Objective: that of Jahani 2019 or of Kiros 2020.
    gpus : "2" | "4" | "8" | "16" | "24" | "72" | "mixed"
        GPUs of each node type; `mixed`: 8, 16, 24 and 72 in turn.
    types : int
        Number of GPU types, 1 to 10; 1 to 8 with the times of networks.
    classes : int
        Number of node classes, 1 to `types`.
    prices : "flat" | "used"
        Of a node: whatever GPUs are in use, or for its base and those in use (only of kind
        first_ending).
    scaling : "networks" | "power" | "linear" | "random"
        Time on k GPUs: of the catalogue's networks under weak scaling (beyond the 8 to 16 GPUs
        measured, extrapolated); t / k^alpha, alpha uniform on [0.5, 0.95]; t / k; or t times
        uniforms on [0.05, 1], sorted such that times do not grow with k.
    counts : "any" | "powers" | "rigid"
        Numbers of GPUs that a job admits: all, powers of two, or one of 1, 2, 4 and 8.
    due : "median" | "base" | "tight"
        Uniform on [0.5, 1] times the median time over the modes of the job, or as in `jahani`.
    shares : "none" | "7" | "16" | "24"
        Levels: 2, 3 of 7; 3, 5, 7 of 16; 5, 7, 9, 11 of 24. Only of kind first_ending.
    load : float
        Factor of all times, > 0.
    rho : float
        Weight of postponement, >= 1.

    Returns
    -------
    Instance
        With the values of all parameters in its name.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return _draw(**locals()).instance()


def workload(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    kind: str = "proportional",
    gpus: str = "8",
    types: int = 5,
    classes: int = 1,
    prices: str = "flat",
    scaling: str = "networks",
    counts: str = "any",
    due: str = "median",
    shares: str = "none",
    load: float = 1.0,
    rho: float = 100.0,
    law: str = "exp",
    gap_seconds: float | None = None,
) -> Workload:
    """
    Return the jobs of `generate` submitted over time; due dates count from submission.

    Parameters
    ----------
    nodes, jobs, seed, kind, gpus, types, classes, prices, scaling, counts, due, shares, load, rho
        As in `generate`.
    law : "exp" | "integer_poisson" | "constant"
        See `arrivals`; no loads, whose rates need jobs that run on one GPU.
    gap_seconds : float, optional
        The mean gap times the number of nodes [s], 30 000 by default.

    Returns
    -------
    Workload
        Every job runs all its epochs.
    """
    options = {
        name: value for name, value in locals().items() if name not in ("law", "gap_seconds")
    }
    drawn = _draw(**options)
    one_of("law", law, arrivals.PROCESSES)
    return drawn.workload(law, gap_seconds, GAP)


def _draw(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    kind: str,
    gpus: str,
    types: int,
    classes: int,
    prices: str,
    scaling: str,
    counts: str,
    due: str,
    shares: str,
    load: float,
    rho: float,
) -> InstanceParts:
    nodes, jobs = integer("nodes", nodes, 1, MOST_NODES), integer("jobs", jobs, 1)
    parameters = {
        "nodes": nodes,
        "jobs": jobs,
        "seed": integer("seed", seed, 0),
        "kind": one_of("kind", kind, KINDS),
        "gpus": one_of("gpus", str(gpus), SIZES),
        "types": integer("types", types, 1),
        "classes": integer("classes", classes, 1),
        "prices": one_of("prices", prices, PRICES),
        "scaling": one_of("scaling", scaling, TIMES),
        "counts": one_of("counts", counts, COUNTS),
        "due": one_of("due", due, DUE),
        "shares": one_of("shares", str(shares), SHARES),
        "load": positive("load", load),
        "rho": positive("rho", rho),
    }
    gpus, shares = str(gpus), str(shares)
    most = len(MEASURED) if scaling == "networks" else len(GPUS)
    if types > most:
        raise InputError("/types", types, f"at most {most} with scaling = {scaling}")
    if classes > types:
        raise InputError("/classes", classes, f"at most the {types} GPU types")
    if rho < 1:
        raise InputError("/rho", rho, ">= 1")
    if shares != "none" and kind != "first_ending":
        raise InputError("/shares", shares, f"none with kind = {kind}")
    if prices != "flat" and kind != "first_ending":
        raise InputError("/prices", prices, f"flat with kind = {kind}")
    cluster = _cluster(seed, nodes, gpus, types, classes, prices, shares)
    drawn = _times(seed, jobs, cluster, scaling)
    hours = random_streams.rounded(load * drawn.hours_per_epoch)
    drawn = replace(drawn, hours_per_epoch=np.where(_admitted(seed, hours, counts), hours, np.inf))
    return InstanceParts(
        family=FAMILY,
        variant=(
            f"{kind}-{gpus}gpus-{types}types-{classes}classes-{prices}",
            f"{scaling}-{counts}-{due}-shares{shares}-load{load:g}-rho{rho:g}",
        ),
        parameters=parameters,
        cluster=cluster,
        times=drawn,
        due=_due(due, drawn.admissible_hours(cluster)),
        weight=WEIGHT,
        law=(FIXED,) * jobs,
        inflation=None if shares == "none" else _inflation(seed, jobs, cluster),
        objective=KINDS[kind],
        rho=float(rho),
    )


def peak_rate(gpu: str) -> float:
    """Return the peak FP32 rate of one of `GPUS`, those of a K80 (half a board)."""
    rate = (
        FURTHER[gpu][1] if gpu in FURTHER else float(gpus.row("gpu_types", gpu=gpu)["fp32_tflops"])
    )
    return rate / float(gpus.row("gpu_types", gpu="K80")["fp32_tflops"])


def _cluster(
    seed: int, nodes: int, size: str, types: int, classes: int, prices: str, shares: str
) -> Cluster:
    chosen, sizes = GPUS[:types], SIZES[size]
    alone = float(gpus.row("vm_costs", vm_type="Standard NC6")["cost_per_hour"])
    node_types = []
    for i, gpu in enumerate(chosen):
        s = sizes[i % len(sizes)]
        u = random_streams.uniforms(FAMILY, seed, f"price/{gpu}", 1)
        price = alone * peak_rate(gpu) * random_streams.uniform(u, 0.7, 1.3)[0]
        k = np.arange(1, s + 1)
        used = np.full(s, s) if prices == "flat" else BASE * s + (1 - BASE) * k
        cost = (0.0, *random_streams.rounded(price * used).tolist())
        node_types.append(NodeType(name=f"{s} x {gpu}", gpu_type=gpu, cost=cost))
    return Cluster(
        gpu_types=tuple(_gpu_type(gpu, *SHARES[shares]) for gpu in chosen),
        node_types=tuple(node_types),
        groups=tuple(
            NodeGroup(
                count=len(range(c, nodes, classes)),
                types=tuple(v.name for v in node_types[c::classes]),
            )
            for c in range(min(classes, nodes))
        ),
    )


def _gpu_type(name: str, units: int, levels: tuple[int, ...]) -> GpuType:
    """Return a GPU type whose shares have memory in proportion."""
    memory = FURTHER[name][0] if name in FURTHER else gpus.gpu_type(name).memory_gb
    shares = tuple(
        ShareLevel(units=level, max_memory_gb=float(f"{memory * level / units:.6g}"))
        for level in levels
    )
    return GpuType(name=name, memory_gb=memory, units=units, levels=shares)


def _times(seed: int, n: int, cluster: Cluster, scaling: str) -> JobTimes:
    """Draw n jobs that may run on any number of GPUs."""
    if scaling == "networks":
        return of_networks(
            FAMILY, seed, n, cluster, frameworks=("PyTorch",), epochs=EPOCHS, samples=SAMPLES
        )
    speed = {gpu.name: peak_rate(gpu.name) for gpu in cluster.gpu_types}
    alpha = (1.0, 1.0) if scaling == "linear" else ALPHA
    drawn = synthetic(FAMILY, seed, n, cluster, speed=speed, spread=SPREAD, alpha=alpha)
    if scaling != "random":
        return drawn
    hours = drawn.hours_per_epoch.copy()
    for i, gpu in enumerate(cluster.gpu_types):
        more = max(0, int(cluster.largest_of_gpu[i]) - 1)
        u = random_streams.uniforms(FAMILY, seed, f"falling/{gpu.name}", n * more)
        falling = -np.sort(-random_streams.uniform(u, 0.05, 1.0).reshape(n, more), axis=1)
        hours[:, i, 2 : more + 2] = random_streams.rounded(hours[:, i, 1, None] * falling)
    return replace(drawn, hours_per_epoch=hours)


def _admitted(seed: int, hours: Floats, counts: str) -> Bools:
    """Return (J, 1, G + 1) whether a job admits a number of GPUs."""
    n, _, columns = hours.shape
    k = np.arange(columns)
    if counts == "any":
        return np.ones((n, 1, columns), dtype=bool)
    powers = (k > 0) & (k & (k - 1) == 0)
    if counts == "powers":
        return np.broadcast_to(powers, (n, 1, columns))
    options = k[powers & (k <= MOST_RIGID)]
    u = random_streams.uniforms(FAMILY, seed, "rigid", n)
    only = np.array(random_streams.choice(u, options.tolist()))
    admitted: Bools = only[:, None, None] == k
    return admitted


def _due(due: str, hours: Floats) -> tuple[Floats, Floats]:
    if due != "median":
        return due_window(due, hours)
    median = np.array([np.median(of_job[np.isfinite(of_job)]) for of_job in hours])
    return 0.5 * median, median


def _inflation(seed: int, n: int, cluster: Cluster) -> Floats:
    """Return (J, T, L), uniform for each job, GPU type and level."""
    drawn = [
        [
            random_streams.uniforms(FAMILY, seed, f"inflation/{gpu.name}/{level.units}", n)
            for level in gpu.levels
        ]
        for gpu in cluster.gpu_types
    ]
    between = random_streams.uniform(np.array(drawn), gpu_shares.LEAST, SLOWEST)
    return random_streams.rounded(np.moveaxis(between, -1, 0))
