"""
What fits on the nodes of a place, as rows on the roles of its jobs: two ways to say it.

`superadditive_rows` are necessary: a node with a leader meets each, so the sum over the nodes of
a place does. `split_rows` add integers that cut the GPUs left by leaders into blocks for
followers; with them dedicated GPUs fit exactly. Shares are weighed in both (`class_shares`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rsjs.formulations.modes.class_shares import Weights, share_weights
from rsjs.formulations.rsjs.aggregated.columns import Array, Index, roles_of
from rsjs.instances.cluster import Cluster


@dataclass(frozen=True, eq=False)
class RoomRows:
    """
    Rows  roles @ x + splits @ s <= 0  with x the number of jobs in each role.

    Attributes
    ----------
    roles : (R, L) float
    splits : (R, S) float
    place, block, piece : (S,) int
        Of each split: a block of GPUs is cut into `piece` and the rest; piece 0 = a block of one
        GPU is opened for shares.
    """

    roles: Array
    splits: Array
    place: Index
    block: Index
    piece: Index


@lru_cache(maxsize=16)
def superadditive_rows(cluster: Cluster) -> RoomRows:
    """
    Row m = 1, 2, ... GPUs: floor(k_q / m) against floor(rest / m); then a row for each weight.

    In the latter a dedicated GPU weighs W(U).
    """
    roles = roles_of(cluster)
    rows = []
    for p in range(len(roles.node_type)):
        here = roles.place == p
        gpus, units = roles.gpus[roles.shape], roles.units[roles.shape]
        takes, leaves = here & ~roles.leads, here & roles.leads
        rows += [
            np.where(takes, gpus // m, 0) - np.where(leaves, roles.rest // m, 0)
            for m in range(1, int(cluster.gpus_of_type[roles.node_type[p]]))
        ]
        for weights in share_weights(roles, p):
            share = _by_units(weights, units)
            beside = _room_beside(weights, units)
            rows.append(
                np.where(takes, gpus * weights.whole + share, 0)
                - np.where(leaves, roles.rest * weights.whole + beside, 0)
            )
    none = np.zeros(0, dtype=np.int64)
    matrix = np.array(rows, dtype=float).reshape(-1, len(roles.place))
    return RoomRows(matrix, np.zeros((len(rows), 0)), none, none, none)


@lru_cache(maxsize=16)
def split_rows(cluster: Cluster) -> RoomRows:
    """
    Row g = 1, 2, ...: the blocks of g GPUs that are used and cut, against those there are.

    A leader leaves a block, a follower uses one of its size, a split cuts one in two, and an
    opened GPU uses a block of one; shares weigh against opened GPUs and those of leaders.
    """
    roles = roles_of(cluster)
    rows, cuts, entries, first = [], [], [], 0
    for p in range(len(roles.node_type)):
        here = roles.place == p
        gpus, units = roles.gpus[roles.shape], roles.units[roles.shape]
        takes, leaves = here & ~roles.leads, here & roles.leads
        blocks = int(cluster.gpus_of_type[roles.node_type[p]]) - 1
        rows += [
            (takes & (gpus == g)).astype(int) - (leaves & (roles.rest == g))
            for g in range(1, blocks + 1)
        ]
        for b in range(2, blocks + 1):
            for a in range(1, b // 2 + 1):
                cuts.append((p, b, a))
                entries.append({first + b - 1: 1})
                for part in (a, b - a):
                    at = first + part - 1
                    entries[-1][at] = entries[-1].get(at, 0) - 1
        weights = share_weights(roles, p)
        if weights and blocks:
            cuts.append((p, 1, 0))
            whole = {first + blocks + t: -row.whole for t, row in enumerate(weights)}
            entries.append({first: 1, **whole})
        rows += [
            np.where(takes, _by_units(row, units), 0)
            - np.where(leaves, _room_beside(row, units), 0)
            for row in weights
        ]
        first = len(rows)
    splits = np.zeros((len(rows), len(cuts)))
    for column, entry in enumerate(entries):
        splits[list(entry), column] = list(entry.values())
    place, block, piece = np.array(cuts, dtype=np.int64).reshape(-1, 3).T
    matrix = np.array(rows, dtype=float).reshape(-1, len(roles.place))
    return RoomRows(matrix, splits, place, block, piece)


def _by_units(weights: Weights, units: Index) -> Index:
    """w of each; dedicated shapes weigh nothing."""
    table = np.zeros(max(units.max(), max(weights.of_share)) + 1, dtype=np.int64)
    table[list(weights.of_share)] = list(weights.of_share.values())
    return table[units]


def _room_beside(weights: Weights, units: Index) -> Index:
    """W of what a share leaves of its GPU; 0 beside dedicated GPUs."""
    room = np.array(weights.room)[np.clip(len(weights.room) - 1 - units, 0, None)]
    return np.where(units > 0, room, 0)
