"""draft driver"""
from __future__ import annotations

from itertools import product

import numpy as np

from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.hindsight import kernels_ruin
from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs, Segments
from rsjs.heuristics.hindsight.kernels_packing import Known, Moves, PackingSpace
from rsjs.heuristics.hindsight.kernels_schedule import (
    CUTS_OF_ONE, INTERVALS, UNUSED, Hindsight, InsertionSpace, Intervals, Journal,
)
from rsjs.heuristics.hindsight.lagrangian import NodePrices, mode_prices, priced


def moves_of(billed, gpu_of_type, allowed, nodes, gpu, size, units, whole, used):
    """Return the states of nodes and the moves between them."""
    types, most = len(whole), billed.shape[1] - 1
    gpus_of = np.isfinite(billed).sum(axis=1) - 1
    # groups of GPU types that nodes of a class connect
    group_of = np.arange(types)
    for row in allowed:
        own = np.unique(group_of[gpu_of_type[np.flatnonzero(row)]])
        group_of[np.isin(group_of, own)] = own[0]
    group_of = np.unique(group_of, return_inverse=True)[1]
    groups = int(group_of.max()) + 1
    group_of_class = [int(group_of[gpu_of_type[np.flatnonzero(row)[0]]]) for row in allowed]
    states, start, spare, first_state = {}, [], [], [0]
    for g in range(groups):
        for c in [c for c, own in enumerate(group_of_class) if own == g]:
            kinds = np.flatnonzero(allowed[c]).tolist()
            for v, u in [(-1, 0), *((v, u) for v in kinds for u in range(1, gpus_of[v] + 1))]:
                states[c, v, u] = len(states)
                start.append(int(nodes[c]) if v < 0 else 0)
                row = np.zeros(types, dtype=np.int64)
                for w in kinds:
                    if v < 0 or gpu_of_type[w] == gpu_of_type[v]:
                        row[gpu_of_type[w]] = max(row[gpu_of_type[w]], gpus_of[w] - u)
                spare.append(row)
        first_state.append(len(states))
    lists = {}
    for (c, v, u), s in states.items():
        for w in np.flatnonzero(allowed[c]).tolist():
            if v >= 0 and gpu_of_type[w] != gpu_of_type[v]:
                continue
            for k in range(1, gpus_of[w] - u + 1):
                cost = float(billed[w, u + k] - (billed[v, u] if v >= 0 else 0.0))
                move = (round(cost, 9), int(gpus_of[w]) - u - k, v < 0, s, states[c, w, u + k], cost)
                lists.setdefault((int(gpu_of_type[w]), k), []).append(move)
    first, flat = np.zeros((2, types, most + 2), dtype=np.int64), []
    for o in range(2):
        for i in range(types):
            for k in range(most + 1):
                first[o, i, k] = len(flat)
                key = (lambda m: m[:3]) if o == 0 else (lambda m: (m[1], m[2], m[0]))
                flat += sorted(lists.get((i, k), []), key=key)
            first[o, i, most + 1] = len(flat)
    modes = sorted(used.tolist(), key=lambda q: (group_of[gpu[q]], gpu[q], size[q], -units[q]))
    group = np.full(len(gpu), -1); group[modes] = group_of[gpu[modes]]
    first_mode = np.searchsorted(group[modes], np.arange(groups + 1))
    slot = np.zeros(len(gpu), dtype=np.int64)
    slot[modes] = np.arange(len(modes)) - first_mode[group[modes]]
    gpus = np.argsort(group_of, kind="stable")
    rng = np.random.default_rng(1)
    words = rng.integers(1, 2**63, len(gpu) + groups).astype(np.uint64)
    return Moves(gpu=gpu, size=size, units=units, whole=whole, group=group, slot=slot, modes=np.array(modes), first_mode=first_mode,
        gpus=gpus, first_gpu=np.searchsorted(group_of[gpus], np.arange(groups + 1)), nodes=np.array(start), first_state=np.array(first_state),
        spare=np.array(spare), first=first,
        before=np.array([m[3] for m in flat], dtype=np.int64), after=np.array([m[4] for m in flat], dtype=np.int64),
        cost=np.array([m[5] for m in flat], dtype=np.float64), word=words[groups:], empty=words[:groups]), states


class Search:
    def __init__(self, of: Hindsight, rows: int):
        self.of = of
        jobs, Q = len(of.jobs.work), len(of.moves.gpu)
        self.rows = rows
        G = of.moves.first.shape[2] - 2
        H = 2 ** 17
        most = int(np.diff(of.jobs.first).max())
        room = most * (rows + 1)
        self.space = InsertionSpace(
            known=Known(np.full(H, 2**64 - 1, dtype=np.uint64), np.zeros(H), np.full((H, int(np.diff(of.moves.first_mode).max())), np.inf)),
            packing=PackingSpace(np.zeros((len(of.moves.whole), G + 1), dtype=np.int64), np.zeros(len(of.moves.nodes), dtype=np.int64), np.zeros(int(of.moves.whole.max()) + 1, dtype=np.int64)),
            segments=Segments(np.empty(room), np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)),
            order=np.empty(room, np.int64), vertex=np.empty(most, np.int64), found=np.zeros(len(of.moves.empty), np.int64), price=np.zeros(Q), hours=np.zeros(rows + 2), plan=np.zeros(rows + 2, np.int64),
            priced=np.ones(rows + 2, dtype=bool))
        L = 40 * (rows + 8)
        self.journal = Journal(np.zeros(L, np.int8), np.zeros(L, np.int64), np.zeros(L, np.int64), np.zeros(L, np.int64), np.zeros(L), np.zeros(L))

    def empty(self):
        of, rows = self.of, self.rows
        jobs, Q = len(of.jobs.work), len(of.moves.gpu)
        begin = of.jobs.release.min()
        cuts = np.unique(np.concatenate([[min(begin, of.edges[0])], of.edges]))
        time = np.full(rows + 1, np.inf)
        time[:len(cuts)] = cuts
        row = np.zeros(rows, np.int64); row[:len(cuts)] = np.arange(len(cuts))
        unused = np.zeros(rows, np.int64); n = rows - len(cuts)
        unused[:n] = np.arange(rows - 1, len(cuts) - 1, -1)
        return Intervals(time=time, row=row, entry=np.full((rows, jobs), -1, np.int16), count=np.zeros((rows, Q), np.int16),
            key=np.tile(of.moves.empty, (rows, 1)), tag=np.zeros(rows, np.uint64), rate=np.zeros(rows), end=np.full(jobs, np.inf), paid=np.zeros(jobs),
            unused=unused, size=np.array([len(cuts), n, 0]))
