"""
Random instances of Filippini et al. 2024 (STS), section VII-A: RS-JS on fixed nodes.

From the paper: networks, batches 16, 32 and 64, at most 100 epochs (VII-A2); K80, M60 and A100 at
the prices of Table III, due dates (31), weights U(0.0254, 0.0444) $/s, mean gap 50 000 / N s, loads
high and low (VII-A3); Table IV, and due dates up to 20 % later with sharing (VII-A4).

Left open by the paper, decided here:

* Nodes. Table III has 1 to 8 GPUs on a node, priced by those in use. Here sizes 8, 4 and 2 and the
  GPU types of the mix come in equal numbers, as far as N allows: a node of 8 GPUs of each type,
  then of 4, then of 2, and again. From N = the number of GPU types on, every mode of 1 to 8 GPUs
  is present and the jobs do not depend on N. A whole board counts as one GPU (Table IV).
* Times. Those of the catalogue, 130 000 samples per epoch: a gap of 50 000 / N s then loads the
  GPUs by a quarter (km) or a twentieth (with A100), with the paper's 13 000 by a tenth of that.
  `samples`, and weak scaling, strong scaling or speed-up k^0.5, are variants; times never grow
  with k (III-B).
* t in (31) is the time of all 100 epochs on dedicated GPUs, over modes that are present.
* The number of epochs: `epoch_models`; a network has one distribution in both frameworks.
* rho = 100 and H = 1 h, as in Jahani 2019: the paper gives neither.
* A share level that a job's memory forbids has no inflation.

Sizes nest, and variants are paired: the same seed draws the same jobs, of which a variant changes
only its own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, integer, one_of
from rsjs.core.own_code import as_given
from rsjs.core.types import Floats
from rsjs.instances.catalogue import epoch_models, gpu_shares
from rsjs.instances.catalogue.epoch_models import read_distribution
from rsjs.instances.catalogue.gpu_shares import shared_gpu_type
from rsjs.instances.catalogue.gpus import FRAMEWORKS, SAMPLES, gpu_type, row
from rsjs.instances.cluster import Cluster, NodeType
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.generators.assemble import InstanceParts, due_window
from rsjs.instances.generators.job_times import SPEEDUPS, JobTimes, training_jobs
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.validation import MOST_NODES

MIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"km": ("K80", "M60"), "a100": ("A100",), "kma": ("K80", "M60", "A100")}
)
SIZES = (8, 4, 2)


def fixed_nodes(nodes: int, mix: str, *, shared: bool) -> Cluster:
    """
    Return a cluster of `nodes` nodes, with groups in the order in which node types come.

    Parameters
    ----------
    nodes : int
        N >= 1.
    mix : "km" | "a100" | "kma"
    shared : bool
        Whether GPUs have the share levels of Table IV.
    """
    gpus = MIXES[mix]
    kinds = list(product(SIZES, gpus))
    return Cluster.of_fixed(
        [shared_gpu_type(gpu) if shared else gpu_type(gpu, board=True) for gpu in gpus],
        [_node_type(gpu, size) for size, gpu in kinds],
        [len(range(i, nodes, len(kinds))) for i in range(len(kinds))],
    )


def _node_type(gpu: str, size: int) -> NodeType:
    """Return a node priced by the GPUs in use, as in Table III."""
    prices = [
        float(row("vm_costs", vm_type="node", gpu=gpu, gpus=str(k))["cost_per_hour"])
        for k in range(1, size + 1)
    ]
    return NodeType(name=f"{size} x {gpu}", gpu_type=gpu, cost=(0.0, *prices))


FAMILY = "sts"
SHARING = ("none", "paper", "contention")
LAWS = (*epoch_models.VARIANTS, FIXED)
# Network of the catalogue -> that of its distribution of epochs.
NETWORKS: Mapping[str, str] = MappingProxyType(
    {
        "AlexNet": "AlexNet",
        "ResNet-50": "ResNet",
        "VGG16": "VGG16",
        "MobileNetV2": "MobileNetV2",
    }
)
BATCHES = (16, 32, 64)
WEIGHT = (0.0254 * 3600, 0.0444 * 3600)  # $/h
GAP = 50_000.0  # s
LATER = 1.2  # the last due date with sharing over that without


def generate(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    mix: str = "km",
    sharing: str = "none",
    speedup: str = "weak",
    samples: int = SAMPLES,
    laws: str = "base",
) -> Instance:
    """
    Return an instance at time 0 with all jobs submitted (as in the paper's VII-C).

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1; the paper has 10 to 100 nodes and J = 10 N, in VII-C 2 N and 4 N.
    seed : int
        >= 0.
    mix : "km" | "a100" | "kma"
        GPU types.
    sharing : "none" | "paper" | "contention"
        No shares, or those of Table IV with an inflation of `gpu_shares`.
    speedup : "weak" | "strong" | "p0.5"
        See `training_jobs`.
    samples : int
        Per epoch.
    laws : "base" | "mild" | "strong" | "fixed", or a .csv file
        Epochs by a variant of `epoch_models`, or always 100, or by the distribution in a file.

    Returns
    -------
    Instance
        Named sts-<mix>-<sharing>-at0-<speedup>-<samples>-<laws>-N<nodes>-J<jobs>-s<seed>.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return _draw(nodes, jobs, seed, mix, sharing, speedup, samples, laws).instance()


def workload(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    mix: str = "km",
    sharing: str = "none",
    speedup: str = "weak",
    samples: int = SAMPLES,
    laws: str = "base",
    law: str = "exp",
    gap_seconds: float | None = None,
) -> Workload:
    """
    Return the jobs of `generate` submitted over time; due dates count from submission.

    Parameters
    ----------
    nodes, jobs, seed, mix, sharing, speedup, samples, laws
        As in `generate`.
    law : "exp" | "high" | "low" | "mixed" | "integer_poisson" | "constant"
        See `arrivals`; the paper has the first three.
    gap_seconds : float, optional
        The mean gap times the number of nodes [s], 50 000 by default; none for the loads.

    Returns
    -------
    Workload
        Each job runs a number of epochs drawn from its distribution.
    """
    drawn = _draw(nodes, jobs, seed, mix, sharing, speedup, samples, laws)
    return drawn.workload(law, gap_seconds, GAP)


def _draw(
    nodes: int,
    jobs: int,
    seed: int,
    mix: str,
    sharing: str,
    speedup: str,
    samples: int,
    laws: str,
) -> InstanceParts:
    nodes, jobs = integer("nodes", nodes, 1, MOST_NODES), integer("jobs", jobs, 1)
    seed, samples = integer("seed", seed, 0), integer("samples", samples, 1)
    laws = str(laws)  # of a path, too
    parameters = {
        "nodes": nodes,
        "jobs": jobs,
        "seed": seed,
        "mix": one_of("mix", mix, MIXES),
        "sharing": one_of("sharing", sharing, SHARING),
        "speedup": one_of("speedup", speedup, SPEEDUPS),
        "samples": samples,
        "laws": laws if laws.endswith(".csv") else one_of("laws", laws, LAWS),
    }
    laws, names, known = distributions(laws)
    cluster = fixed_nodes(nodes, mix, shared=sharing != "none")
    times = training_jobs(
        FAMILY,
        seed,
        jobs,
        cluster,
        batches=dict.fromkeys(NETWORKS, BATCHES),
        frameworks=tuple(FRAMEWORKS),
        epochs=(epoch_models.LAST, epoch_models.LAST),
        samples=samples,
        speedup=speedup,
    )
    low, high = due_window("at_most_thrice", times.admissible_hours(cluster))
    every = f"{samples // 1000}k" if samples % 1000 == 0 else str(samples)
    return InstanceParts(
        family=FAMILY,
        variant=(f"{mix}-{sharing}", f"{speedup}-{every}-{laws}"),
        parameters=parameters,
        cluster=cluster,
        times=times,
        due=(low, high if sharing == "none" else LATER * high),
        weight=WEIGHT,
        laws=known,
        law=tuple(names.get(net, FIXED) for net in times.network),
        inflation=None if sharing == "none" else _inflation(sharing, seed, times, cluster),
    )


def distributions(laws: str) -> tuple[str, dict[str, str], dict[str, EpochDistribution]]:
    """Return a short name for all of them, network -> name, and name -> distribution."""
    if laws == FIXED:
        return laws, {}, {}
    if not laws.endswith(".csv"):
        names = {network: f"{model}-{laws}" for network, model in NETWORKS.items()}
        known = {
            names[network]: epoch_models.epoch_distribution(model, laws)
            for network, model in NETWORKS.items()
        }
        return laws, names, known
    name, law = Path(laws).stem, read_distribution(as_given(laws))
    if law.epochs[-1] > epoch_models.LAST:
        raise InputError("", int(law.epochs[-1]), f"epochs up to {epoch_models.LAST}", laws)
    return name, dict.fromkeys(NETWORKS, name), {name: law}


def _inflation(sharing: str, seed: int, times: JobTimes, cluster: Cluster) -> Floats:
    """Return (J, T, L) inflation, inf where the memory of a job exceeds the level's."""
    gpus = [gpu.name for gpu in cluster.gpu_types]
    drawn = (
        gpu_shares.paper(FAMILY, seed, len(times.network), gpus)
        if sharing == "paper"
        else gpu_shares.contention(times.network, gpus)
    )
    limit = np.array([[level.max_memory_gb for level in gpu.levels] for gpu in cluster.gpu_types])
    return np.where(times.memory_gb[:, None, None] <= limit, drawn, np.inf)
