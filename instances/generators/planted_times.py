"""Clusters, and times around a planted decision; `planted` says what they must satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rsjs.instances.catalogue.gpus import gpu_type
from rsjs.instances.catalogue.node_types import node_types
from rsjs.instances.cluster import Cluster, NodeGroup, NodeType
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.planted_decision import Planted
from rsjs.instances.generators.random_streams import Floats

KINDS = ("proportional", "first_ending")
# One type per GPU type, the largest, so that the price of a GPU depends on its type alone.
SIZED = ("Standard NC24", "Standard NV24", "In-house server 2", "In-house server 3")
FIXED_NODES = (
    NodeType(
        name="8 x V100", gpu_type="V100", cost=(0, 0.11, 0.17, 0.23, 0.29, 0.35, 0.41, 0.47, 0.53)
    ),
    NodeType(name="4 x T4", gpu_type="T4", cost=(0, 0.07, 0.09, 0.11, 0.13)),
)  # $/h
LEAST_HOURS: Mapping[str, float] = MappingProxyType({"V100": 2.0, "T4": 3.0})  # tau
MARGIN = 1.05  # of any other configuration over the planted one
SPEED_UP = 0.8  # exponent of the number of GPUs


def cluster(kind: str, nodes: int) -> Cluster:
    """N nodes: each of any type for `proportional`; half V100 and half T4 for `first_ending`."""
    if kind == "proportional":
        types = tuple(v for v in node_types("server2-11usd") if v.name in SIZED)
        groups = [NodeGroup(count=nodes, types=tuple(v.name for v in types))]
    else:
        types = FIXED_NODES if nodes > 1 else FIXED_NODES[:1]
        counts = (nodes - nodes // 2, nodes // 2)
        pairs = zip(types, counts, strict=False)
        groups = [NodeGroup(count=count, types=(v.name,)) for v, count in pairs]
    return Cluster(
        gpu_types=tuple(gpu_type(v.gpu_type) for v in types), node_types=types, groups=tuple(groups)
    )


def hours(
    stream: str, seed: int, cluster: Cluster, plan: Planted, kind: str
) -> tuple[Floats, Floats]:
    """(J, T, G + 1) hours of each job, GPU type t being that of node type t; (J,) e_j [$]."""
    draw = _proportional if kind == "proportional" else _first_ending
    table, share = draw(stream, seed, cluster, plan)
    counts = np.arange(cluster.largest + 1)
    table[:, counts > cluster.gpus_of_type[:, None]] = np.inf
    table[:, :, 0] = np.inf
    return table, share


def _proportional(stream: str, seed: int, cluster: Cluster, plan: Planted) -> tuple[Floats, Floats]:
    """Other configurations cost 1.05 to 2 times as much as the planted one."""
    n, types, gpus = len(plan.gpus), len(cluster.node_types), cluster.largest
    base = random_streams.log_uniform(random_streams.uniforms(stream, seed, "base", n), 0.3, 20.0)
    own = random_streams.rounded(base / plan.gpus**SPEED_UP)
    price = cluster.cost_of_type[np.arange(types), cluster.gpus_of_type] / cluster.gpus_of_type
    share = plan.gpus * price[plan.node_type] * own
    dearer = random_streams.uniform(
        random_streams.uniforms(stream, seed, "dearer", n * types * gpus), MARGIN, 2.0
    ).reshape(n, types, gpus)
    table = np.full((n, types, gpus + 1), np.inf)
    each = price[:, None] * np.arange(1, gpus + 1)  # $/h
    table[:, :, 1:] = random_streams.rounded(share[:, None, None] * dearer / each)
    table[np.arange(n), plan.node_type, plan.gpus] = own
    return table, share


def _first_ending(stream: str, seed: int, cluster: Cluster, plan: Planted) -> tuple[Floats, Floats]:
    """Times of tau or more, where they would not add less than e_j."""
    n = len(plan.gpus)
    tau = np.array([LEAST_HOURS[v.gpu_type] for v in cluster.node_types])
    full = cluster.cost_of_type[np.arange(len(tau)), cluster.gpus_of_type]
    r = full / cluster.gpus_of_type * tau
    share = plan.gpus * r[plan.node_type]
    longer = random_streams.uniform(random_streams.uniforms(stream, seed, "longer", n), 1.0, 3.0)
    longer[plan.first] = 1.0
    counts = np.arange(1, cluster.largest + 1)
    speed_up = (counts / plan.gpus[:, None]) ** SPEED_UP
    scaled = longer[:, None, None] * tau[:, None] / speed_up[:, None, :]
    table = np.full((n, len(tau), cluster.largest + 1), np.inf)
    table[:, :, 1:] = np.maximum(random_streams.rounded(scaled), tau[:, None])
    table[:, :, 1:][r[:, None] * counts < MARGIN * share[:, None, None]] = np.inf
    own = np.maximum(random_streams.rounded(longer * tau[plan.node_type]), tau[plan.node_type])
    table[np.arange(n), plan.node_type, plan.gpus] = own
    return table, share
