"""
One decision as plain arrays, which kernels read.

Sizes: J jobs, N nodes, V node types, T GPU types, G GPUs of the largest node, K kinds (what a mode
asks for: here the T GPU types, see `dispatching.placement`), D classes of nodes. Code
kind * (G + 1) + g is a mode: g dedicated GPUs or, where there are shares, g = 0 a share of one.

`NodeLevels` has the nodes by what they can still give. Level l of a kind is the open nodes with l
idle GPUs, level G + 1 + s the closed ones that open with s GPUs. So of the levels that suffice for
a job the first is that of the fullest open nodes or, if there is none, of the smallest closed ones.
Sets are bits of words, the lowest index in the lowest bit, and of the words that are not 0 there
are sets too: the first node is found without a search.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.dispatching.placement import NodeKinds
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes
from rsjs.instances.solution import Solution

T = TypeVar("T", bound=NamedTuple)

ENERGIES = ("proportional", "first_ending", "next_event")
PROPORTIONAL, FIRST_ENDING, NEXT_EVENT = range(3)


class NodeTables(NamedTuple):
    """Node data of a greedy rule."""

    class_of_node: Ints  # (N,)
    members: Ints  # (N,) nodes by class, then by index
    start: Ints  # (D + 1,) where each class starts in `members`
    size_as: Ints  # (K, D) GPUs of a node that is opened for a kind; 0 = it is not
    opened_as: Ints  # (K, D) its node type; -1 = it is not
    price: Floats  # (K, G + 1) $/h that candidates are ordered by; inf = no node has so many
    equivalents: Ints  # (D, V, G + 1) what a type with some GPUs in use becomes
    gpu_of_type: Ints  # (V,)
    gpus_of_type: Ints  # (V,)
    cost_of_type: Floats  # (V, G + 1) $/h by GPUs in use
    spare: Ints  # (N,) nodes in the order in which `select_required_nodes` selects them
    fewest: Ints  # (D,) GPUs of the smallest type a class allows


class ObjectiveTables(NamedTuple):
    """Cost terms of a solution, by job and mode."""

    hours: Floats  # (J, T, G + 1)
    tardiness: Floats  # (J, T, G + 1) $ at completion
    postponement: Floats  # (J,) P_j
    weight: Floats  # (J,)
    due: Floats  # (J,)
    now: float
    mu: float
    energy: int  # in ENERGIES
    at_completion: bool  # tardiness there, or at the next event
    selected: int  # nodes that must be selected; 0 = any number


def settled(tables: T) -> T:
    """Return tables with contiguous, read-only arrays: of one type for the compiler."""
    return type(tables)(*map(_settled, tables))


def _settled(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array = np.ascontiguousarray(value)
    array.setflags(write=False)
    return array


def node_tables(cluster: Cluster, kinds: NodeKinds, price: Floats, equivalents: Ints) -> NodeTables:
    """Build the tables of a cluster from a rule's prices and what nodes with idle GPUs become."""
    _, first = np.unique(cluster.class_of_node, return_index=True)
    opened_as = np.array(kinds.opened_as)[:, first]
    size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    fewest = size.min(axis=1)
    tables = NodeTables(
        class_of_node=cluster.class_of_node,
        members=np.argsort(cluster.class_of_node, kind="stable"),
        start=np.concatenate([[0], np.cumsum(cluster.class_sizes)]),
        size_as=np.where(opened_as >= 0, cluster.gpus_of_type[opened_as], 0),
        opened_as=opened_as,
        price=price,
        equivalents=equivalents,
        gpu_of_type=cluster.gpu_of_type,
        gpus_of_type=cluster.gpus_of_type,
        cost_of_type=cluster.cost_of_type,
        spare=np.argsort(fewest[cluster.class_of_node], kind="stable"),
        fewest=fewest,
    )
    return settled(tables)


def objective(instance: Instance) -> ObjectiveTables:
    """Build the tables of an instance's objective, priced as in `costs.terms`."""
    table, asked = costs.cost_tables(instance), instance.objective
    found = ObjectiveTables(
        hours=table.hours,
        tardiness=table.tardiness,
        postponement=table.postponement,
        weight=instance.jobs.weight,
        due=instance.jobs.due,
        now=float(instance.now),
        mu=float(asked.mu),
        energy=ENERGIES.index(asked.energy),
        at_completion=asked.tardiness_at == "completion",
        selected=required_nodes(instance) if asked.open_nodes == "jahani_eq" else 0,
    )
    return settled(found)


