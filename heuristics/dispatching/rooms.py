"""
Jobs onto nodes one by one, best fit, with shares of GPUs.

Dedicated GPUs go to a node of the GPU type with the fewest idle GPUs that suffice, by one of FITS:

open    among open nodes, else among closed ones: the fullest open node, then the smallest closed
all     among all nodes, closed ones with all their GPUs idle: a small closed node may come before
        an open one with more idle GPUs

A share goes to the GPU with the smallest room that suffices, else to a whole GPU, found as if
dedicated. Ties: an open node before a closed one, then the first. A node that may take several
types opens as the largest one with the GPU asked for. Sets of nodes are Python integers as in
`best_fit`.

A queue of jobs, each with a list of configurations: the first one that finds room is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.instances.cluster import Cluster
from rsjs.instances.solution import Solution

FITS = ("open", "all")


class Rooms:
    """
    What is free on the nodes of a cluster while jobs are placed.

    Attributes
    ----------
    alone : bool
        One job per node.
    fit : one of FITS
    node_gpu : (N,) list
        GPU type of each open node; -1 = closed.
    idle : (N,) list
        GPUs of each open node that no job is on; 0 of closed ones.
    gpu_node, gpu_jobs, gpu_left : lists
        Node, jobs placed and units left of each GPU that has been shared.
    """

    def __init__(self, cluster: Cluster, *, alone: bool = False, fit: str = "open") -> None:
        pool = cluster_tables(cluster, GREEDY_RULES["code"]).pool
        kinds = range(len(cluster.gpu_types))
        self.alone, self.fit = alone, fit
        self.units = [gpu.units for gpu in cluster.gpu_types]
        self.node_gpu, self.idle = [-1] * cluster.nodes, [0] * cluster.nodes
        self.gpu_node: list[int] = []
        self.gpu_jobs: list[int] = []
        self.gpu_left: list[int] = []
        self._opened_as = pool.opened_as
        self._openings = [openings[::-1] for openings in pool.openings]
        self._closed = (1 << cluster.nodes) - 1
        self._with_idle = [[0] * (cluster.largest + 1) for _ in kinds]  # sets of open nodes
        self._counts = [0] * len(kinds)  # sets of idle counts for which there are nodes
        self._with_left: list[list[list[int]]] = [[[] for _ in range(u)] for u in self.units]
        self._divided_gpus = 0  # with units left

    @property
    def full(self) -> bool:
        """Whether no job finds room any more."""
        return not (self._closed or self._divided_gpus or any(self._counts))

    def place(self, gpu: int, count: int, units: int) -> tuple[int, int]:
        """
        Place a job; (node, shared GPU) or (-1, -1) if there is no room.

        Parameters
        ----------
        gpu : GPU type
        count : dedicated GPUs; 0 = a share
        units : of the share
        """
        if count:
            return self._whole(gpu, count), -1
        for heap in self._with_left[gpu][units:]:
            if heap:
                shared = heappop(heap)
                self._divided_gpus -= 1
                break
        else:
            node = self._whole(gpu, 1)
            if node < 0:
                return -1, -1
            shared = self._divided(node)
        self.gpu_jobs[shared] += 1
        self._leave(gpu, shared, self.gpu_left[shared] - units)
        return self.gpu_node[shared], shared

    def occupy(self, node: int, gpu: int, room: int, shares: list[int]) -> None:
        """Open a node on which jobs run: GPUs that are not dedicated, units of their shares."""
        self._closed ^= 1 << node
        self.node_gpu[node] = gpu
        bins: list[int] = []  # units left, first fit decreasing
        for units in sorted(shares, reverse=True):
            fits = (b for b, left in enumerate(bins) if left >= units)
            b = next(fits, len(bins))
            bins += [self.units[gpu]] * (b == len(bins))
            bins[b] -= units
        idle = room - len(bins)
        if idle < 0 or self.alone:  # these shares are packed more cleverly: no room for others
            return
        self._keep(gpu, node, idle)
        for left in bins:
            shared = self._divided(node)
            self._leave(gpu, shared, left)

    def node_types(self) -> list[int]:
        """(N,) node type of each open node; -1 = closed."""
        return [
            self._opened_as[gpu][node] if gpu >= 0 else -1 for node, gpu in enumerate(self.node_gpu)
        ]

    def _whole(self, gpu: int, count: int) -> int:
        fits = self._counts[gpu] >> count
        idle = count + (fits & -fits).bit_length() - 1  # of the fullest open node that has room
        closed = self._smallest_closed(gpu, count) if not fits or self.fit == "all" else None
        if fits and (closed is None or idle <= closed[0]):
            nodes = self._with_idle[gpu][idle]
            bit = nodes & -nodes
            self._with_idle[gpu][idle] = nodes ^ bit
            if nodes == bit:
                self._counts[gpu] ^= 1 << idle
            node = bit.bit_length() - 1
        elif closed is None:
            return -1
        else:
            idle, nodes = closed
            bit = nodes & -nodes
            self._closed ^= bit
            node = bit.bit_length() - 1
            self.node_gpu[node] = gpu
        self._keep(gpu, node, 0 if self.alone else idle - count)
        return node

    def _smallest_closed(self, gpu: int, count: int) -> tuple[int, int] | None:
        """Return the GPUs and the set of the smallest closed nodes with enough; None without."""
        for size, members in self._openings[gpu]:
            nodes = self._closed & members
            if nodes and size >= count:
                return size, nodes
        return None

    def _keep(self, gpu: int, node: int, idle: int) -> None:
        self.idle[node] = idle
        if idle:
            self._with_idle[gpu][idle] |= 1 << node
            self._counts[gpu] |= 1 << idle

    def _divided(self, node: int) -> int:
        """A GPU of a node that is shared from now on."""
        self.gpu_node.append(node)
        self.gpu_jobs.append(0)
        self.gpu_left.append(self.units[self.node_gpu[node]])
        return len(self.gpu_node) - 1

    def _leave(self, gpu: int, shared: int, left: int) -> None:
        """So many units of a shared GPU stay free."""
        self.gpu_left[shared] = left
        if left and not self.alone:
            heappush(self._with_left[gpu][left], shared)
            self._divided_gpus += 1


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
