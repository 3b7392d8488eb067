"""
Capacity rows of the aggregated model in two ways, and the packing of its solutions onto nodes.

`superadditive_rows` are necessary: a node with a leader meets each, so the sum over the nodes of
a node group does. `split_rows` add integers that cut the GPUs left by leaders into blocks for
followers: with them all that fits by the rows fits. Shares are weighed where that is exact
(`gpu_sharing`), and otherwise fill GPUs by arc flow.

From column types to nodes: each leader opens a node of its class, followers take the room left.
The splits say which blocks of GPUs are cut for whom, and by arcs which shares fill a GPU; those
that are weighed fill GPUs one by one (`gpu_sharing`). A solution of the model with `split_rows` has
them. Else best fit says how many followers of each column type fit; where not all do, a small
integer program over counts (`split_rows` with the leaders given). A job that does not fit is
postponed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from rsjs.core.types import Floats, Ints
from rsjs.formulations.modes import arc_flow
from rsjs.formulations.modes.arc_flow import Arc
from rsjs.formulations.modes.gpu_sharing import Weights, fill, share_weights, weights_suffice
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes, column_types_of
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


@dataclass(frozen=True, eq=False)
class CapacityRows:
    """Rows  by_type @ x + splits @ s <= 0  with x the number of jobs in each column type."""

    by_type: Floats  # (R, L)
    splits: Floats  # (R, S)
    # group, block, piece: (S,) of each split: a block of GPUs is cut into `piece` and the rest;
    # piece 0 = a block of one GPU is opened for shares; block 0 = none is used
    group: Ints
    block: Ints
    piece: Ints
    # filled, units: (S,) a share of `units` after `filled` units of a GPU; units 0 = none
    filled: Ints
    units: Ints


@lru_cache(maxsize=16)
def superadditive_rows(cluster: Cluster) -> CapacityRows:
    """
    Return rows floor(k_q / m) against floor(rest / m) for m = 1, 2, ... GPUs and for each weight.

    In the latter a dedicated GPU weighs W(U).
    """
    types = column_types_of(cluster)
    rows = []
    for p in range(len(types.node_type)):
        here = types.group == p
        gpus, units = types.gpus[types.mode], types.units[types.mode]
        takes, leaves = here & ~types.leads, here & types.leads
        rows += [
            np.where(takes, gpus // m, 0) - np.where(leaves, types.rest // m, 0)
            for m in range(1, int(cluster.gpus_of_type[types.node_type[p]]))
        ]
        for weights in share_weights(types, p):
            share = _by_units(weights, units)
            beside = _room_beside(weights, units)
            rows.append(
                np.where(takes, gpus * weights.whole + share, 0)
                - np.where(leaves, types.rest * weights.whole + beside, 0)
            )
    none = np.zeros(0, dtype=np.int64)
    matrix = np.array(rows, dtype=float).reshape(-1, len(types.group))
    return CapacityRows(matrix, np.zeros((len(rows), 0)), none, none, none, none, none)


@lru_cache(maxsize=16)
def split_rows(cluster: Cluster) -> CapacityRows:
    """
    Return rows for g = 1, 2, ...: blocks of g GPUs that are used and cut, against those there are.

    A leader leaves a block, a follower uses one of its size, a split cuts one in two, and an
    opened GPU uses a block of one. Shares weigh against opened GPUs and those of leaders; where
    that is not exact, they are arcs that fill GPUs, from 0 or from a leader's share (`arc_flow`).
    """
    types = column_types_of(cluster)
    rows, cuts, entries, first = [], [], [], 0
    for p in range(len(types.node_type)):
        here = types.group == p
        gpus, units = types.gpus[types.mode], types.units[types.mode]
        takes, leaves = here & ~types.leads, here & types.leads
        blocks = int(cluster.gpus_of_type[types.node_type[p]]) - 1
        rows += [
            (takes & (gpus == g)).astype(int) - (leaves & (types.rest == g))
            for g in range(1, blocks + 1)
        ]
        # splits: a block of b GPUs is used up and gives blocks of a and b - a
        for b in range(2, blocks + 1):
            for a in range(1, b // 2 + 1):
                cuts.append((p, b, a, 0, 0))
                entries.append({first + b - 1: 1})
                for part in (a, b - a):
                    at = first + part - 1
                    entries[-1][at] = entries[-1].get(at, 0) - 1
        weights = share_weights(types, p)
        sizes, whole_gpu = types.sizes(p), types.gpu_units(p)
        if not weights_suffice(sizes, whole_gpu):
            weights = []
            made = arc_flow.arcs(p, whole_gpu, sizes, [Arc(p, 0, u) for u in sizes])
            made = [arc for arc in made if arc.tail or blocks]
            # arcs of each size against followers; arcs that go on from where others and leaders end
            row_of_size = {u: len(rows) + at for at, u in enumerate(sizes)}
            rows += [(takes & (units == u)).astype(int) for u in sizes]
            row_at = {tail: len(rows) + at for at, tail in enumerate({a.tail for a in made} - {0})}
            rows += [-(leaves & (units == tail)).astype(int) for tail in row_at]
            for _, tail, u in made:
                cuts.append((p, int(tail == 0), 0, tail, u))
                entries.append({row_at[tail] if tail else first: 1, row_of_size[u]: -1})
                if tail + u in row_at:
                    entries[-1][row_at[tail + u]] = -1
        # one more integer opens a block of one GPU for shares
        if weights and blocks:
            cuts.append((p, 1, 0, 0, 0))
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
    matrix = np.array(rows, dtype=float).reshape(-1, len(types.group))
    return CapacityRows(matrix, splits, *np.array(cuts, dtype=np.int64).reshape(-1, 5).T)


def _by_units(weights: Weights, units: Ints) -> Ints:
    """Return the weights w by units; dedicated modes weigh nothing."""
    table = np.zeros(max(units.max(), max(weights.of_share)) + 1, dtype=np.int64)
    table[list(weights.of_share)] = list(weights.of_share.values())
    return table[units]


def _room_beside(weights: Weights, units: Ints) -> Ints:
    """Return the room W that a share leaves of its GPU; 0 beside dedicated GPUs."""
    room = np.array(weights.room)[np.clip(len(weights.room) - 1 - units, 0, None)]
    return np.where(units > 0, room, 0)


SECONDS = 1.0  # for the counts; the program has a few dozen integers


def pack(
    instance: Instance,
    types: ColumnTypes,
    column_type: Ints,
    worth: Floats,
    splits: Ints | None = None,
) -> Solution:
    """
    Pack jobs in the column types given to them: the others are postponed.

    Parameters
    ----------
    column_type : (J,) int
        -1 = none.
    worth : (J,) float [$]
        What a job saves against being postponed: those that save least are left out first.
    splits : (S,) int, optional
        Those of `split_rows` with which all jobs fit, where they are known.
    """
    packing = _Packing(types, column_type, np.argsort(-worth, kind="stable"), splits)
    job_node = packing.job_node
    runs = job_node >= 0
    mode = types.mode[column_type[runs]]
    job_gpus, job_level = np.zeros_like(job_node), np.full_like(job_node, -1)
    job_gpus[runs], job_level[runs] = types.gpus[mode], types.level[mode]
    return select_required_nodes(
        instance, Solution.of(job_node, job_gpus, packing.node_type, job_level)
    )


class _Packing:
    """The nodes of jobs, `order` by decreasing worth."""

    def __init__(
        self, types: ColumnTypes, column_type: Ints, order: Ints, splits: Ints | None
    ) -> None:
        self.types = types
        self.job_node = np.full(len(column_type), -1)
        self.node_type = np.full(types.cluster.nodes, -1)
        self.blocks: list[dict[int, list[int]]] = [{} for _ in types.node_type]
        self.bins: list[list[tuple[int, int]]] = [[] for _ in types.node_type]
        given = order[column_type[order] >= 0]
        leads = types.leads[column_type[given]]
        led = self._open(given[leads], column_type)
        followers: dict[int, list[int]] = {}
        for j in given[~leads].tolist():
            followers.setdefault(int(column_type[j]), []).append(j)
        if followers:
            counts = list(map(len, followers.values()))
            if splits is None:
                leaders = np.bincount(column_type[led], minlength=len(types.group))
                counts, splits = _fitting(types, [*followers], counts, leaders)
            self._follow(followers, counts, splits)

    def _open(self, leaders: Ints, column_type: Ints) -> Ints:
        """Open a node for each leader as long as its class has one; return who got one."""
        types, of_node = self.types, self.types.cluster.class_of_node
        free = [np.flatnonzero(of_node == c).tolist()[::-1] for c in range(of_node.max() + 1)]
        led = []
        for j in leaders.tolist():
            group = int(types.group[column_type[j]])
            if nodes := free[types.node_class[group]]:
                n = nodes.pop()
                led.append(j)
                self.job_node[j], self.node_type[n] = n, types.node_type[group]
                self.blocks[group].setdefault(int(types.rest[column_type[j]]), []).append(n)
                if units := int(types.units[types.mode[column_type[j]]]):
                    self.bins[group].append((types.gpu_units(group) - units, n))
        return np.array(led, dtype=np.int64)

    def _follow(self, followers: dict[int, list[int]], counts: list[int], cuts: Ints) -> None:
        types, rows = self.types, split_rows(self.types.cluster)
        # cut the blocks of GPUs that leaders leave, large ones first
        for s in np.argsort(-rows.block, kind="stable").tolist():
            if rows.piece[s]:
                blocks, piece = self.blocks[rows.group[s]], int(rows.piece[s])
                for _ in range(cuts[s]):
                    n = blocks[int(rows.block[s])].pop()
                    blocks.setdefault(piece, []).append(n)
                    blocks.setdefault(int(rows.block[s]) - piece, []).append(n)
        shares: dict[int, dict[int, list[int]]] = {}
        # followers with dedicated GPUs take a block of their size; shares are filled below
        for kind, count in zip(followers, counts, strict=True):
            group, mode = int(types.group[kind]), types.mode[kind]
            if units := int(types.units[mode]):
                shares.setdefault(group, {}).setdefault(units, []).extend(followers[kind][::-1])
                continue
            for j in followers[kind][:count]:
                self.job_node[j] = self.blocks[group][int(types.gpus[mode])].pop()
        for group, by_units in shares.items():
            whole = [(types.gpu_units(group), n) for n in self.blocks[group].get(1, [])]
            rooms = [*sorted(self.bins[group]), *whole]
            self._share(group, by_units, self._filled(group, rooms, by_units, cuts))

    def _filled(
        self, group: int, rooms: list[tuple[int, int]], jobs: dict[int, list[int]], cuts: Ints
    ) -> list[tuple[int, int]]:
        """Fill GPUs as the arcs say; return what is free on each, and its node."""
        rows, whole = split_rows(self.types.cluster), self.types.gpu_units(group)
        arcs = np.flatnonzero((rows.group == group) & (rows.units > 0) & (cuts > 0))
        if not arcs.size:
            return rooms
        at: dict[int, list[tuple[int, int]]] = defaultdict(list)  # units filled or spared -> GPUs
        for room, n in rooms:
            at[whole - room].append((room, n))
        for s in arcs[np.argsort(rows.filled[arcs], kind="stable")].tolist():
            filled, units = int(rows.filled[s]), int(rows.units[s])
            for _ in range(min(int(cuts[s]), len(at[filled]))):
                room, n = at[filled].pop()
                if waiting := jobs.get(units):
                    self.job_node[waiting.pop()] = n
                    room -= units
                at[filled + units].append((room, n))
        return sorted(gpu for gpus in at.values() for gpu in gpus)

    def _share(self, group: int, jobs: dict[int, list[int]], rooms: list[tuple[int, int]]) -> None:
        """Fill the rooms one after the other."""
        filled = fill(
            [room for room, _ in rooms],
            {units: len(members) for units, members in jobs.items()},
            share_weights(self.types, group),
        )
        for (_, n), filling in zip(rooms, filled, strict=False):
            for units, count in filling.items():
                for _ in range(count):
                    self.job_node[jobs[units].pop()] = n


def _fitting(
    types: ColumnTypes, kinds: list[int], counts: list[int], leaders: Ints
) -> tuple[list[int], Ints]:
    """
    Return how many followers of each kind fit, most GPUs first, and the splits.

    The program is solved where best fit does not place all: with many GPUs a node it has many
    splits, and may end without a solution.
    """
    rows = split_rows(types.cluster)
    best = _best_fit(rows, types, np.array(kinds), counts, leaders)
    if best[0] == counts:
        return best
    mode = types.mode[kinds]
    gpu_units = np.array([gpu.units for gpu in types.cluster.gpu_types])
    size = types.gpus[mode] + types.units[mode] / gpu_units[types.mode_gpu[mode]]
    found = milp(
        -np.concatenate([size, np.zeros(len(rows.group))]),
        integrality=np.ones(len(kinds) + len(rows.group)),
        bounds=Bounds(0, np.concatenate([counts, np.full(len(rows.group), np.inf)])),
        constraints=LinearConstraint(
            np.hstack([rows.by_type[:, kinds], rows.splits]), ub=-rows.by_type @ leaders
        ),
        options={"time_limit": SECONDS},
    )
    if found.x is None:
        return best
    x = np.rint(found.x).astype(np.int64)
    fits = (x[: len(kinds)].tolist(), x[len(kinds) :])
    return max(fits, best, key=lambda fit: float(size @ fit[0]))


def _best_fit(
    rows: CapacityRows, types: ColumnTypes, kinds: Ints, counts: list[int], leaders: Ints
) -> tuple[list[int], Ints]:
    """Fit followers with dedicated GPUs, the largest first, each into the smallest block left."""
    placed, cuts = np.zeros(len(kinds), dtype=np.int64), np.zeros(len(rows.group), dtype=np.int64)
    keys = zip(rows.group.tolist(), rows.block.tolist(), rows.piece.tolist(), strict=True)
    split = {key: s for s, key in enumerate(keys)}
    free = np.zeros((len(types.node_type), types.cluster.largest + 1), dtype=np.int64)  # blocks
    np.add.at(free, (types.group, types.rest), leaders)
    gpus = types.gpus[types.mode[kinds]]  # 0: a share
    for i in np.argsort(-gpus, kind="stable")[: np.count_nonzero(gpus)].tolist():
        group, g = int(types.group[kinds[i]]), int(gpus[i])
        while placed[i] < counts[i] and (blocks := np.flatnonzero(free[group, g:])).size:
            b = g + int(blocks[0])
            number = min(counts[i] - int(placed[i]), int(free[group, b]))
            placed[i] += number
            free[group, b] -= number
            if b > g:
                free[group, b - g] += number
                cuts[split[group, b, min(g, b - g)]] += number
    return placed.tolist(), cuts
