"""
The best prices of a Lagrangian on given buckets, by column generation over plans of single jobs.

A plan p of job j costs c_p [$] and takes u_p,isb places [h] of each GPU type, size and bucket. At
prices lambda it costs c_p + u_p lambda, so with the plans found so far

    master   max sum_j z_j - sum_cb |b| n_c R_cb     over 0 <= lambda <= box, R >= 0
             z_j <= c_p + u_p lambda                                      for all j and its plans p
             R_cb >= sum_s lambda_isb floor(u / s) - (c_v(u) - p_i(u))    for all c, b, v, u <= s_v

is an upper bound on L (see `lagrangian`) of all prices in the box, and each round adds the best
plan of every job at prices half way between the best ones known and the master's (in-out
separation). A box that binds where both bounds meet is widened. With few jobs that must be late the
ascent stops up to 15 % below the best prices: a GPU-hour then costs what the hour does that others
are late, tens of times its node.

What is returned is L at the best prices evaluated: a bound, whatever the solver of the master does.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from rsjs.core.types import Floats
from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs
from rsjs.heuristics.hindsight.kernels_variants import VARIANTS
from rsjs.heuristics.hindsight.lagrangian import NodePrices, ascend, mode_prices, rents

PROVED = 3e-4  # relative distance of L and the master at which it ends
WIDER = 8.0  # factor of prices to their box, and of a box that binds
LARGEST = 100.0  # of a price, over the largest weight of a job: no box is wider
EVALUATIONS, ROUNDS = 300, 40  # of the ascent, and of column generation, on the same buckets
FEW = 3200  # jobs x buckets up to which a master takes milliseconds


def best_known_prices(
    jobs: HindsightJobs,
    nodes: NodePrices,
    edges: Floats,
    prices: Floats,
    delta: float,
    variant: str = "free",
) -> tuple[float, Floats, int]:
    """
    Return the best L from prices (T, S, B) on, its prices, and the number of evaluations.

    An ascent that first aims at a relative gain of delta; with few jobs, column generation, too.
    """
    value, prices, done = ascend(jobs, nodes, edges, prices, EVALUATIONS, delta, variant)
    if len(jobs.work) * prices.shape[2] > FEW:
        return value, prices, done
    value, prices, rounds = best_prices(jobs, nodes, edges, prices, ROUNDS, variant)
    return value, prices, done + rounds


def best_prices(
    jobs: HindsightJobs,
    nodes: NodePrices,
    edges: Floats,
    prices: Floats,
    rounds: int,
    variant: str = "free",
) -> tuple[float, Floats, int]:
    """Return the best L from prices (T, S, B) on, its prices, and the number of evaluations."""
    master = Master(nodes, edges, len(jobs.work), len(prices))
    best, inner, number = -np.inf, prices, 0
    largest = LARGEST * float(jobs.weight.max(initial=1.0))
    box = WIDER * (prices + prices.max(axis=2, keepdims=True) / 2 + float(nodes.price.max()))
    box = np.minimum(box, largest)
    while number < rounds:
        number += 1
        cost, use = plans(jobs, nodes, edges, prices, variant)
        value = float(cost.sum() - rents(nodes, prices)[0] @ np.diff(edges))
        if value > best:
            best, inner = value, prices
        master.add(cost - use @ prices.ravel(), use)
        above, outer = master.solve(box)
        if outer is None:
            break
        if above - best <= PROVED * abs(best):
            binds = (outer >= 0.999 * box) & (box < largest)
            if not binds.any():
                break
            box = np.where(binds, np.minimum(WIDER * box, largest), box)
        prices = (inner + outer) / 2
    return best, inner, number


def plans(
    jobs: HindsightJobs, nodes: NodePrices, edges: Floats, prices: Floats, variant: str
) -> tuple[Floats, csr_array]:
    """Return what each job pays at prices (J,) [$] and the places it takes (J, T S B) [h]."""
    of_mode, run = mode_prices(nodes, prices), VARIANTS[variant]
    some = np.append((prices > 0).any(axis=(0, 1)), False)
    value, end, hours = np.empty(1), np.empty(1), np.empty_like(of_mode)
    modes = [np.flatnonzero(nodes.gpu == i) for i in range(len(prices))]
    paid, rows = np.empty(len(jobs.work)), []
    for j in range(len(paid)):
        own, job = slice(jobs.first[j], jobs.first[j + 1]), slice(j, j + 1)
        alone = HindsightJobs(
            first=np.array([0, own.stop - own.start]),
            mode=jobs.mode[own],
            speed=jobs.speed[own],
            release=jobs.release[job],
            due=jobs.due[job],
            weight=jobs.weight[job],
            work=jobs.work[job],
        )
        run(alone, edges, of_mode, some, value, end, hours)
        paid[j] = value[0]
        taken = [(hours[:-1, own] @ nodes.places[own]).T for own in modes]
        rows.append(csr_array(np.ravel(taken)[None]))
    return paid, vstack(rows, format="csr")


class Master:
    """The master: columns z (J), R (C B), lambda (T S B)."""

    def __init__(self, nodes: NodePrices, edges: Floats, jobs: int, types: int) -> None:
        length, buckets = np.diff(edges), len(edges) - 1
        classes, sizes = len(nodes.nodes), len(nodes.sizes)
        prices = types * sizes * buckets
        self._shape = types, sizes, buckets
        self._cost = np.concatenate(
            [-np.ones(jobs), np.outer(nodes.nodes, length).ravel(), np.zeros(prices)]
        )
        self._no_rents, each = csr_array((jobs, classes * buckets)), eye_array(buckets)
        rows, sides = [], []
        for c, allowed in enumerate(nodes.allowed):
            rent = kron(np.eye(classes)[[c]], each)
            for v in np.flatnonzero(allowed):
                surplus = nodes.surplus[v, np.isfinite(nodes.surplus[v])]
                least_above = np.minimum.accumulate(surplus[::-1])[::-1]
                for u in range(1, len(surplus)):
                    if u + 1 < len(surplus) and least_above[u + 1] <= surplus[u]:
                        continue  # more GPUs earn as much
                    places = np.zeros((types, sizes))
                    places[nodes.gpu_of_type[v]] = u // nodes.sizes
                    paid = kron(places.reshape(1, -1), each)
                    rows.append(hstack([csr_array((buckets, jobs)), -rent, paid]))
                    sides.append(np.full(buckets, surplus[u]))
        self._rows, self._sides = rows, sides

    def add(self, cost: Floats, use: csr_array) -> None:
        """Add a plan of each job: what it costs (J,) [$] and the places it takes (J, T S B) [h]."""
        self._rows.append(hstack([eye_array(len(cost)), self._no_rents, -use]))
        self._sides.append(cost)

    def solve(self, box: Floats) -> tuple[float, Floats | None]:
        """Return an upper bound on L in a box (T, S, B), and the prices of it; None = unsolved."""
        free = len(self._cost) - box.size
        upper = np.concatenate([np.full(free, np.inf), box.ravel()])
        lower = np.concatenate([np.where(self._cost[:free] < 0, -np.inf, 0.0), np.zeros(box.size)])
        found = linprog(
            self._cost,
            A_ub=vstack(self._rows, format="csr"),
            b_ub=np.concatenate(self._sides),
            bounds=np.stack([lower, upper], axis=1),
            method="highs",
        )
        if found.x is None:
            return np.inf, None
        return -float(found.fun), np.maximum(0.0, found.x[free:]).reshape(self._shape)
