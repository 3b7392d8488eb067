"""
Clusters for traces: the nodes of a node list or of the user, with GPU types of the catalogue.

Prices are invented by the rule of ANDREAS: a node with k GPUs in use draws the base power of its
GPU type's nodes + k times the mean training power over the catalogue's networks, at its price of
energy and PUE. With flat prices (Jahani 2019) a node costs what it does with all GPUs in use.

With shares, every GPU has quarters: 1, 2 or 3 of 4, each with that part of its memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rsjs.instances.arguments import one_of
from rsjs.instances.catalogue.gpus import gpu_type
from rsjs.instances.catalogue.tables import gpu_names, table
from rsjs.instances.cluster import Cluster, GpuType, NodeType, ShareLevel
from rsjs.instances.cluster import NodeGroup as Nodes
from rsjs.instances.errors import InputError
from rsjs.instances.generators.energy_priced_nodes import powered_node
from rsjs.instances.traces.formats.node_lists import MOST_GPUS
from rsjs.instances.traces.gpu_models import gpus_of
from rsjs.instances.traces.trace_format import NodeGroup

UNITS = 4
MOST_NODES = 1_000_000  # of a group, as in the schema of files


def spelled_nodes(text: str) -> list[NodeGroup]:
    """
    Nodes as an option spells them, GPU type : GPUs of a node : number of nodes.

    >>> spelled_nodes("V100:8:100,P100:4:20")[1]
    NodeGroup(model='P100', gpus=4, count=20)
    """
    found = []
    for part in text.split(","):
        gpu, _, numbers = part.strip().partition(":")
        size, _, count = numbers.partition(":")
        if not (_within(size, MOST_GPUS) and _within(count, MOST_NODES)):
            expected = (
                "GPU:GPUS:NODES,... such as V100:8:100,P100:4:20, "
                f"at most {MOST_GPUS} GPUs and {MOST_NODES} nodes"
            )
            raise InputError("/cluster", text, expected)
        found.append(NodeGroup(one_of("cluster", gpu, gpu_names()), int(size), int(count)))
    return found


def _within(text: str, most: int) -> bool:
    return text.isdecimal() and len(text) <= len(str(most)) and 1 <= int(text) <= most


def cluster_of(
    nodes: Sequence[NodeGroup], known: Mapping[str, str], *, shared: bool, flat: bool
) -> Cluster:
    """
    A cluster of these nodes, those of GPU types without a stand-in left out.

    Parameters
    ----------
    known : mapping
        See `gpu_models.stand_ins`.
    shared : bool
        Whether GPUs have quarters.
    flat : bool
        Whether a node costs the same with any number of GPUs in use.
    """
    count: Counter[tuple[str, int]] = Counter()
    for group in nodes:
        for gpu in gpus_of(group.model, known)[:1]:
            count[gpu, group.gpus] += group.count
    if not count:
        expected = "the nodes, such as V100:8:100: the trace has no node list"
        raise InputError("/cluster", None, expected)
    names = [gpu for gpu in gpu_names() if any(gpu == own for own, _ in count)]
    kinds = sorted(count, key=lambda kind: (names.index(kind[0]), -kind[1]))
    types = tuple(_node_type(gpu, size, flat) for gpu, size in kinds)
    return Cluster(
        gpu_types=tuple(_quartered(gpu_type(name)) if shared else gpu_type(name) for name in names),
        node_types=types,
        groups=tuple(
            Nodes(count=count[kind], types=(made.name,))
            for kind, made in zip(kinds, types, strict=True)
        ),
    )


def _quartered(gpu: GpuType) -> GpuType:
    levels = tuple(
        ShareLevel(units=units, max_memory_gb=gpu.memory_gb * units / UNITS)
        for units in range(1, UNITS)
    )
    return replace(gpu, units=UNITS, levels=levels)


def _node_type(gpu: str, size: int, flat: bool) -> NodeType:
    base = next(float(row["node_base_w"]) for row in table("gpu_types") if row["gpu"] == gpu)
    watts = [float(row["avg_power_w"]) for row in table("power_training") if row["gpu"] == gpu]
    made = powered_node(gpu, size, base, sum(watts) / len(watts))
    return replace(made, cost=(0.0, *made.cost[-1:] * size)) if flat else made
