"""
How many GPUs a node's shares take, as linear rows: integers y_m of GPUs filled by pattern m.

    sum_q w_rq x_q <= sum_m b_rm y_m    for all r;    sum_m y_m = GPUs

Closed forms (rsjs.md 2.2) have one pattern: shares that divide each other and the GPU, and those
of an A100 in STS Table IV (2 and 3 of 20 units: at most 20 units and six threes to a GPU). For
other shares a pattern is a maximal filling of one GPU, and there is a row for each size of share.

Shares of the GPUs at a place: what they weigh, and how they fill GPUs one by one.

w_s(u) = floor(u / s) is superadditive for s = 1 and for the units of each level, so shares that fit
into rooms of r_1, r_2, ... units meet  sum w_s <= sum W_s(r_i)  with W_s(r) the most that shares on
r units of one GPU weigh. These rows hold for any levels. They suffice (`weights_suffice`) where
each size divides the next, and for the levels of STS Table IV:

* K80, M60 (1 and 2 units; 2, 3 or 4 beside a leader or on a GPU): the shares of 2 units fit if the
  row s = 2 holds, and those of 1 unit fill what is left.
* A100 (2 and 3 units; rooms of 17, 18 or 20, c of them odd): a room loses no unit if it is odd with
  an odd number of shares of 3, or even with an even one. With b < c of those, c - b odd rooms
  lose one unit: the row s = 2, their number. With b >= c at most one room does: the row s = 1.
  s = 3 says that b of them fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

import numpy as np

from rsjs.core.types import Ints
from rsjs.formulations.modes.modes import Modes
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes
from rsjs.instances.bin_packing import filled_gpus
from rsjs.instances.cluster import Cluster

MOST_PATTERNS = 1000


@dataclass(frozen=True, eq=False)
class Shares:
    """Rows and patterns of each GPU type; those beyond `rows` and `patterns` are zeros."""

    weight: Ints  # (T, R, U + 1) w_rq by the units of q; 0 units (dedicated) weigh nothing
    room: Ints  # (T, R, M) b_rm
    # rows, patterns, units of a GPU: (T,)
    rows: Ints
    patterns: Ints
    units: Ints

    @staticmethod
    def of(cluster: Cluster, modes: Modes) -> Shares:
        """Return rows for the shares that some mode takes."""
        forms = []
        for i, gpu in enumerate(cluster.gpu_types):
            taken = modes.units[modes.gpu_type == i]
            forms.append(_form(tuple(np.unique(taken[taken > 0]).tolist()), gpu.units, gpu.name))
        most = max(gpu.units for gpu in cluster.gpu_types)
        rows = np.array([len(room) for _, _, room in forms])
        patterns = np.array([room.shape[1] for _, _, room in forms])
        weight = np.zeros((len(forms), rows.max(), most + 1), dtype=np.int64)
        room = np.zeros((len(forms), rows.max(), patterns.max()), dtype=np.int64)
        for i, (sizes, by_size, by_pattern) in enumerate(forms):
            weight[i, : rows[i], list(sizes)] = by_size.T
            room[i, : rows[i], : patterns[i]] = by_pattern
        units = np.array([gpu.units for gpu in cluster.gpu_types])
        return Shares(weight, room, rows, patterns, units)

    def filled(self, gpu_type: int, units: list[int]) -> tuple[int, ...]:
        """Return the patterns of fewest GPUs that hold shares of these units."""
        rows, patterns = self.rows[gpu_type], self.patterns[gpu_type]
        weight, room = self.weight[gpu_type, :rows], self.room[gpu_type, :rows, :patterns]
        if not units:
            return ()
        if patterns == 1:
            needed = -(-weight[:, units].sum(axis=1) // room[:, 0])
            return (0,) * int(needed.max())
        gpus = [weight[:, on].sum(axis=1) for on in filled_gpus(units, int(self.units[gpu_type]))]
        return tuple(sorted(int((need <= room.T).all(axis=1).argmax()) for need in gpus))

    def packed(self, gpu_type: int, units: list[int]) -> list[int]:
        """
        Return the GPU of each share, on fewest GPUs numbered from 0.

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


