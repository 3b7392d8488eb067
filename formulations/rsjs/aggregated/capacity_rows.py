"""
Capacity rows of the aggregated model in two ways, and the packing of its solutions onto nodes.

`superadditive_rows` are necessary: a node with a leader meets each, so the sum over the nodes of
a place does. `split_rows` add integers that cut the GPUs left by leaders into blocks for
followers; with them dedicated GPUs fit exactly. Shares are weighed in both (`gpu_sharing`).

From roles to nodes: each leader opens a node of its class, followers take the room that is left.

How many followers of each role fit is a small integer program over counts (`split_rows` with the
leaders given); the splits of its solution say which blocks of GPUs are cut for whom. Shares fill
GPUs one by one (`gpu_sharing`). A job that does not fit is postponed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from rsjs.core.types import Floats, Ints
from rsjs.formulations.modes.gpu_sharing import Weights, fill, share_weights
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes, column_types_of
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


@dataclass(frozen=True, eq=False)
class CapacityRows:
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

    roles: Floats
    splits: Floats
    place: Ints
    block: Ints
    piece: Ints


@lru_cache(maxsize=16)
def superadditive_rows(cluster: Cluster) -> CapacityRows:
    """
    Return rows floor(k_q / m) against floor(rest / m) for m = 1, 2, ... GPUs and for each weight.

    In the latter a dedicated GPU weighs W(U).
    """
    roles = column_types_of(cluster)
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
    return CapacityRows(matrix, np.zeros((len(rows), 0)), none, none, none)


@lru_cache(maxsize=16)
def split_rows(cluster: Cluster) -> CapacityRows:
    """
    Return rows for g = 1, 2, ...: blocks of g GPUs that are used and cut, against those there are.

    A leader leaves a block, a follower uses one of its size, a split cuts one in two, and an
    opened GPU uses a block of one; shares weigh against opened GPUs and those of leaders.
    """
    roles = column_types_of(cluster)
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
        # splits: a block of b GPUs is used up and gives blocks of a and b - a
        for b in range(2, blocks + 1):
            for a in range(1, b // 2 + 1):
                cuts.append((p, b, a))
                entries.append({first + b - 1: 1})
                for part in (a, b - a):
                    at = first + part - 1
                    entries[-1][at] = entries[-1].get(at, 0) - 1
        weights = share_weights(roles, p)
        # one more integer opens a block of one GPU for shares
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
    return CapacityRows(matrix, splits, place, block, piece)


def _by_units(weights: Weights, units: Ints) -> Ints:
    """Return the weights w by units; dedicated shapes weigh nothing."""
    table = np.zeros(max(units.max(), max(weights.of_share)) + 1, dtype=np.int64)
    table[list(weights.of_share)] = list(weights.of_share.values())
    return table[units]


def _room_beside(weights: Weights, units: Ints) -> Ints:
    """Return the room W that a share leaves of its GPU; 0 beside dedicated GPUs."""
    room = np.array(weights.room)[np.clip(len(weights.room) - 1 - units, 0, None)]
    return np.where(units > 0, room, 0)


SECONDS = 1.0  # for the counts; the program has a few dozen integers


def pack(instance: Instance, roles: ColumnTypes, role: Ints, worth: Floats) -> Solution:
    """
    Pack jobs in the roles given to them: the others are postponed.

    Parameters
    ----------
    role : (J,) int
        -1 = none.
    worth : (J,) float [$]
        What the role of a job saves against postponing it: where not all fit, the least goes.
    """
    packing = _Packing(roles, role, np.argsort(-worth, kind="stable"))
    job_node = packing.job_node
    runs = job_node >= 0
    shape = roles.shape[role[runs]]
    job_gpus, job_level = np.zeros_like(job_node), np.full_like(job_node, -1)
    job_gpus[runs], job_level[runs] = roles.gpus[shape], roles.level[shape]
    return select_required_nodes(
        instance, Solution.of(job_node, job_gpus, packing.node_type, job_level)
    )


class _Packing:
    """The nodes of jobs, `order` by decreasing worth."""

    def __init__(self, roles: ColumnTypes, role: Ints, order: Ints) -> None:
        self.roles = roles
        self.job_node = np.full(len(role), -1)
        self.node_type = np.full(roles.cluster.nodes, -1)
        self.blocks: list[dict[int, list[int]]] = [{} for _ in roles.node_type]
        self.bins: list[list[tuple[int, int]]] = [[] for _ in roles.node_type]
        given = order[role[order] >= 0]
        leads = roles.leads[role[given]]
        led = self._open(given[leads], role)
        followers: dict[int, list[int]] = {}
        for j in given[~leads].tolist():
            followers.setdefault(int(role[j]), []).append(j)
        if followers:
            self._follow(followers, np.bincount(role[led], minlength=len(roles.place)))

    def _open(self, leaders: Ints, role: Ints) -> Ints:
        """Open a node for each leader as long as its class has one; return who got one."""
        roles, of_node = self.roles, self.roles.cluster.class_of_node
        free = [np.flatnonzero(of_node == c).tolist()[::-1] for c in range(of_node.max() + 1)]
        led = []
        for j in leaders.tolist():
            place = int(roles.place[role[j]])
            if nodes := free[roles.node_class[place]]:
                n = nodes.pop()
                led.append(j)
                self.job_node[j], self.node_type[n] = n, roles.node_type[place]
                self.blocks[place].setdefault(int(roles.rest[role[j]]), []).append(n)
                if units := int(roles.units[roles.shape[role[j]]]):
                    self.bins[place].append((self._whole(place) - units, n))
        return np.array(led, dtype=np.int64)

    def _whole(self, place: int) -> int:
        cluster = self.roles.cluster
        gpu = int(cluster.gpu_of_type[self.roles.node_type[place]])
        return cluster.gpu_types[gpu].units

    def _follow(self, followers: dict[int, list[int]], leaders: Ints) -> None:
        roles, rows = self.roles, split_rows(self.roles.cluster)
        kinds = np.array(list(followers))
        counts, cuts = _fitting(rows, roles, kinds, list(map(len, followers.values())), leaders)
        # cut the blocks of GPUs that leaders leave, large ones first
        for s in np.argsort(-rows.block, kind="stable").tolist():
            if rows.piece[s]:
                blocks, piece = self.blocks[rows.place[s]], int(rows.piece[s])
                for _ in range(cuts[s]):
                    n = blocks[int(rows.block[s])].pop()
                    blocks.setdefault(piece, []).append(n)
                    blocks.setdefault(int(rows.block[s]) - piece, []).append(n)
        shares: dict[int, dict[int, list[int]]] = {}
        # followers with dedicated GPUs take a block of their size; shares are filled below
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            place, shape = int(roles.place[kind]), roles.shape[kind]
            if units := int(roles.units[shape]):
                shares.setdefault(place, {}).setdefault(units, []).extend(followers[kind][::-1])
                continue
            for j in followers[kind][:count]:
                self.job_node[j] = self.blocks[place][int(roles.gpus[shape])].pop()
        for place, by_units in shares.items():
            self._share(place, by_units)

    def _share(self, place: int, jobs: dict[int, list[int]]) -> None:
        """Fill the GPUs of leaders and then whole ones."""
        whole = [(self._whole(place), n) for n in self.blocks[place].get(1, [])]
        rooms = [*sorted(self.bins[place]), *whole]
        filled = fill(
            [room for room, _ in rooms],
            {units: len(members) for units, members in jobs.items()},
            share_weights(self.roles, place),
        )
        for (_, n), filling in zip(rooms, filled, strict=False):
            for units, count in filling.items():
                for _ in range(count):
                    self.job_node[jobs[units].pop()] = n


def _fitting(
    rows: CapacityRows, roles: ColumnTypes, kinds: Ints, counts: list[int], leaders: Ints
) -> tuple[Ints, Ints]:
    """Return how many followers of each kind fit, most GPUs first, and the splits."""
    shape = roles.shape[kinds]
    gpu_units = np.array([gpu.units for gpu in roles.cluster.gpu_types])
    size = roles.gpus[shape] + roles.units[shape] / gpu_units[roles.shape_gpu[shape]]
    found = milp(
        -np.concatenate([size, np.zeros(len(rows.place))]),
        integrality=np.ones(len(kinds) + len(rows.place)),
        bounds=Bounds(0, np.concatenate([counts, np.full(len(rows.place), np.inf)])),
        constraints=LinearConstraint(
            np.hstack([rows.roles[:, kinds], rows.splits]), ub=-rows.roles @ leaders
        ),
        options={"time_limit": SECONDS},
    )
    if found.x is None:
        return np.zeros(len(kinds), dtype=np.int64), np.zeros(len(rows.place), dtype=np.int64)
    x = np.rint(found.x).astype(np.int64)
    return x[: len(kinds)], x[len(kinds) :]
