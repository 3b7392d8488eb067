"""Counts that the exact check needs: bins for shares, and nodes that can each have a job."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from rsjs.instances.errors import InputError, described

MOST_STEPS = 100_000  # of the search for a packing


def largest_matching(jobs: int, nodes: int, runs_on: Callable[[int, int], bool]) -> int:
    """Pairs (job, node) with every job and node once: augmenting paths, breadth first."""
    job_on: dict[int, int] = {}
    node_of: dict[int, int] = {}
    for start in range(jobs):
        reached_from: dict[int, int] = {}  # node -> job
        queue, end = deque([start]), None
        while queue and end is None:
            j = queue.popleft()
            for n in range(nodes):
                if n not in reached_from and runs_on(j, n):
                    reached_from[n] = j
                    if n not in job_on:
                        end = n
                        break
                    queue.append(job_on[n])
        while end is not None:  # flip the path, back to `start`
            j = reached_from[end]
            job_on[end], node_of[j], end = j, end, node_of.get(j)
    return len(job_on)


def fewest_bins(items: list[int], size: int) -> int:
    """
    Bins of `size` that hold the items: upwards from the volume bound, to what first fit needs.

    Raises
    ------
    InputError
        If that takes more than MOST_STEPS steps.
    """
    ordered, steps = tuple(sorted(items, reverse=True)), iter(range(MOST_STEPS))
    large = sum(2 * item > size for item in items)  # no two of them in a bin
    bins, enough = max(large, -(-sum(items) // size)), _first_fit(ordered, size)
    while bins < enough and not _pack(ordered, size, bins * size - sum(items), steps):
        bins += 1
    return bins


def _first_fit(items: tuple[int, ...], size: int) -> int:
    rooms: list[int] = []
    for item in items:
        at = next((i for i, room in enumerate(rooms) if room >= item), None)
        if at is None:
            rooms.append(size - item)
        else:
            rooms[at] -= item
    return len(rooms)


def _pack(items: tuple[int, ...], size: int, spare: int, steps: Iterator[int]) -> bool:
    """Whether bins hold the items, largest first, with at most `spare` left empty in all."""

    def after_one_bin(left: tuple[int, ...], spare: int) -> Iterator[tuple[tuple[int, ...], int]]:
        for rest in _rests(left[1:], size - left[0], left[0]):
            if next(steps, None) is None:
                found = described(f"{len(items)} shares on one node")
                raise InputError("", found, f"shares that are packed within {MOST_STEPS} steps")
            empty = size - sum(left) + sum(rest)
            if empty <= spare:
                yield rest, spare - empty

    path, seen = [iter([(items, spare)])], set[tuple[tuple[int, ...], int]]()
    while path:
        state = next(path[-1], None)
        if state is None:
            path.pop()
        elif not state[0]:
            return True
        elif state not in seen:
            seen.add(state)
            path.append(after_one_bin(*state))
    return False


def _rests(items: tuple[int, ...], room: int, last: int) -> Iterator[tuple[int, ...]]:
    """What is left when a bin is filled until nothing fits, no item larger than the one before."""
    if not items or items[-1] > room:
        yield items
        return
    for item in sorted(set(items), reverse=True):
        if item <= min(room, last):
            at = items.index(item)
            yield from _rests(items[:at] + items[at + 1 :], room - item, item)
