"""
Shares of the GPUs at a place: what they weigh, and how they fill GPUs one by one.

w_s(u) = floor(u / s) is superadditive for s = 1 and for the units of each level, so shares that fit
into rooms of r_1, r_2, ... units meet  sum w_s <= sum W_s(r_i)  with W_s(r) the most that shares on
r units of one GPU weigh. These rows hold for any levels. For those of STS Table IV they suffice:

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

from rsjs.formulations.rsjs.aggregated.columns import Roles


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
        """The rows for shares of these sizes on a GPU."""
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
        """W(U)."""
        return self.room[-1]


def share_weights(roles: Roles, place: int) -> list[Weights]:
    """The rows on the shares of a place."""
    gpu = roles.cluster.gpu_of_type[roles.node_type[place]]
    return Weights.of(roles.sizes(place), roles.cluster.gpu_types[gpu].units)


def fill(
    rooms: Sequence[int], shares: dict[int, int], weights: Sequence[Weights]
) -> Iterator[dict[int, int]]:
    """
    How many shares of each size go into each room, until none is left.

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
    """Counts by size that leave no room for a share left over, fullest first."""
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
