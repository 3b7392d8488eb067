"""
Lagrangian lower bound on the cost of a whole workload whose epochs are known: GPUs have prices.

lambda_isb >= 0 [$ per hour] are multipliers of GPU type i, size s and bucket b of time; size 1
counts GPUs, size s > 1 counts places for s GPUs on one node. At these prices

    P_i(k, b) = p_i(k) + sum_s lambda_isb floor(k / s)            a mode of k GPUs, $/h
    P_i(f, b) = f (p_i(1) + lambda_i1b)                           a share f of a GPU
    p_i(k)    = k min { c_v(u) / u : v has GPUs of type i, k <= u <= s_v }

    L(lambda) = sum_j min_C G_j(C) - sum_b (e_(b+1) - e_b) sum_c n_c R_cb
    R_cb      = max(0, max { P_i(u, b) - c_v(u) : u <= s_v, nodes of class c may be of type v })

with G_j of `kernels_jobs` and no prices outside the edges. Where preemption or a change of mode is
ruled out, `kernels_variants` has the least cost of a job in place of it.

**L is a bound, at any lambda >= 0.** p_i(k) / k does not fall with k and floor(k / s) is
superadditive, so P_i is: the modes that run on a node with u GPUs in use cost at most P_i(u) in
all. So at any time a node pays c_v(u) >= sum of its modes' P - R_cb, whatever it runs. Over all
nodes and time, the energy is at least what the modes cost at P, less sum |b| n_c R_cb; and a job
that completes at C has spent at least E_j(C) on modes, as mean speed and mean $/h in a bucket are a
convex combination of idle and modes. Buckets only restrict lambda. No tolerance of a solver enters.
With lambda = 0 every R_cb is 0, and L is the bound without capacity.

**Ascent** (`ascend`): a subgradient method with deflection, in the metric of (lambda + base) over
(GPUs x hours). Steps aim at best (1 + delta); delta grows after a good step and is halved after
some without gain, and then it goes on from the best prices. From time to time all prices are scaled
by a factor as long as that is better: where jobs must be late, prices are many times those at which
others change their modes.
`refined` halves the buckets with prices and copies these: L stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs
from rsjs.heuristics.hindsight.kernels_variants import VARIANTS

KEPT = 0.3  # part of the last direction in the next one
FIRST, AGAIN, SMALLEST = 0.02, 0.003, 3e-5  # delta: relative gain that a step aims at
GROWTH, PATIENCE = 1.3, 10  # of delta; steps without gain until it is halved
BASE = 0.3  # of the cheapest GPU-hour, added to prices in the metric
SCALED, EVERY = 1.5, 20  # factor of all prices; evaluations until it is tried again


class NodePrices(NamedTuple):
    """Nodes and what their GPUs cost: Q modes, T GPU types, V node types, C classes, S sizes."""

    gpu: Ints  # (Q,) GPU type of each mode
    price: Floats  # (Q,) p [$/h]
    places: Floats  # (Q, S) floor(k / s), or a share's part of one GPU for size 1
    sizes: Ints  # (S,) s, ascending from 1
    surplus: Floats  # (V, G + 1) c_v(u) - p_i(u) [$/h]; inf beyond s_v
    gpu_of_type: Ints  # (V,) GPU type of each node type
    allowed: Bools  # (C, V)
    nodes: Ints  # (C,) number of nodes


class Priced(NamedTuple):
    """L at some prices, and what jobs do there."""

    value: float  # L(lambda) [$]
    slope: Floats  # (T, S, B) a supergradient: places wanted less those there are [h]
    job_cost: Floats  # (J,) min_C G_j(C) [$]
    end: Floats  # (J,) C_j [h]
    hours: Floats  # (B + 1, Q) hours of all jobs in each mode by bucket


def single_gpu_prices(nodes: NodePrices) -> Floats:
    """Return what modes of one GPU cost [$/h], those that cost anything."""
    return np.asarray(nodes.price[(nodes.price > 0) & (nodes.places[:, 0] == 1)])


def mode_prices(nodes: NodePrices, prices: Floats) -> Floats:
    """Return (B + 1, Q) $/h of each mode by bucket, the last row without prices (T, S, B)."""
    extra = np.einsum("qsb,qs->bq", prices[nodes.gpu], nodes.places)
    return np.concatenate([nodes.price + extra, nodes.price[None]])


def priced(
    jobs: HindsightJobs, nodes: NodePrices, edges: Floats, prices: Floats, variant: str = "free"
) -> Priced:
    """Evaluate L of a variant at prices (T, S, B) >= 0 of buckets between (B + 1,) edges [h]."""
    of_mode, count = mode_prices(nodes, prices), len(jobs.work)
    job_cost, end, hours = np.empty(count), np.empty(count), np.empty_like(of_mode)
    some = np.append((prices > 0).any(axis=(0, 1)), False)
    VARIANTS[variant](jobs, edges, of_mode, some, job_cost, end, hours)
    value, slope = relaxed(nodes, edges, prices, float(job_cost.sum()), hours)
    return Priced(value=value, slope=slope, job_cost=job_cost, end=end, hours=hours)


def relaxed(
    nodes: NodePrices, edges: Floats, prices: Floats, cost: float, hours: Floats
) -> tuple[float, Floats]:
    """Return L and a supergradient (T, S, B) from what jobs pay, and their hours (B + 1, Q)."""
    wanted = np.zeros((prices.shape[2], *prices.shape[:2]))
    for i in range(len(prices)):
        own = nodes.gpu == i
        wanted[:, i] = hours[:-1, own] @ nodes.places[own]
    rent, places = rents(nodes, prices)
    length = np.diff(edges)
    slope = (wanted - places * length[:, None, None]).transpose(1, 2, 0)
    return cost - float(rent @ length), slope


def rents(nodes: NodePrices, prices: Floats) -> tuple[Floats, Floats]:
    """Return (B,) $/h of all nodes, sum_c n_c R_cb, and (B, T, S) the places that they offer."""
    used = np.arange(nodes.surplus.shape[1])
    units = (used[:, None] // nodes.sizes).astype(np.float64)  # (G + 1, S)
    worth = np.einsum("vsb,us->bvu", prices[nodes.gpu_of_type], units) - nodes.surplus
    buckets = np.arange(prices.shape[2])
    rent, places = np.zeros(len(buckets)), np.zeros((len(buckets), *prices.shape[:2]))
    for allowed, count in zip(nodes.allowed, nodes.nodes, strict=True):
        types = np.flatnonzero(allowed)
        flat = worth[:, types, ::-1].reshape(len(buckets), -1)  # of equal ones the most GPUs
        best = flat.argmax(axis=1)
        rent += count * flat[buckets, best]
        kind, gpus = types[best // len(used)], used[-1] - best % len(used)
        np.add.at(places, (buckets, nodes.gpu_of_type[kind]), count * units[gpus])
    return rent, places


def ascend(
    jobs: HindsightJobs,
    nodes: NodePrices,
    edges: Floats,
    prices: Floats,
    evaluations: int,
    delta: float = FIRST,
    variant: str = "free",
) -> tuple[float, Floats, int]:
    """Return the best L from prices (T, S, B) on, its prices, and the number of evaluations."""

    def evaluate(at: Floats) -> Priced:
        return priced(jobs, nodes, edges, at, variant)

    best, best_prices, done = climb(evaluate, nodes, edges, prices, evaluations, delta)
    return best.value, best_prices, done


class Valued(Protocol):
    """A Lagrangian function at some prices."""

    @property
    def value(self) -> float:
        """L [$]."""

    @property
    def slope(self) -> Floats:
        """(T, S, B) a supergradient [h]."""


V = TypeVar("V", bound=Valued)


def climb(
    evaluate: Callable[[Floats], V],
    nodes: NodePrices,
    edges: Floats,
    prices: Floats,
    evaluations: int,
    delta: float,
) -> tuple[V, Floats, int]:
    """Return the best L from prices (T, S, B) on, its prices, and the number of evaluations."""
    capacity = np.zeros(prices.shape[:2])
    for allowed, count in zip(nodes.allowed, nodes.nodes, strict=True):
        for kind in np.flatnonzero(allowed):
            most = np.isfinite(nodes.surplus[kind]).sum() - 1
            capacity[nodes.gpu_of_type[kind]] += count * (most // nodes.sizes)
    scale = np.maximum(capacity, 1.0)[:, :, None] * np.diff(edges)
    base = BASE * float(single_gpu_prices(nodes).min(initial=1.0))
    current = best = evaluate(prices)
    best_prices, direction, done, failed, next_scaled = prices, current.slope, 1, 0, EVERY
    while done < evaluations and delta > SMALLEST:
        if done >= next_scaled:
            factor = SCALED if (best.slope * best_prices).sum() > 0 else 1 / SCALED
            scaled, better = evaluate(factor * best_prices), False
            while scaled.value > best.value and done < evaluations:
                best, best_prices, better = scaled, factor * best_prices, True
                scaled, done = evaluate(factor * best_prices), done + 1
            done, next_scaled = done + 1, done + 1 + EVERY
            if better:
                current, prices, direction, failed = best, best_prices, best.slope, 0
        useful = np.where((prices <= 0) & (direction < 0), 0.0, direction)
        step = useful * (best_prices + base) / scale
        norm = float((useful * step).sum())
        if norm <= 0:
            break  # every price is 0 and every GPU is enough
        aim = best.value + delta * abs(best.value)
        prices = np.maximum(0.0, prices + (aim - current.value) / norm * step)
        current = evaluate(prices)
        direction = KEPT * direction + (1 - KEPT) * current.slope
        done, failed = done + 1, failed + 1
        if current.value > best.value:
            good = current.value - best.value >= 0.5 * delta * abs(best.value)
            delta *= GROWTH if good else 1.0
            best, best_prices, failed = current, prices, 0
        elif failed == PATIENCE:
            delta, failed = delta / 2, 0
            current, prices, direction = best, best_prices, best.slope
    return best, best_prices, done


def refined(edges: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Halve the buckets that have prices and those beside them; return edges and prices."""
    some = np.pad((prices > 0).any(axis=(0, 1)), 1)
    near = some[:-2] | some[1:-1] | some[2:]
    middle = (edges[:-1] + edges[1:]) / 2
    cut = np.sort(np.concatenate([edges, middle[near]]))
    return cut, prices[:, :, np.searchsorted(edges, cut[:-1], side="right") - 1]
