"""
Best fit: jobs onto nodes one by one, on dedicated GPUs or a share of one.

Nodes are told apart by *kind*: what a mode asks for, a GPU type or a node type. A set of nodes is a
Python integer, bit n = node n, and there is one set per kind and number of idle GPUs: the best fit
is the first non-empty one from g on, its lowest set bit the node with the lowest index.

Dedicated GPUs go to a node of the kind with the fewest idle GPUs that suffice, by one of FITS:

open    among open nodes, else among closed ones: the fullest open node, then the smallest closed
all     among all nodes, closed ones with all their GPUs idle: a small closed node may come before
        an open one with more idle GPUs

A share goes to the GPU with the fewest units left that suffice, else to a whole GPU, found as if
dedicated. Ties: an open node before a closed one, then the first. `greedy/kernels_placement` does
it on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from weakref import WeakKeyDictionary

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Ints
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

FITS = ("open", "all")


@dataclass(frozen=True, eq=False)
class NodeKinds:
    """The nodes of a cluster, grouped by kind."""

    modes: list[tuple[int, int]]  # by code kind * (G + 1) + g: kind, dedicated GPUs, 0 = a share
    openings: list[list[tuple[int, int]]]  # per kind: GPUs, nodes that open so; smallest first
    opened_as: list[list[int]]  # per kind and node: the node type then; -1 = never
    units: list[int]  # of a whole GPU, per kind


def kinds_by_node_type(cluster: Cluster) -> NodeKinds:
    """Return the kinds where a node opens as the very node type that is asked for."""
    types = np.arange(len(cluster.node_types))
    choice = np.where(cluster.allowed_in_class.T, types[:, None], -1)
    return _kinds(cluster, choice, cluster.gpu_of_type.tolist())


_BY_GPU_TYPE: WeakKeyDictionary[Cluster, NodeKinds] = WeakKeyDictionary()  # made once


def kinds_by_gpu_type(cluster: Cluster) -> NodeKinds:
    """
    Return the kinds where a node opens as its largest type with the GPU that is asked for.

    Ties: the cheapest type, then the first.
    """
    if (known := _BY_GPU_TYPE.get(cluster)) is not None:
        return known
    gpus = range(len(cluster.gpu_types))
    choice = np.full((len(gpus), len(cluster.allowed_in_class)), -1)
    cost, size = cluster.cost_of_type, cluster.gpus_of_type
    for c, allowed in enumerate(cluster.allowed_in_class):
        types = np.flatnonzero(allowed)
        largest_last = np.lexsort((-types, -cost[types, size[types]], size[types]))
        for v in types[largest_last].tolist():
            choice[cluster.gpu_of_type[v], c] = v
    kinds = _BY_GPU_TYPE[cluster] = _kinds(cluster, choice, list(gpus))
    return kinds


def _kinds(cluster: Cluster, choice: Ints, gpu_type: list[int]) -> NodeKinds:
    """Build kinds from the node type that each class of nodes opens as, (kinds, C)."""
    opened_as = choice[:, cluster.class_of_node]
    size = np.where(opened_as >= 0, cluster.gpus_of_type[opened_as], 0)
    stride = cluster.largest + 1
    return NodeKinds(
        modes=[(kind, g) for kind in range(len(choice)) for g in range(stride)],
        openings=[[(s, _set_of(row == s)) for s in sorted(set(row.tolist())) if s] for row in size],
        opened_as=opened_as.tolist(),
        units=[cluster.gpu_types[gpu].units for gpu in gpu_type],
    )


def _set_of(members: Bools) -> int:
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


class FreeCapacity:
    """
    Free GPUs and shares on the nodes of a cluster while jobs are placed.

    Attributes
    ----------
    kinds : NodeKinds
    alone : bool
        One job per node.
    fit : one of FITS
    node_kind : (N,) list
        Kind of each open node; -1 = closed.
    idle : (N,) list
        GPUs of each open node that no job is on; 0 of closed ones.
    gpu_node, gpu_jobs, gpu_left : lists
        Node, jobs placed and units left of each GPU that has been shared.
    """

    def __init__(self, kinds: NodeKinds, *, alone: bool = False, fit: str = "open") -> None:
        nodes, stride = len(kinds.opened_as[0]), len(kinds.modes) // len(kinds.units)
        self.kinds, self.alone, self.fit = kinds, alone, fit
        self.node_kind, self.idle = [-1] * nodes, [0] * nodes
        self.gpu_node: list[int] = []
        self.gpu_jobs: list[int] = []
        self.gpu_left: list[int] = []
        self._closed = (1 << nodes) - 1
        self._with_idle = [[0] * stride for _ in kinds.units]  # sets of open nodes
        self._counts = [0] * len(kinds.units)  # sets of idle counts for which there are nodes
        # heaps of shared GPUs by kind and units left
        self._with_left: list[list[list[int]]] = [[[] for _ in range(u)] for u in kinds.units]
        self._divided_gpus = 0  # with units left

    @property
    def full(self) -> bool:
        """Whether no further job fits."""
        return not (self._closed or self._divided_gpus or any(self._counts))

    def place(self, kind: int, count: int, units: int) -> tuple[int, int]:
        """
        Place a job; return (node, shared GPU), (-1, -1) if there is no room.

        Parameters
        ----------
        count : dedicated GPUs; 0 = a share
        units : of the share
        """
        if count:
            return self._whole(kind, count), -1
        for heap in self._with_left[kind][units:]:
            if heap:
                shared = heappop(heap)
                self._divided_gpus -= 1
                break
        else:
            node = self._whole(kind, 1)
            if node < 0:
                return -1, -1
            shared = self._divided(node)
        self.gpu_jobs[shared] += 1
        self._leave(kind, shared, self.gpu_left[shared] - units)
        return self.gpu_node[shared], shared

    def occupy(self, node: int, kind: int, room: int, shares: Sequence[int] = ()) -> None:
        """Open a node on which jobs run: GPUs that are not dedicated, units of their shares."""
        self._closed ^= 1 << node
        self.node_kind[node] = kind
        bins: list[int] = []  # units left, first fit decreasing
        for units in sorted(shares, reverse=True):
            fits = (b for b, left in enumerate(bins) if left >= units)
            b = next(fits, len(bins))
            bins += [self.kinds.units[kind]] * (b == len(bins))
            bins[b] -= units
        idle = room - len(bins)
        if idle < 0 or self.alone:  # these shares are packed more cleverly: no room for others
            return
        self._keep(kind, node, idle)
        for left in bins:
            shared = self._divided(node)
            self._leave(kind, shared, left)

    def node_types(self) -> list[int]:
        """Return the (N,) node type of each open node; -1 = closed."""
        opened_as = [*self.kinds.opened_as, [-1] * len(self.idle)]  # the last entry: kind -1
        return [opened_as[kind][node] for node, kind in enumerate(self.node_kind)]

    def _whole(self, kind: int, count: int) -> int:
        """Place a job on dedicated GPUs; return the node, or -1."""
        fits = self._counts[kind] >> count
        idle = count + (fits & -fits).bit_length() - 1  # of the fullest open node that has room
        closed = self._smallest_closed(kind, count) if not fits or self.fit == "all" else None
        if fits and (closed is None or idle <= closed[0]):
            nodes = self._with_idle[kind][idle]
            bit = nodes & -nodes
            self._with_idle[kind][idle] = nodes ^ bit
            if nodes == bit:
                self._counts[kind] ^= 1 << idle
            node = bit.bit_length() - 1
        elif closed is None:
            return -1
        else:
            idle, nodes = closed
            bit = nodes & -nodes
            self._closed ^= bit
            node = bit.bit_length() - 1
            self.node_kind[node] = kind
        self._keep(kind, node, 0 if self.alone else idle - count)
        return node

    def _smallest_closed(self, kind: int, count: int) -> tuple[int, int] | None:
        """Return the GPUs and the set of the smallest closed nodes with enough; None without."""
        for size, members in self.kinds.openings[kind]:
            nodes = self._closed & members
            if nodes and size >= count:
                return size, nodes
        return None

    def _keep(self, kind: int, node: int, idle: int) -> None:
        """Let a node have so many idle GPUs."""
        self.idle[node] = idle
        if idle:
            self._with_idle[kind][idle] |= 1 << node
            self._counts[kind] |= 1 << idle

    def _divided(self, node: int) -> int:
        """Return a GPU of a node that is shared from now on."""
        self.gpu_node.append(node)
        self.gpu_jobs.append(0)
        self.gpu_left.append(self.kinds.units[self.node_kind[node]])
        return len(self.gpu_node) - 1

    def _leave(self, kind: int, shared: int, left: int) -> None:
        """Let a shared GPU have so many units left."""
        self.gpu_left[shared] = left
        if left and not self.alone:
            heappush(self._with_left[kind][left], shared)
            self._divided_gpus += 1


@dataclass(frozen=True, eq=False)
class PlacedJobs:
    """Nodes and modes of the jobs placed so far."""

    node: list[int]  # (J,) -1 = waits
    kind: list[int]  # (J,) of the mode taken
    count: list[int]  # (J,) its dedicated GPUs; 0 = a share
    shared: list[int]  # (J,) shared GPU, see `FreeCapacity`; -1 = dedicated


def place_queue(
    queue: Sequence[int],
    candidates: Sequence[Sequence[int]],
    capacity: FreeCapacity,
    units: Ints | None = None,
) -> PlacedJobs:
    """
    Give each job of a queue its first candidate that finds room; jobs that find none wait.

    Parameters
    ----------
    queue : jobs in order
    candidates : codes of each job's modes, best first; see `NodeKinds.modes`
    capacity : FreeCapacity
        Changed.
    units : (J, kinds) int, optional
        Of the share; needed if there are candidates with k = 0.
    """
    jobs, modes, kinds = len(candidates), capacity.kinds.modes, len(capacity.kinds.units)
    of_share = [[0] * kinds] * jobs if units is None else units.tolist()
    placed = PlacedJobs([-1] * jobs, [-1] * jobs, [0] * jobs, [-1] * jobs)
    room = [len(modes)] * kinds  # no node gives more GPUs: room only shrinks
    for j in queue:
        for code in candidates[j]:
            kind, count = modes[code]
            if count > room[kind]:
                continue
            node, shared = capacity.place(kind, count, of_share[j][kind])
            if node >= 0:
                placed.node[j], placed.kind[j] = node, kind
                placed.count[j], placed.shared[j] = count, shared
                if capacity.full:
                    return placed
                break
            if count:
                room[kind] = count - 1
    return placed


def as_solution(placed: PlacedJobs, capacity: FreeCapacity, level: Ints | None = None) -> Solution:
    """
    Return the solution that a placement stands for.

    Parameters
    ----------
    level : (J, kinds) int, optional
        Share level of each job by kind; needed if jobs have shares.
    """
    job_level, count = None, np.array(placed.count)
    if level is not None:
        kind = np.array(placed.kind)
        shared = (kind >= 0) & (count == 0)
        job_level = np.where(shared, level[np.arange(len(kind)), kind], -1)
    return Solution.of(placed.node, count, capacity.node_types(), job_level)


def running(instance: Instance) -> Solution:
    """Return the placement of `instance.current` without empty nodes; its other jobs wait."""
    current = instance.current
    if current is None:
        return Solution.empty(len(instance.jobs), instance.cluster.nodes)
    for violation in check(instance, current).violations:
        if violation.constraint != "open_nodes":
            where, found = f"/current{violation.where}", described(str(violation.found))
            raise InputError(where, found, f"{violation.expected} ({violation.constraint})")
    busy = np.zeros(instance.cluster.nodes, dtype=bool)
    busy[current.job_node[current.job_node >= 0]] = True
    node_type = np.where(busy, current.node_type, -1)
    return Solution.of(current.job_node, current.job_gpus, node_type, current.job_level)


def occupy_nodes(capacity: FreeCapacity, cluster: Cluster, placement: Solution) -> None:
    """Open the nodes on which the jobs of a placement run; kinds are GPU types."""
    runs = np.flatnonzero(placement.job_node >= 0)
    node, level = placement.job_node[runs], placement.job_level[runs]
    dedicated = np.bincount(node, placement.job_gpus[runs], cluster.nodes).astype(np.int64)
    used = np.unique(node)
    types = placement.node_type[used]
    gpu = dict(zip(used.tolist(), cluster.gpu_of_type[types].tolist(), strict=True))
    shares: dict[int, list[int]] = {n: [] for n in gpu}
    for n, job_level in zip(node[level >= 0].tolist(), level[level >= 0].tolist(), strict=True):
        shares[n].append(cluster.gpu_types[gpu[n]].levels[job_level].units)
    room = (cluster.gpus_of_type[types] - dedicated[used]).tolist()
    for (n, units), left in zip(shares.items(), room, strict=True):
        capacity.occupy(n, gpu[n], left, units)


def together(kept: Solution, new: Solution) -> Solution:
    """Return jobs that run with those placed beside them; each job is in one of both."""
    return Solution.of(
        np.maximum(new.job_node, kept.job_node),
        np.maximum(new.job_gpus, kept.job_gpus),
        np.where(kept.node_type >= 0, kept.node_type, new.node_type),
        np.maximum(new.job_level, kept.job_level),
    )
