"""Bin packing of integers: the min number of GPUs that hold a set of shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import mul, sub

from rsjs.core.errors import InputError, described

MOST_STEPS = 100_000  # of a search: a second


def gpus_for_shares(shares: Iterable[int], units: int) -> int:
    """
    Return the min number of GPUs of `units` units that hold the shares (1 .. units - 1 each).

    Closed forms for the shares of STS Table IV (quarters and halves; tenths and 3/20 of an
    A100); for any other set a search between a lower bound and what best fit decreasing needs.

    Raises
    ------
    InputError
        If that takes more than MOST_STEPS steps: many shares of many sizes that do not divide.
    """
    counts = Counter(shares)
    if not counts:
        return 0
    total = sum(size * count for size, count in counts.items())
    if _divisible(sorted(counts), units):
        return -(-total // units)
    if units == 20 and set(counts) <= {2, 3}:
        return max(-(-total // 20), -(-counts[3] // 6))
    return len(filled_gpus(counts.elements(), units))


def gpus_taken(shares: Sequence[int], units: int, most: int) -> int:
    """Return the min number of GPUs that hold the shares; a lower bound of more than `most`."""
    bound = -(-sum(shares) // units)
    return bound if bound > most else gpus_for_shares(shares, units)


def filled_gpus(shares: Iterable[int], units: int) -> list[list[int]]:
    """
    Return the shares on each of the fewest GPUs that hold them, the largest first on each.

    Raises
    ------
    InputError
        As `gpus_for_shares`.
    """
    counts = Counter(shares)
    sizes = tuple(sorted(counts, reverse=True))
    left = tuple(counts[size] for size in sizes)
    best, total = _best_fit(sizes, left, units), sum(map(mul, sizes, left))
    steps = iter(range(MOST_STEPS))
    for bins in range(_lower_bound(counts, units), len(best)):
        found = _fit(left, sizes, units, bins * units - total, steps)
        if found is not None:
            taken = (map(sub, before, after) for before, after in pairwise(found))
            return [[s for s, n in zip(sizes, gpu, strict=True) for _ in range(n)] for gpu in taken]
    return best


def _lower_bound(counts: Mapping[int, int], units: int) -> int:
    """Return Martello and Toth's L2 (1990): max over k of the bins that shares >= k need."""
    best = 0
    for least in (0, *(size for size in counts if 2 * size <= units)):
        alone = sum(n for size, n in counts.items() if size > units - least)
        large = {s: n for s, n in counts.items() if units < 2 * s and s <= units - least}
        small = sum(size * n for size, n in counts.items() if least <= size and 2 * size <= units)
        beside = sum((units - size) * n for size, n in large.items())
        bins = alone + sum(large.values()) + max(0, -(-(small - beside) // units))
        best = max(best, bins)
    return best


def _best_fit(sizes: tuple[int, ...], counts: tuple[int, ...], units: int) -> list[list[int]]:
    """Return the shares on each GPU after best fit decreasing: not always the fewest GPUs."""
    gpus: list[list[int]] = []
    with_room: dict[int, list[list[int]]] = {}  # free units -> GPUs
    for size, count in zip(sizes, counts, strict=True):
        for _ in range(count):
            free = min((room for room in with_room if room >= size and with_room[room]), default=0)
            if free:
                gpu = with_room[free].pop()
            else:
                free, gpu = units, []
                gpus.append(gpu)
            gpu.append(size)
            with_room.setdefault(free - size, []).append(gpu)
    return gpus


def _divisible(sizes: list[int], units: int) -> bool:
    """Return whether each size divides the next and the bin: then the volume bound is attained."""
    chain = [*sizes, units]
    return all(large % small == 0 for small, large in pairwise(chain))


def _fit(
    counts: tuple[int, ...],
    sizes: tuple[int, ...],
    units: int,
    waste: int,
    steps: Iterator[int],
) -> list[tuple[int, ...]] | None:
    """
    Return the shares left before the first GPU and after each, with at most `waste` free units.

    None if they do not fit. Depth first, GPU by GPU.
    """

    def after_one_gpu(left: tuple[int, ...], waste: int) -> Iterator[tuple[tuple[int, ...], int]]:
        for rest in _fillings(left, sizes, units):
            if next(steps, None) is None:
                found = described(f"{sum(counts)} shares of {len(sizes)} sizes on one node")
                expected = f"shares whose packing is found within {MOST_STEPS} steps"
                raise InputError("", found, expected)
            free = units - sum(map(mul, sizes, map(sub, left, rest)))
            if free <= waste:
                yield rest, waste - free

    tried: dict[tuple[int, ...], int] = {}  # shares left -> most waste tried with them
    path, further = [counts], [after_one_gpu(counts, waste)]
    while path:
        left, waste = next(further[-1], (None, 0))
        if left is None:
            path.pop()
            further.pop()
        elif not any(left):
            return [*path, left]
        elif waste > tried.get(left, -1):
            tried[left] = waste
            path.append(left)
            further.append(after_one_gpu(left, waste))
    return None


def _fillings(
    left: tuple[int, ...], sizes: tuple[int, ...], room: int
) -> Iterable[tuple[int, ...]]:
    """Yield what is left after each maximal filling of one GPU that holds the largest share."""

    def fill(at: int, rest: tuple[int, ...], room: int) -> Iterable[tuple[int, ...]]:
        if at == len(sizes):
            if all(count == 0 or size > room for count, size in zip(rest, sizes, strict=True)):
                yield rest
            return
        most = min(rest[at], room // sizes[at])
        least = 1 if at == first else 0
        for taken in range(most, least - 1, -1):
            after = (*rest[:at], rest[at] - taken, *rest[at + 1 :])
            yield from fill(at + 1, after, room - taken * sizes[at])

    first = next(i for i, count in enumerate(left) if count)
    return fill(first, left, room)