def _form(sizes: tuple[int, ...], units: int, name: str) -> tuple[tuple[int, ...], Ints, Ints]:
    """Return sizes, w by row and size, b by row and pattern."""
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
    """Yield counts by size of the maximal fillings of one GPU."""
    least = sizes[0]

    def fill(at: int, room: int) -> Iterator[tuple[int, ...]]:
        if at == 0:
            yield (room // least,)
            return
        for count in range(room // sizes[at], -1, -1):
            for rest in fill(at - 1, room - count * sizes[at]):
                yield (*rest, count)

    return fill(len(sizes) - 1, room)


@dataclass(frozen=True)
class Weights:
    """
    One row: the weight w of a share by its units, and W(r) by room r = 0, 1, ..., U.

    W(r) is at most floor(r / s), and less where the levels' units cannot fill r.
    """

    of_share: dict[int, int]
    room: tuple[int, ...]

    @staticmethod
    def of(sizes: tuple[int, ...], units: int) -> list[Weights]:
        """Return the rows for shares of these sizes on a GPU."""
        found = {}
        for s in sorted({1, *sizes} if sizes else ()):
            weight = {u: u // s for u in sizes}
            room = [0] * (units + 1)
            for r in range(units + 1):
                fits = (weight[u] + room[r - u] for u in sizes if u <= r)
                room[r] = max(fits, default=0)
            found[tuple(weight.values())] = Weights(weight, tuple(room))
        return list(found.values())

    @property
    def whole(self) -> int:
        """Room of a whole GPU, W(U)."""
        return self.room[-1]


def weights_suffice(sizes: tuple[int, ...], units: int) -> bool:
    """Return whether shares of these sizes, ascending, fit wherever they meet `Weights`."""
    return (sizes, units) == ((2, 3), 20) or all(b % a == 0 for a, b in pairwise(sizes))


def share_weights(types: ColumnTypes, group: int) -> list[Weights]:
    """Return the rows on the shares of a node group."""
    gpu = types.cluster.gpu_of_type[types.node_type[group]]
    return Weights.of(types.sizes(group), types.cluster.gpu_types[gpu].units)


def fill(
    rooms: Sequence[int], shares: dict[int, int], weights: Sequence[Weights]
) -> Iterator[dict[int, int]]:
    """
    Yield how many shares of each size go into each room, until none is left.

    Takes the fullest filling with which the rest still meets the rows, so that for Table IV all
    shares fit if they can; the fullest one where there is none.

    Parameters
    ----------
    rooms : units free on each GPU
    shares : units -> number of shares
    """
    sizes = tuple(sorted(shares, reverse=True))
    left = tuple(shares[u] for u in sizes)
    rows = [(tuple(row.of_share[u] for u in sizes), row.room) for row in weights]
    spare = [sum(room[r] for r in rooms) for _, room in rows]
    for r in rooms:
        if not any(left):
            return
        spare = [most - room[r] for most, (_, room) in zip(spare, rows, strict=True)]
        tried = fillings(sizes, tuple(min(n, r // u) for n, u in zip(left, sizes, strict=True)), r)
        rests = [tuple(n - c for n, c in zip(left, taken, strict=True)) for taken in tried]
        fits = (i for i, rest in enumerate(rests) if _meets(rest, rows, spare))
        chosen = next(fits, 0)
        left = rests[chosen]
        yield dict(zip(sizes, tried[chosen], strict=True))


@lru_cache(maxsize=10_000)
def fillings(
    sizes: tuple[int, ...], left: tuple[int, ...], room: int
) -> tuple[tuple[int, ...], ...]:
    """Return counts by size that leave no room for a share left over, fullest first."""
    found: list[tuple[int, ...]] = []

    def extend(counts: tuple[int, ...], free: int) -> None:
        at = len(counts)
        if at == len(sizes):
            beside = (n > c and u <= free for n, c, u in zip(left, counts, sizes, strict=True))
            if not any(beside):
                found.append(counts)
            return
        for count in range(min(left[at], free // sizes[at]), -1, -1):
            extend((*counts, count), free - count * sizes[at])

    extend((), room)
    return tuple(sorted(found, key=lambda counts: -_weight(counts, sizes)))


def _meets(
    left: tuple[int, ...], rows: list[tuple[tuple[int, ...], tuple[int, ...]]], spare: list[int]
) -> bool:
    return all(_weight(left, weight) <= most for (weight, _), most in zip(rows, spare, strict=True))


def _weight(counts: tuple[int, ...], weight: tuple[int, ...]) -> int:
    return sum(n * w for n, w in zip(counts, weight, strict=True))
