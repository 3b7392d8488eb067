"""
What traces do not record: networks of the jobs, times on other GPUs, prices of the nodes.

Times on the GPUs of the catalogue are

    t(g, k) = D r(g, k) / r(g*, k*)                                                          (1)

D is the recorded run time on k* GPUs of type g*, r the time per epoch of the catalogue for the
network and batch of the job (weak scaling, min over 1..k GPUs). So t(g*, k*) = D.

Where the trace does not name the network, its class is that of the GPU-hours, as in Sia (SOSP
'23): up to 1 h, 10 h, 100 h, more; network and batch are drawn uniformly within the class. The
networks of the classes are invented.

GPU types of traces are P100, T4, K80, M60, A100 and V100 whatever their memory. Invented, for want
of times: A10 and G2 (a code of openb) as V100, G3 as A100, MISC of PAI (K40, K80, M60) as K80.
Others, such as H800, have no stand-in unless the user names one.

Prices of nodes are invented by the rule of ANDREAS: a node with k GPUs in use draws the base power
of its GPU type's nodes + k times the mean training power over the catalogue's networks, at its
price of energy and PUE. With flat prices (Jahani 2019) a node costs what it does with all GPUs in
use. With shares, every GPU has quarters: 1, 2 or 3 of 4, each with that part of its memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, one_of
from rsjs.core.types import Bools, Floats
from rsjs.instances.catalogue import gpus
from rsjs.instances.catalogue.gpus import gpu_names, gpu_type
from rsjs.instances.cluster import Cluster, GpuType, NodeType, ShareLevel
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.energy_priced_nodes import trained_node
from rsjs.instances.traces.columns import MAX_NODE_GPUS, MAX_NODES
from rsjs.instances.traces.records import JobRecords, TraceNodes

FAMILY = "trace"
CLASSES: Sequence[tuple[float, tuple[str, str]]] = (  # GPU-hours up to, networks
    (1.0, ("AlexNet", "LSTM")),
    (10.0, ("MobileNetV2", "EfficientNet-B0")),
    (100.0, ("ResNet-50", "VGG16")),
    (np.inf, ("VGG19", "DeepSpeech2")),
)
BATCHES = (16, 32, 64)  # Filippini 2024, VII-A2
INVENTED: Mapping[str, str] = MappingProxyType(
    {"A10": "V100", "G2": "V100", "G3": "A100", "MISC": "K80"}
)
UNRECORDED = ""
UNITS = 4
_EXACT = MappingProxyType({"V100M16": "V100", "V100M32": "V100"})
_OR = "|"
_NODES = re.compile(r"([^:]*):(\d{1,4}):(\d{1,7})")
_BATCH = re.compile(r"(.*) \(batch size (\d+)\)")  # of Gavel


def draw_networks(
    rows: JobRecords, networks: Mapping[str, str], seed: int
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """
    Draw network and batch of each job, but for applications that `networks` knows.

    Returns
    -------
    (n,) tuple of str
        Networks of the catalogue.
    (n,) tuple of int
        Batches on each GPU.
    """
    n = len(rows)
    hours = rows.duration * rows.gpus * rows.share / 3600
    size = np.searchsorted([limit for limit, _ in CLASSES], hours, side="left")
    which = random_streams.index(random_streams.uniforms(FAMILY, seed, "network", n), 2)
    batch = random_streams.choice(random_streams.uniforms(FAMILY, seed, "batch", n), BATCHES)
    network = [CLASSES[c][1][i] for c, i in zip(size.tolist(), which.tolist(), strict=True)]
    for j, (name, size_of_batch) in named_networks(rows, networks).items():
        network[j] = name
        batch[j] = size_of_batch or batch[j]
    return tuple(network), tuple(batch)


def named_networks(
    rows: JobRecords, networks: Mapping[str, str]
) -> dict[int, tuple[str, int | None]]:
    """Return job -> network and batch, of applications such as "ResNet-50 (batch size 64)"."""
    named = {}
    for j, code in enumerate(rows.application.tolist()):
        application = rows.applications[code] if code >= 0 else ""
        with_batch = _BATCH.fullmatch(application)
        if (name := with_batch[1] if with_batch else application) in networks:
            named[j] = networks[name], int(with_batch[2]) if with_batch else None
    return named


def hours_on_whole_gpus(
    rows: JobRecords,
    network: Sequence[str],
    batch: Sequence[int],
    recorded: Sequence[str],
    cluster: Cluster,
) -> tuple[Floats, Bools]:
    """
    Return the hours of each job on dedicated GPUs by (1), and where they are those recorded.

    Parameters
    ----------
    recorded : (n,) sequence of str
        GPU type g* of the catalogue.

    Returns
    -------
    (n, T, G + 1) float
    (n, T, G + 1) bool
    """
    hours = np.full((len(rows), len(cluster.gpu_types), cluster.largest + 1), np.inf)
    same = np.zeros(hours.shape, dtype=bool)
    # Jobs that differ in their run time only have one ratio.
    alike: dict[tuple[str, int, str, float], list[int]] = {}
    for j, job in enumerate(zip(network, batch, recorded, rows.gpus.tolist(), strict=True)):
        alike.setdefault(job, []).append(j)
    for (name, size, gpu, k), jobs in alike.items():
        ratio = _per_epoch(cluster, name, size) / _seconds(name, gpu, int(k), size)
        hours[jobs] = rows.duration[jobs, None, None] / 3600 * ratio
        same[jobs] = ratio == 1
    return hours, same


def _per_epoch(cluster: Cluster, network: str, batch: int) -> Floats:
    """Return (T, G + 1) r(g, k) [s]."""
    seconds = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    for i, gpu in enumerate(cluster.gpu_types):
        for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
            seconds[i, k] = _seconds(network, gpu.name, k, batch)
    return seconds


@cache
def _seconds(network: str, gpu: str, k: int, batch: int) -> float:
    return gpus.seconds_per_epoch(network, gpu, k, batch, prefix_minimum=True)


def stand_ins(given: Mapping[str, str], unrecorded: str) -> dict[str, str]:
    """
    Return recorded name -> GPU type of the catalogue, for spellings that are no such type.

    Parameters
    ----------
    given : mapping
        The user's, which go first.
    unrecorded : str
        For jobs and nodes whose GPU type is not recorded.
    """
    for gpu in given.values():
        one_of("gpus", gpu, gpu_names())
    return {**_EXACT, **INVENTED, UNRECORDED: unrecorded, **given}


def gpus_of(model: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """
    Return the GPU types of the catalogue for a recorded name; none if it has no substitute.

    >>> gpus_of("V100M16|T4", stand_ins({}, "V100")), gpus_of("A100-SXM4-80GB", {})
    (('V100', 'T4'), ('A100',))
    """
    types = (_gpu_of(name.strip(), known) for name in model.split(_OR))
    return tuple(dict.fromkeys(gpu for gpu in types if gpu))


def _gpu_of(name: str, known: Mapping[str, str]) -> str | None:
    if name in known:
        return known[name]
    return next((gpu for gpu in gpu_names() if name == gpu or name.startswith(f"{gpu}-")), None)


def nodes_for(
    model: str, nodes: Sequence[TraceNodes], known: Mapping[str, str], *, binding: bool
) -> list[TraceNodes]:
    """
    Return the nodes on which a job of a recorded GPU type may run.

    These are the nodes of that type; without any, the nodes of types with its stand-in. A job
    without a type may run on all nodes, and so may one without such nodes if types do not bind.
    Nodes of types without a stand-in run nothing.
    """
    usable = [group for group in nodes if gpus_of(group.model, known)]
    names, types = {name.strip() for name in model.split(_OR)}, {*gpus_of(model, known)}
    suitable = [group for group in usable if group.model in names] or [
        group for group in usable if not types.isdisjoint(gpus_of(group.model, known))
    ]
    return usable if model == UNRECORDED or not (suitable or binding) else suitable


def parse_nodes(text: str) -> list[TraceNodes]:
    """
    Return nodes as an option spells them, GPU type : GPUs of a node : number of nodes.

    >>> parse_nodes("V100:8:100,P100:4:20")[1]
    TraceNodes(model='P100', gpus=4, count=20)
    """
    nodes = []
    for part in text.split(","):
        spelled = _NODES.fullmatch(part.strip())
        if not (
            spelled
            and 1 <= (size := int(spelled[2])) <= MAX_NODE_GPUS
            and 1 <= (count := int(spelled[3])) <= MAX_NODES
        ):
            expected = (
                "GPU:GPUS:NODES,... such as V100:8:100,P100:4:20, "
                f"at most {MAX_NODE_GPUS} GPUs and {MAX_NODES} nodes"
            )
            raise InputError("/cluster", text, expected)
        nodes.append(TraceNodes(one_of("cluster", spelled[1], gpu_names()), size, count))
    return nodes


def build_cluster(
    nodes: Sequence[TraceNodes], known: Mapping[str, str], *, shared: bool, flat: bool
) -> Cluster:
    """
    Build a cluster of these nodes, those of GPU types without a stand-in left out.

    Parameters
    ----------
    known : mapping
        See `stand_ins`.
    shared : bool
        Whether GPUs have quarters.
    flat : bool
        Whether the price of a node does not depend on the GPUs in use.
    """
    count: Counter[tuple[str, int]] = Counter()
    for group in nodes:
        for gpu in gpus_of(group.model, known)[:1]:
            count[gpu, group.gpus] += group.count
    if not count:
        expected = "the nodes, such as V100:8:100: the trace has no node list"
        raise InputError("/cluster", None, expected)
    names = [gpu for gpu in gpu_names() if any(gpu == listed for listed, _ in count)]
    kinds = sorted(count, key=lambda kind: (names.index(kind[0]), -kind[1]))
    return Cluster.of_fixed(
        [_quartered(gpu_type(name)) if shared else gpu_type(name) for name in names],
        [_node_type(gpu, size, flat) for gpu, size in kinds],
        [count[kind] for kind in kinds],
    )


def _quartered(gpu: GpuType) -> GpuType:
    levels = tuple(
        ShareLevel(units=units, max_memory_gb=gpu.memory_gb * units / UNITS)
        for units in range(1, UNITS)
    )
    return replace(gpu, units=UNITS, levels=levels)


def _node_type(gpu: str, size: int, flat: bool) -> NodeType:
    node_type = trained_node(gpu, size, gpus.networks())
    return replace(node_type, cost=(0.0, *node_type.cost[-1:] * size)) if flat else node_type
