"""
What RG on shared nodes and GPUs chooses from, as plain arrays; sizes as in decision_tables.

A kind is a GPU type. Code kind * (G + 1) + k is a configuration: k GPUs, and k = 0 a share of one,
which a whole idle GPU has room for too. Ranks as in `randomized_tables`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.queue_choices import Choices
from rsjs.heuristics.greedy.arrays import Floats, Ints, Objective, objective, settled
from rsjs.heuristics.greedy.randomized_arrays import chances, rank_table
from rsjs.heuristics.greedy.rules import RULES, ClusterTables, cluster_tables
from rsjs.heuristics.sts.power_model import with_share
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster

LISTED = 3
PASSED_IF_HEAVIER, PASSED = 0.45, 0.55


class Listed(NamedTuple):
    """Queue, candidates and chances of a decision."""

    queue: Ints  # (J,)
    candidate: NDArray[np.int32]  # (J, C) codes by rank
    rank: NDArray[np.int32]  # (J, K, G + 1) least one that so many whole GPUs suffice for; C = none
    share_rank: NDArray[np.int32]  # (J, K) of the share; C = none
    units: Ints  # (J, K) of the share
    whole: Ints  # (K,) units of a GPU
    kind: Ints  # (K (G + 1),) of a code
    gpus: Ints  # (K (G + 1),) of a code
    least: Ints  # (K,) fewest whole GPUs that suffice for a candidate; G + 1 = for none
    chance: Floats  # (J, LISTED) of the first candidates, cumulated; the last is above 1
    passed_if_heavier: float
    passed: float


class Divided(NamedTuple):
    """GPUs that are shared in a schedule that is being made."""

    node: Ints  # (N G,)
    kind: Ints
    left: Ints  # units
    room: Ints  # (K,) most units left on one
    number: Ints  # (1,) of them


class Drawn(NamedTuple):
    """What chance makes of a queue, by position."""

    job: Ints  # (J,)
    code: Ints  # (J,) the configuration that is tried first


def listed(of: Choices) -> Listed:
    """Order queue and candidates."""
    cluster = of.instance.cluster
    ranking = candidates.ranking(of.instance, of.hours, of.price, strict=False)
    (kinds, stride), ranks = of.hours.shape[1:], ranking.code.shape[1]
    queue = candidates.by_pressure(of.instance)
    rank = rank_table(ranking, kinds, stride)
    share_rank = rank[:, :, 0].copy()
    rank[:, :, 0] = ranks
    kind, gpus = np.divmod(np.arange(kinds * stride), stride)
    least = np.full(kinds, stride)
    used = ranking.code[0]  # as in all other rows
    np.minimum.at(least, kind[used], np.maximum(gpus[used], 1))
    return settled(
        Listed(
            queue=queue,
            candidate=ranking.code.astype(np.int32),
            rank=rank,
            share_rank=share_rank,
            units=of.units,
            whole=np.array([gpu.units for gpu in cluster.gpu_types]),
            kind=kind,
            gpus=gpus,
            least=least,
            chance=chances(ranking, LISTED),
            passed_if_heavier=PASSED_IF_HEAVIER,
            passed=PASSED,
        )
    )


def priced(of: Choices) -> Objective:
    """What a schedule costs; k = 0: on the share."""
    table = costs.tables(of.instance)
    return settled(
        objective(of.instance)._replace(
            hours=with_share(table.hours, table.shared_hours, of.level),
            tardiness=with_share(table.tardiness, table.shared_tardiness, of.level),
        )
    )


def nodes_of(cluster: Cluster) -> ClusterTables:
    """The nodes; one that may take several types opens as the largest with the GPU asked for."""
    return cluster_tables(cluster, RULES["code"])


def undivided(cluster: Cluster) -> Divided:
    """Memory for the shared GPUs of a cluster."""
    gpus, kinds = cluster.nodes * cluster.largest, len(cluster.gpu_types)
    node, kind, left = np.zeros((3, gpus), dtype=np.int64)
    room, number = np.zeros(kinds, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Divided(node=node, kind=kind, left=left, room=room, number=number)
