"""
The clusters of Filippini 2024, VII-A3: K80, M60 and A100, priced by GPUs in use (Table III).

The paper does not say how many GPUs a node has (Table III: 1 to 8) nor how many nodes have which
GPUs. Here sizes 8, 4 and 2 and the GPU types of the mix come in equal numbers, as far as N allows:
a node of 8 GPUs of each type, then of 4, then of 2, and again. So from N = the number of GPU types
on, every configuration of 1 to 8 GPUs is present. A whole board counts as one GPU (Table IV).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import cycle, islice, product
from types import MappingProxyType

from rsjs.instances.catalogue.gpu_shares import shared_gpu_type
from rsjs.instances.catalogue.gpus import gpu_type
from rsjs.instances.catalogue.node_types import prices
from rsjs.instances.cluster import Cluster, NodeGroup, NodeType

MIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"km": ("K80", "M60"), "a100": ("A100",), "kma": ("K80", "M60", "A100")}
)
SIZES = (8, 4, 2)


def fixed_nodes(nodes: int, mix: str, *, shared: bool) -> Cluster:
    """
    A cluster of `nodes` nodes, with groups in the order in which node types come.

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
    count = Counter(islice(cycle(kinds), nodes))
    return Cluster(
        gpu_types=tuple(shared_gpu_type(g) if shared else gpu_type(g, board=True) for g in gpus),
        node_types=tuple(_node_type(gpu, size) for size, gpu in kinds),
        groups=tuple(
            NodeGroup(count=count[size, gpu], types=(_name(gpu, size),))
            for size, gpu in kinds
            if count[size, gpu]
        ),
    )


def _name(gpu: str, size: int) -> str:
    return f"{size} x {gpu}"


def _node_type(gpu: str, size: int) -> NodeType:
    table_iii = {p.gpus: p.per_hour for p in prices() if p.node == "node" and p.gpu == gpu}
    cost = (0.0, *(table_iii[k] for k in range(1, size + 1)))
    return NodeType(name=_name(gpu, size), gpu_type=gpu, cost=cost)
