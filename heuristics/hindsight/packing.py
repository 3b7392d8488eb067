"""Nodes as `kernels_packing` sees them: groups, states and moves; and a packing, job by job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.hindsight.kernels_packing import Moves, PackingSpace, pack_row
from rsjs.instances.cluster import Cluster

WORDS = 20260101  # seed of the random words; which they are matters nowhere


class NodeMoves(NamedTuple):
    """Moves of nodes with what their states are."""

    moves: Moves
    node_class: Ints  # (S,)
    kind: Ints  # (S,) node type; -1 = off
    used: Ints  # (S,) GPUs in use
    gpu: Ints  # (S,) GPU type; -1 of nodes that are off


def node_moves(
    cluster: Cluster, billed: Floats, gpu: Ints, amount: Floats, used: Ints
) -> NodeMoves:
    """
    Return the states of a cluster's nodes and all moves between them.

    Parameters
    ----------
    cluster : Cluster
    billed : (V, G + 1) float [$/h]
        Of a node by GPUs in use, inf beyond s_v.
    gpu, amount : (Q,)
        GPU type of each mode, and its GPUs or its part of one.
    used : int
        The modes that jobs have.
    """
    types, size = len(cluster.gpu_types), cluster.gpus_of_type
    group_of_gpu, group_of_class = _groups(cluster)
    groups = int(group_of_class.max()) + 1
    # states of nodes: off, or of a type with GPUs in use
    state: dict[tuple[int, int, int], int] = {}
    for c in np.argsort(group_of_class, kind="stable").tolist():
        state[c, -1, 0] = len(state)
        for v in np.flatnonzero(cluster.allowed_in_class[c]).tolist():
            state |= {(c, v, u): len(state) + u - 1 for u in range(1, int(size[v]) + 1)}
    spare = np.zeros((len(state), types), dtype=np.int64)
    by_piece: dict[tuple[int, int], list[tuple[float, int, bool, int, int]]] = {}
    for (c, v, u), s in state.items():
        for w in np.flatnonzero(cluster.allowed_in_class[c]).tolist():
            i, free = int(cluster.gpu_of_type[w]), int(size[w]) - u
            if v >= 0 and i != cluster.gpu_of_type[v]:
                continue
            spare[s, i] = max(spare[s, i], free)
            for k in range(1, free + 1):
                cost = float(billed[w, u + k] - (billed[v, u] if v >= 0 else 0.0))
                move = (cost, free - k, v < 0, s, state[c, w, u + k])
                by_piece.setdefault((i, k), []).append(move)
    first = np.zeros((2, types, cluster.largest + 2), dtype=np.int64)
    flat: list[tuple[float, int, bool, int, int]] = []
    then: list[int] = []
    for order in range(2):  # CHEAPEST, TIGHTEST
        for i, k in np.ndindex(first.shape[1:]):
            first[order, i, k] = len(flat)
            some = sorted(
                by_piece.get((i, k), []),
                key=lambda m: (round(m[0], 9), *m[1:]) if order == 0 else m[1:],
            )
            befores = [move[3] for move in some]
            then += [
                len(flat) + befores.index(move[4]) if move[4] in befores[:at] else -1
                for at, move in enumerate(some)
            ]
            flat += some
    units = np.array([kind.units for kind in cluster.gpu_types])
    dedicated = np.where(amount >= 1, amount, 0).astype(np.int64)
    share = np.where(amount < 1, np.rint(amount * units[gpu]), 0).astype(np.int64)
    modes = used[np.lexsort((-share[used], dedicated[used], gpu[used], group_of_gpu[gpu[used]]))]
    group, slot = np.full(len(gpu), -1), np.zeros(len(gpu), dtype=np.int64)
    group[modes] = group_of_gpu[gpu[modes]]
    first_mode = np.searchsorted(group[modes], np.arange(groups + 1))
    slot[modes] = np.arange(len(modes)) - first_mode[group[modes]]
    gpus = np.argsort(group_of_gpu, kind="stable")
    of_state = np.array([group_of_class[c] for c, _, _ in state])
    words = np.random.default_rng(WORDS).integers(1, 2**63, len(gpu) + groups).astype(np.uint64)
    moves = Moves(
        gpu=gpu,
        size=dedicated,
        units=share,
        whole=units,
        group=group,
        slot=slot,
        modes=modes,
        first_mode=first_mode,
        gpus=gpus,
        first_gpu=np.searchsorted(group_of_gpu[gpus], np.arange(groups + 1)),
        nodes=np.array([cluster.class_sizes[c] if v < 0 else 0 for c, v, _ in state]),
        first_state=np.searchsorted(of_state, np.arange(groups + 1)),
        spare=spare,
        first=first,
        before=np.array([move[3] for move in flat]),
        after=np.array([move[4] for move in flat]),
        cost=np.array([move[0] for move in flat]),
        then=np.array(then),
        word=words[groups:],
        empty=words[:groups],
    )
    node_class, kind, in_use = np.array([*state]).T
    return NodeMoves(
        moves, node_class, kind, in_use, np.where(kind < 0, -1, cluster.gpu_of_type[kind])
    )


def _groups(cluster: Cluster) -> tuple[Ints, Ints]:
    """Return (T,), (C,) groups: GPU types that nodes of a class connect are in the same one."""
    group = np.arange(len(cluster.gpu_types))
    gpus = [cluster.gpu_of_type[np.flatnonzero(row)] for row in cluster.allowed_in_class]
    for own in gpus:
        group[np.isin(group, group[own])] = group[own].min()
    some = np.unique(group[np.concatenate(gpus)])  # GPU types without nodes are in the last one
    group = np.minimum(np.searchsorted(some, group), len(some) - 1)
    return group, np.array([group[own[0]] for own in gpus])


def packing_space(moves: Moves) -> PackingSpace:
    """Return room to pack modes."""
    most = int(moves.nodes.sum()) * (moves.first.shape[2] - 2) + 1
    return PackingSpace(
        pieces=np.zeros((len(moves.whole), moves.first.shape[2] - 1), dtype=np.int64),
        nodes=np.zeros(len(moves.nodes), dtype=np.int64),
        bins=np.zeros(int(moves.whole.max()) + 1, dtype=np.int64),
        steps=np.zeros((most, 2), dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
    )


Piece = tuple[int, int]  # GPU type, GPUs of one node: for a job, or one for jobs that share it


class Load(NamedTuple):
    """What one node runs, whichever jobs these are."""

    node_class: int
    kind: int  # node type
    used: int  # GPUs
    pieces: list[Piece]


class PlacedNode(NamedTuple):
    """A node with jobs."""

    node: int
    kind: int  # node type
    used: int  # GPUs
    jobs: list[int]


def placed_nodes(
    nodes: NodeMoves,
    jobs: Ints,
    modes: Ints,
    before: Ints,
    class_of_node: Ints,
    space: PackingSpace,
) -> Iterable[PlacedNode]:
    """
    Yield the nodes of jobs that run at one moment in these modes; most stay where they were.

    Parameters
    ----------
    before : (J,) int
        The node of each job until then; -1 = it did not run.
    """
    of_job = nodes.moves.group[modes]
    for group in np.unique(of_job).tolist():
        own = of_job == group
        loads = _loads(nodes, modes[own], group, space)
        pieces = _pieces(nodes.moves, jobs[own], modes[own])
        yield from _placed(loads, pieces, before, class_of_node)


def _loads(nodes: NodeMoves, modes: Ints, group: int, space: PackingSpace) -> list[Load]:
    """Return the loads of the nodes of a group, as the kernel packs them."""
    moves = nodes.moves
    count = np.bincount(modes, minlength=len(moves.gpu)).astype(np.int16)[None]
    pack_row(moves, count, 0, group, space)
    held: dict[int, list[list[Piece]]] = {}  # state: the pieces of each node in it
    for move, some in space.steps[: space.size[0]].tolist():
        before, after = int(moves.before[move]), int(moves.after[move])
        piece = int(nodes.gpu[after]), int(nodes.used[after] - nodes.used[before])
        for _ in range(some):
            there = held[before].pop() if nodes.used[before] else []
            held.setdefault(after, []).append([*there, piece])
    return [
        Load(int(nodes.node_class[s]), int(nodes.kind[s]), int(nodes.used[s]), sorted(there))
        for s, several in held.items()
        for there in several
    ]


def _placed(
    loads: list[Load],
    pieces: dict[Piece, list[list[int]]],
    before: Ints,
    class_of_node: Ints,
) -> Iterable[PlacedNode]:
    """Give each load a node of its class, and jobs: those that were there, where it has room."""
    # what was on each node, and how many nodes have the same load
    here: dict[int, dict[Piece, list[list[int]]]] = {}
    left: dict[Piece, list[list[int]]] = {piece: [] for piece in pieces}
    for piece, several in pieces.items():
        for there in several:
            at = int(before[there[0]])
            of = here.setdefault(at, {}) if at >= 0 else left
            of.setdefault(piece, []).append(there)
    same: dict[tuple[int, tuple[Piece, ...]], list[int]] = {}
    for i, load in enumerate(loads):
        same.setdefault((load.node_class, tuple(load.pieces)), []).append(i)
    # nodes keep their load; then each takes, of those that are left, the one with most of its jobs
    taken: dict[int, int] = {}  # load: node
    others = []
    for at, found in here.items():
        whole = tuple(sorted(piece for piece, those in found.items() for _ in those))
        if equal := same.get((int(class_of_node[at]), whole)):
            taken[equal.pop()] = at
        else:
            others.append((-len(whole), at))
    for _, at in sorted(others):
        best, kept = None, (0, 0)  # jobs that stay, fewest others
        for (c, wanted), some in same.items():
            if some and c == class_of_node[at]:
                stay = sum(min(len(own), wanted.count(key)) for key, own in here[at].items())
                if stay and (stay, -len(wanted)) > kept:
                    best, kept = some, (stay, -len(wanted))
        if best is not None:
            taken[best.pop()] = at
    # jobs of nodes come first, then those that move or begin
    chosen: list[list[int]] = [[] for _ in loads]
    missing: list[list[Piece]] = [[] for _ in loads]
    for i, load in enumerate(loads):
        own = here[taken[i]] if i in taken else {}
        for piece in load.pieces:
            if own.get(piece):
                chosen[i] += own[piece].pop()
            else:
                missing[i].append(piece)
    for found in here.values():
        for piece, several in found.items():
            left[piece] += several
    free = {
        c: np.setdiff1d(np.flatnonzero(class_of_node == c), [*taken.values()]).tolist()
        for c in {load.node_class for i, load in enumerate(loads) if i not in taken}
    }
    for i, load in enumerate(loads):
        for piece in missing[i]:
            chosen[i] += left[piece].pop()
        at = taken[i] if i in taken else free[load.node_class].pop()
        yield PlacedNode(at, load.kind, load.used, chosen[i])


def _pieces(moves: Moves, jobs: Ints, modes: Ints) -> dict[Piece, list[list[int]]]:
    """Return the jobs of each piece by GPU type and GPUs; shares as the kernel packs them."""
    pieces: dict[Piece, list[list[int]]] = {}
    for j, q in zip(jobs.tolist(), modes.tolist(), strict=True):
        if moves.size[q]:
            pieces.setdefault((int(moves.gpu[q]), int(moves.size[q])), []).append([j])
    shared = np.flatnonzero(moves.size[modes] == 0)
    rooms: dict[int, list[tuple[int, list[int]]]] = {}  # GPU type: units free, jobs
    for at in shared[np.argsort(-moves.units[modes[shared]], kind="stable")].tolist():
        i, need = int(moves.gpu[modes[at]]), int(moves.units[modes[at]])
        bins = rooms.setdefault(i, [])
        fitting = [b for b, (free, _) in enumerate(bins) if free >= need]
        best = min(fitting, key=lambda b: bins[b][0], default=-1)
        free, there = bins.pop(best) if best >= 0 else (int(moves.whole[i]), [])
        bins.append((free - need, [*there, int(jobs[at])]))
    for i, bins in rooms.items():
        pieces.setdefault((i, 1), []).extend(there for _, there in bins)
    return pieces
