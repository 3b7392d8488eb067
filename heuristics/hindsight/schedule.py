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
    states, start = {}, []
    for c, row in enumerate(allowed):
        states[c, -1, 0] = len(states); start.append(nodes[c])
        for v in np.flatnonzero(row):
            for u in range(1, int(np.isfinite(billed[v]).sum())):
                states[c, int(v), u] = len(states); start.append(0)
    T, G = int(gpu_of_type.max(initial=0)) + 1, billed.shape[1] - 1
    T = len(whole)
    lists = [[[] for _ in range(G + 2)] for _ in range(T)]
    for (c, v, u), s in states.items():
        for w in np.flatnonzero(allowed[c]):
            w = int(w)
            if v >= 0 and gpu_of_type[w] != gpu_of_type[v]:
                continue
            most = int(np.isfinite(billed[w]).sum()) - 1
            for k in range(1, most - u + 1):
                before = billed[v, u] if v >= 0 else 0.0
                cost = float(billed[w, u + k] - before)
                if v >= 0 and w != v and cost < 0: continue
                lists[gpu_of_type[w]][k].append((cost, most - u - k, v < 0, s, states[c, w, u + k]))
    first = np.zeros((2, T, G + 2), dtype=np.int64)
    flat = []
    for o in range(2):
        for i in range(T):
            for k in range(G + 1):
                first[o, i, k] = len(flat)
                key = (lambda m: (round(m[0], 9), m[1], m[2])) if o == 0 else (lambda m: (m[1], m[2], m[0]))
                flat += sorted(lists[i][k], key=key)
            first[o, i, G + 1] = len(flat)
    shares = np.array(sorted((q for q in used if units[q] > 0), key=lambda q: (gpu[q], -units[q])), dtype=np.int64)
    rng = np.random.default_rng(1)
    return Moves(gpu=gpu, size=size, shares=shares, units=units, whole=whole, used=used,
        nodes=np.array(start, dtype=np.int64), first=first,
        before=np.array([m[3] for m in flat], dtype=np.int64), after=np.array([m[4] for m in flat], dtype=np.int64),
        cost=np.array([m[0] for m in flat], dtype=np.float64), word=rng.integers(1, 2**63, len(gpu)).astype(np.uint64)), states


class Search:
    def __init__(self, of: Hindsight, rows: int):
        self.of = of
        jobs, Q = len(of.jobs.work), len(of.moves.gpu)
        self.rows = rows
        G = of.moves.first.shape[2] - 2
        H = 2 ** 14
        most = int(np.diff(of.jobs.first).max())
        room = most * (rows + 1)
        self.space = InsertionSpace(
            known=Known(np.full(H, 2**64 - 1, dtype=np.uint64), np.zeros(H), np.full((H, Q), np.inf)),
            packing=PackingSpace(np.zeros((len(of.moves.whole), G + 1), dtype=np.int64), np.zeros(len(of.moves.nodes), dtype=np.int64), np.zeros(int(of.moves.whole.max()) + 1, dtype=np.int64)),
            segments=Segments(np.empty(room), np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)),
            vertex=np.empty(most, np.int64), price=np.zeros(Q), hours=np.zeros(rows + 2), plan=np.zeros(rows + 2, np.int64),
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
            key=np.zeros(rows, np.uint64), tag=np.zeros(rows, np.uint64), rate=np.zeros(rows), end=np.full(jobs, np.inf), paid=np.zeros(jobs),
            unused=unused, size=np.array([len(cuts), n, 0]))
