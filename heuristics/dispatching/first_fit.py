"""A queue of jobs, each with a list of configurations: the first one that finds room is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.dispatching.rooms import Rooms
from rsjs.instances.solution import Solution

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Placed:
    """
    Where the jobs are.

    Attributes
    ----------
    node : (J,) list
        -1 = waits.
    gpu, count : (J,) lists
        GPU type and dedicated GPUs, 0 = a share, of the configuration taken.
    shared : (J,) list
        Shared GPU, see `Rooms`; -1 = dedicated.
    """

    node: list[int]
    gpu: list[int]
    count: list[int]
    shared: list[int]


def first_fit(
    queue: Sequence[int],
    candidates: Sequence[Sequence[int]],
    units: Ints,
    rooms: Rooms,
    stride: int,
) -> Placed:
    """
    Place the jobs of a queue one by one; those without room wait and the next one is tried.

    Parameters
    ----------
    queue : jobs in order
    candidates : codes of each job, best first
        gpu * stride + k, with k dedicated GPUs, k = 0 the share.
    units : (J, T) int
        Of the share.
    rooms : Rooms
        Changed.
    stride : int
        G + 1.
    """
    jobs, of_share = len(candidates), units.tolist()
    placed = Placed([-1] * jobs, [-1] * jobs, [0] * jobs, [-1] * jobs)
    configurations = [divmod(code, stride) for code in range(stride * units.shape[1])]
    for j in queue:
        for code in candidates[j]:
            gpu, count = configurations[code]
            node, shared = rooms.place(gpu, count, of_share[j][gpu])
            if node >= 0:
                placed.node[j], placed.gpu[j] = node, gpu
                placed.count[j], placed.shared[j] = count, shared
                if rooms.full:
                    return placed
                break
    return placed


def as_solution(placed: Placed, level: Ints, rooms: Rooms) -> Solution:
    """
    The decision that a placement stands for.

    Parameters
    ----------
    level : (J, T) int
        Share level of each job on each GPU type.
    """
    gpu, count = np.array(placed.gpu), np.array(placed.count)
    shared = (gpu >= 0) & (count == 0)
    return Solution.of(
        placed.node,
        count,
        rooms.node_types(),
        np.where(shared, level[np.arange(len(gpu)), gpu], -1),
    )


def rows_without(codes: Ints) -> list[list[int]]:
    """The rows of an array without their entries -1."""
    count = (codes >= 0).sum(axis=1).tolist()
    rows: list[list[int]] = np.take_along_axis(
        codes, np.argsort(codes < 0, axis=1, kind="stable"), axis=1
    ).tolist()
    return [row[:n] for row, n in zip(rows, count, strict=True)]
