"""
How many GPUs a node's shares take, as linear rows: integers y_m of GPUs filled by pattern m.

    sum_q w_rq x_q <= sum_m b_rm y_m    for all r;    sum_m y_m = GPUs

Closed forms (rsjs.md 2.2) have one pattern: shares that divide each other and the GPU, and those
of an A100 in STS Table IV (2 and 3 of 20 units: at most 20 units and six threes to a GPU). For
other shares a pattern is a maximal filling of one GPU, and there is a row for each size of share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.modes.modes import Configurations
from rsjs.instances.cluster import Cluster

Index = NDArray[np.int64]

MOST_PATTERNS = 1000


@dataclass(frozen=True, eq=False)
class Shares:
    """
    Rows and patterns of each GPU type; those beyond `rows` and `patterns` are zeros.

    Attributes
    ----------
    weight : (T, R, U + 1) int
        w_rq by the units of q; 0 units (dedicated) weigh nothing.
    room : (T, R, M) int
        b_rm.
    rows, patterns : (T,) int
    """

    weight: Index
    room: Index
    rows: Index
    patterns: Index

    @staticmethod
    def of(cluster: Cluster, configurations: Configurations) -> Shares:
        """Rows for the shares that some configuration takes."""
        forms = []
        for i, gpu in enumerate(cluster.gpu_types):
            taken = configurations.units[configurations.gpu_type == i]
            forms.append(_form(tuple(np.unique(taken[taken > 0]).tolist()), gpu.units, gpu.name))
        most = max(gpu.units for gpu in cluster.gpu_types)
        rows = np.array([len(room) for _, _, room in forms])
        patterns = np.array([room.shape[1] for _, _, room in forms])
        weight = np.zeros((len(forms), rows.max(), most + 1), dtype=np.int64)
        room = np.zeros((len(forms), rows.max(), patterns.max()), dtype=np.int64)
        for i, (sizes, by_size, by_pattern) in enumerate(forms):
            weight[i, : rows[i], list(sizes)] = by_size.T
            room[i, : rows[i], : patterns[i]] = by_pattern
        return Shares(weight, room, rows, patterns)

    def filled(self, gpu_type: int, units: list[int]) -> tuple[int, ...]:
        """The patterns of fewest GPUs that hold shares of these units."""
        rows, patterns = self.rows[gpu_type], self.patterns[gpu_type]
        need = self.weight[gpu_type, :rows, units].sum(axis=0)
        return _cover(tuple(need.tolist()), self.room[gpu_type, :rows, :patterns])

    def packed(self, gpu_type: int, units: list[int]) -> list[int]:
        """
        The GPU of each share, on fewest GPUs numbered from 0.

        The largest share first on the first GPU with room: in the closed forms the rows of one
        GPU are then all there is to observe.
        """
        rows = self.rows[gpu_type]
        free = [self.room[gpu_type, :rows, m].copy() for m in self.filled(gpu_type, units)]
        on = [-1] * len(units)
        for i in sorted(range(len(units)), key=lambda i: -units[i]):
            weight = self.weight[gpu_type, :rows, units[i]]
            on[i] = next(g for g, room in enumerate(free) if (weight <= room).all())
            free[on[i]] -= weight
        return on


def _form(sizes: tuple[int, ...], units: int, name: str) -> tuple[tuple[int, ...], Index, Index]:
    """Sizes, w by row and size, b by row and pattern."""
    if not sizes:
        return sizes, np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    if all(large % small == 0 for small, large in pairwise((*sizes, units))):
        return sizes, np.array([sizes]), np.array([[units]])
    if (sizes, units) == ((2, 3), 20):
        return sizes, np.array([[2, 3], [0, 1]]), np.array([[20], [6]])
    found = list(islice(_fillings(sizes, units), MOST_PATTERNS + 1))
    if len(found) > MOST_PATTERNS:
        raise ValueError(f"shares of {name} fill a GPU in more than {MOST_PATTERNS} ways")
    return sizes, np.eye(len(sizes), dtype=np.int64), np.array(found).T


def _fillings(sizes: tuple[int, ...], room: int) -> Iterator[tuple[int, ...]]:
    """Counts by size of the maximal fillings of one GPU."""
    least = sizes[0]

    def fill(at: int, room: int) -> Iterator[tuple[int, ...]]:
        if at == 0:
            yield (room // least,)
            return
        for count in range(room // sizes[at], -1, -1):
            for rest in fill(at - 1, room - count * sizes[at]):
                yield (*rest, count)

    return fill(len(sizes) - 1, room)


def _cover(need: tuple[int, ...], room: Index) -> tuple[int, ...]:
    """Patterns, as few as possible, whose rooms add up to at least `need`."""
    columns = [tuple(column) for column in room.T.tolist()]

    @cache
    def within(left: tuple[int, ...], first: int, gpus: int) -> tuple[int, ...] | None:
        if max(left) <= 0:
            return ()
        if gpus == 0:
            return None
        for m in range(first, len(columns)):
            rest = tuple(max(0, a - b) for a, b in zip(left, columns[m], strict=True))
            if rest != left and (found := within(rest, m, gpus - 1)) is not None:
                return (m, *found)
        return None

    gpus, found = 0, within(need, 0, 0)
    while found is None:
        gpus += 1
        found = within(need, 0, gpus)
    return found