class Placement(NamedTuple):
    """Where jobs run, see `Solution`."""

    node: Ints  # (J,)
    gpus: Ints  # (J,)
    level: Ints  # (J,)
    node_type: Ints  # (N,)

    @staticmethod
    def of(solution: Solution) -> Placement:
        """Return the arrays of a solution."""
        return Placement(
            solution.job_node, solution.job_gpus, solution.job_level, solution.node_type
        )


SHIFT, LAST = 5, 31  # element i of a set is bit i & LAST of word i >> SHIFT


class NodeLevels(NamedTuple):
    """
    Sets of nodes in L = 2 (G + 1) levels of K kinds.

    Each level has a row of `nodes`: how many nodes; which words of their set are not 0, as words
    again (groups); the words of the set. Row kind * L + level starts at that times `width`.
    """

    nodes: Ints  # (K L width,)
    present: Ints  # (K parts,) levels that are not empty
    enough: Ints  # ((G + 1) parts,) levels that suffice for so many GPUs
    room: Ints  # (K,) no node can give more GPUs
    elsewhere: Bools  # (D,) whether nodes of a class are closed nodes of several kinds
    levels: int  # L
    closed: int  # G + 1
    width: int
    groups: int
    parts: int


def all_closed(nodes: NodeTables) -> NodeLevels:
    """Return the levels of a cluster without jobs."""
    stride, kinds = nodes.price.shape[1], len(nodes.size_as)
    size = nodes.size_as[:, nodes.class_of_node]  # (K, N)
    kind, node = np.nonzero(size)
    level = stride + size[kind, node]
    row = kind * 2 * stride + level
    sets = _sets((kinds * 2 * stride, len(nodes.class_of_node)), row, node)
    filled = _sets(sets.shape, *np.nonzero(sets))
    rows = np.hstack([np.bincount(row, minlength=len(sets))[:, None], filled, sets])
    present = _sets((kinds, 2 * stride), kind, level)
    gpus, suffices = np.nonzero(np.tile(np.tri(stride, dtype=bool).T, 2))
    some = suffices % stride > 0
    return NodeLevels(
        nodes=rows.ravel(),
        present=present.ravel(),
        enough=_sets((stride, 2 * stride), gpus[some], suffices[some]).ravel(),
        room=size.max(axis=1),
        elsewhere=(nodes.size_as > 0).sum(axis=0) > 1,
        levels=2 * stride,
        closed=stride,
        width=rows.shape[1],
        groups=filled.shape[1],
        parts=present.shape[1],
    )


def copied(levels: NodeLevels) -> NodeLevels:
    """Return a copy, to be changed by placing jobs."""
    own = {name: getattr(levels, name).copy() for name in ("nodes", "present", "room")}
    return levels._replace(**own)


class SharedGpus(NamedTuple):
    """Shared GPUs of a partial solution."""

    node: Ints  # (N G,)
    kind: Ints
    left: Ints  # units
    room: Ints  # (K,) most units left on one
    number: Ints  # (1,) of them
    whole: Ints  # (K,) units of a whole GPU


def undivided(cluster: Cluster) -> SharedGpus:
    """Return memory for the shared GPUs of a cluster."""
    gpus, kinds = cluster.nodes * cluster.largest, len(cluster.gpu_types)
    node, kind, left = np.zeros((3, gpus), dtype=np.int64)
    room, number = np.zeros(kinds, dtype=np.int64), np.zeros(1, dtype=np.int64)
    whole = np.array([gpu.units for gpu in cluster.gpu_types])
    return SharedGpus(node=node, kind=kind, left=left, room=room, number=number, whole=whole)


def _sets(shape: tuple[int, ...], row: Ints, member: Ints) -> Ints:
    """Return (rows, words) the members of each row, of shape[1] possible ones, as bits."""
    rows, most = shape
    found = np.zeros((rows, (most + LAST) >> SHIFT), dtype=np.int64)
    np.bitwise_or.at(found, (row, member >> SHIFT), 1 << (member & LAST))
    return found
