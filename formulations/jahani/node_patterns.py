"""Nodes of Jahani's problem cut by patterns: from slots, relaxed or whole, to a solution."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.jahani.mode_model import InstanceModes, ModeModel
from rsjs.formulations.modes import arc_flow
from rsjs.instances.solution import Solution


class Pattern(NamedTuple):
    """The class, the type and the slots of a node, the largest first."""

    node_class: int
    node_type: int
    slots: tuple[int, ...]


Cuts = Mapping[Pattern, int]  # nodes cut by each pattern


def flow_of(modes: InstanceModes, cuts: Cuts) -> Ints:
    """Return (Y,) L and y of nodes that are cut."""
    nodes = modes.model.cuts
    flow = np.zeros(len(nodes.cost), dtype=np.int64)
    for (k, v, slots), number in cuts.items():
        flow[[nodes.column_of[k, v], *nodes.path(v, slots)]] += number
    return flow


def patterns_of(modes: InstanceModes, flow: Floats | Ints) -> dict[Pattern, Any]:
    """Take L and y (Y,) apart into patterns and nodes of each, in the order of the classes."""
    nodes, n = modes.model.cuts, len(modes.model.cuts.of_class)
    by_type = arc_flow.paths(nodes.arcs, flow[n:])
    result: dict[Pattern, Any] = defaultdict(int)
    for c in np.flatnonzero(flow[:n] > arc_flow.SMALL).tolist():
        k, v, left = int(nodes.of_class[c]), int(nodes.of_type[c]), flow[c].item()
        waiting = by_type[v]
        while left > arc_flow.SMALL and waiting:
            path, number = waiting.pop()
            if number > left + arc_flow.SMALL:
                waiting.append((path, number - left))
            slots = tuple(sorted((nodes.arcs[a].gpus for a in path), reverse=True))
            result[Pattern(k, v, slots)] += min(number, left)
            left -= min(number, left)
        if left > arc_flow.SMALL:
            result[Pattern(k, v, ())] += left
    return result


def packed(modes: InstanceModes, choice: Ints, nodes: Ints) -> dict[Pattern, int]:
    """
    Return patterns for the modes of the jobs on so many nodes of each class and type.

    Node by node takes the largest slot and those that fill it best beside. Where one is left
    over, what is left of the nodes that it could be on are slots, too.
    """
    cuts, counts = modes.model.cuts, defaultdict[Pattern, int](int)
    of_node = cuts.mode[cuts.of_type, 1]  # the mode of one GPU says GPU type and price
    wanted = choice[choice >= 0]
    first = np.empty(len(modes.gpus), dtype=np.int64)
    v, g = np.nonzero(cuts.mode >= 0)
    first[cuts.mode[v, g]] = cuts.mode[v, 1]
    for f in np.unique(of_node[nodes > 0]).tolist():
        columns = np.repeat(np.flatnonzero(of_node == f), nodes[of_node == f])
        left = np.bincount(modes.gpus[wanted[first[wanted] == f]], minlength=cuts.mode.shape[1])
        slots = []
        for c in columns.tolist():
            slots.append(_fullest(left, int(cuts.sizes[cuts.of_type[c]])))
            np.subtract.at(left, slots[-1], 1)
        for c, some in zip(columns.tolist(), slots, strict=True):
            kind = int(cuts.of_class[c]), int(cuts.of_type[c])
            room = int(cuts.sizes[kind[1]]) - sum(some)
            rest = [room] if left.any() and room else []
            counts[Pattern(*kind, tuple(sorted([*some, *rest], reverse=True)))] += 1
    return counts


def _fullest(left: Ints, size: int) -> list[int]:
    """Return, of so many slots by GPUs, the largest that a node holds and most GPUs beside it."""
    sizes = [g for g in np.flatnonzero(left).tolist()[::-1] if g <= size]
    if not sizes:
        return []
    # room used -> the slots that use it, the largest that do
    ways: dict[int, list[int]] = {sizes[0]: [sizes[0]]}
    for g in sizes:
        most = int(left[g]) - (g == sizes[0])
        for used, way in list(ways.items()):
            for number in range(1, min(most, (size - used) // g) + 1):
                ways.setdefault(used + number * g, [*way, *[g] * number])
    return ways[max(ways)]


def rounded(modes: InstanceModes, flow: Floats, multipliers: Floats) -> Cuts:
    """Return whole numbers of nodes cut by each pattern, feasible for (nodes) and (class)."""
    pool = _Pool.of(modes, patterns_of(modes, flow), multipliers)
    whole = np.floor(pool.nodes + 1e-6).astype(np.int64)
    target = pool.nodes @ pool.parts
    price = pool.idle - pool.parts @ multipliers
    excess = (price - price.min()) / max(float(multipliers.mean()), 1e-9)
    model = modes.model
    while (room := pool.has_room(model, whole)).any():
        lacking = target - whole @ pool.parts
        change = np.abs(lacking - pool.parts).sum(axis=1) - np.abs(lacking).sum() + excess
        best = int(np.where(room, change, np.inf).argmin())
        if change[best] >= 0.0 and not model.exactly:
            break
        whole[best] += 1
    while (move := _exchange(pool, whole, target, excess)) is not None:
        whole[list(move)] += (-1, 1)
    taken = np.flatnonzero(whole).tolist()
    return {pool.patterns[c]: int(whole[c]) for c in taken}


@dataclass(frozen=True, eq=False)
class _Pool:
    """The patterns that rounding chooses from."""

    patterns: list[Pattern]
    nodes: Floats  # (C,) nodes of each pattern in the relaxed solution
    parts: Floats  # (C, S) modes a pattern offers
    idle: Floats  # (C,) mu s_v [$]
    of_class: Ints  # (C,)

    @staticmethod
    def of(modes: InstanceModes, relaxed: Mapping[Pattern, float], multipliers: Floats) -> _Pool:
        """Return the patterns of the relaxed solution on nodes of all classes, and the cheapest."""
        nodes = modes.model.cuts
        slots = {(v, slots) for _, v, slots in relaxed}
        for v, (_, best) in nodes.most_valuable(multipliers).items():
            slots.add((v, tuple(sorted(best, reverse=True))))
        pairs = zip(nodes.of_class.tolist(), nodes.of_type.tolist(), strict=True)
        patterns = [Pattern(k, v, s) for k, v in pairs for u, s in sorted(slots) if u == v]
        parts = np.zeros((len(patterns), len(modes.model.gain)))
        for row, (_, v, gpus) in zip(parts, patterns, strict=True):
            np.add.at(row, modes.mode[v, list(gpus)], 1.0)
        kind = [nodes.column_of[k, v] for k, v, _ in patterns]
        return _Pool(
            patterns,
            np.array([relaxed.get(pattern, 0.0) for pattern in patterns]),
            parts,
            nodes.cost[kind],
            nodes.of_class[kind],
        )

    def has_room(self, model: ModeModel, whole: Ints) -> Bools:
        """Return (C,) whether one more node may be cut by each pattern."""
        used = np.bincount(self.of_class, weights=whole, minlength=len(model.sizes))
        room: Bools = (used < model.sizes)[self.of_class] & (whole.sum() < model.nodes)
        return room


def _exchange(pool: _Pool, whole: Ints, target: Floats, excess: Floats) -> tuple[int, int] | None:
    """Return the patterns (from, to) between which moving a node gains most."""
    lacking = target - whole @ pool.parts
    best, move = np.abs(lacking).sum() - 1e-6, None
    for a in np.flatnonzero(whole).tolist():
        distance = np.abs(lacking + pool.parts[a] - pool.parts).sum(axis=1) + excess - excess[a]
        distance[pool.of_class != pool.of_class[a]] = np.inf
        if distance.min() < best:
            best, move = float(distance.min()), (a, int(distance.argmin()))
    return move


class ModeAssignment(NamedTuple):
    """A solution of the mode model: (J,) modes, -1 = postponed, and the nodes that offer them."""

    choice: Ints
    cuts: Cuts


def fitted(modes: InstanceModes, choice: Ints, cuts: Cuts) -> ModeAssignment:
    """
    Assign the jobs to modes that the patterns offer.

    Where more jobs want a mode than there are, those that save least have to go; they and the
    postponed jobs take what is free and saves most, again and again until nobody gains.
    """
    gain, nodes = modes.model.gain, modes.model.cuts
    room = np.rint(nodes.offered(flow_of(modes, cuts), len(gain))).astype(np.int64)
    placed, wanted = np.full(len(choice), -1), choice
    while (asking := np.flatnonzero(wanted >= 0)).size:
        # of the jobs that ask for a mode those that save most come first
        order = asking[np.lexsort((gain[wanted[asking], asking], wanted[asking]))]
        kinds = wanted[order]
        served = _ranks(kinds) < room[kinds]
        placed[order[served]] = kinds[served]
        room -= np.bincount(kinds[served], minlength=len(room))
        # the others ask for the free mode that saves most
        free, waiting = np.flatnonzero(room > 0), np.flatnonzero(placed < 0)
        saved = gain[np.ix_(free, waiting)]
        wanted = np.full(len(choice), -1)
        if free.size:
            wanted[waiting] = np.where(saved.min(axis=0) < 0.0, free[saved.argmin(axis=0)], -1)
    return ModeAssignment(placed, cuts)


def decision(modes: InstanceModes, assignment: ModeAssignment) -> Solution:
    """Return the solution: nodes class by class, pattern by pattern, jobs on the first nodes."""
    cluster = modes.instance.cluster
    node_type = np.full(cluster.nodes, -1)
    offered, at = [], []
    free = [np.flatnonzero(cluster.class_of_node == k) for k in range(len(cluster.class_sizes))]
    for (k, v, slots), number in sorted(assignment.cuts.items()):
        mine, free[k] = np.split(free[k], [number])
        node_type[mine] = v
        offered.append(np.tile(modes.mode[v, list(slots)], len(mine)))
        at.append(np.repeat(mine, len(slots)))
    job_node = np.full(len(assignment.choice), -1)
    jobs = np.flatnonzero(assignment.choice >= 0)
    if jobs.size:
        job_node[jobs] = _places(
            assignment.choice[jobs], np.concatenate(offered), np.concatenate(at)
        )
    job_gpus = np.where(assignment.choice >= 0, modes.gpus[assignment.choice], 0)
    if modes.instance.objective.open_nodes == "free":
        node_type[np.bincount(job_node[jobs], minlength=cluster.nodes) == 0] = -1
    return Solution.of(job_node, job_gpus, node_type)


def _places(wanted: Ints, offered: Ints, node: Ints) -> Ints:
    """Return the node of each job: the i-th that wants a mode gets the i-th of its kind."""
    order, by_kind = np.argsort(wanted, kind="stable"), np.argsort(offered, kind="stable")
    kinds = wanted[order]
    places = np.empty(len(kinds), dtype=np.int64)
    places[order] = node[by_kind[np.searchsorted(offered[by_kind], kinds) + _ranks(kinds)]]
    return places


def _ranks(kinds: Ints) -> Ints:
    """Return how many of the same kind come before, in a sorted array."""
    return np.arange(len(kinds)) - np.searchsorted(kinds, kinds)


def assignment(modes: InstanceModes, solution: Solution) -> ModeAssignment:
    """
    Return a feasible solution in the model's terms.

    A job whose column was left out takes a smaller mode of the same GPUs that costs no more, or
    is postponed where that costs no more: the assignment never costs more than the solution.
    """
    cluster, gain = modes.instance.cluster, modes.model.gain
    choice = np.full(len(solution.job_node), -1)
    running = np.flatnonzero(solution.job_node >= 0)
    best = np.zeros(len(running))
    used = np.zeros((cluster.nodes, cluster.largest + 1), dtype=np.int64)
    node, kind = solution.job_node[running], solution.node_type[solution.job_node[running]]
    for g in range(1, cluster.largest + 1):
        mode = modes.mode[kind, g]
        usable = (mode >= 0) & (g <= solution.job_gpus[running])
        better = usable & (np.where(usable, gain[mode, running], np.inf) < best)
        choice[running[better]], best[better] = mode[better], gain[mode, running][better]
    taken = choice[running] >= 0
    np.add.at(used, (node[taken], modes.gpus[choice[running[taken]]]), 1)
    selected = np.flatnonzero(solution.node_type >= 0)
    v = solution.node_type[selected]
    keys = np.column_stack([cluster.class_of_node[selected], v, used[selected, ::-1]])
    found, number = np.unique(keys, axis=0, return_counts=True)
    sizes = np.arange(used.shape[1])[::-1]
    cuts = {
        Pattern(k, u, tuple(np.repeat(sizes, slots).tolist())): nodes
        for (k, u, *slots), nodes in zip(found.tolist(), number.tolist(), strict=True)
    }
    return ModeAssignment(choice, cuts)
