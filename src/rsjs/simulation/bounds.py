"""
Lower bounds on the cost of a workload whose epochs are known: no policy costs less.

**Modes.** A mode q is a GPU type with k dedicated GPUs, or with a share of one. It costs p_q $/h at
least, wherever it is: k times the least $/h per GPU in use of a node type with that GPU and k or
more in use, under the accounting of the simulation, as jobs on a node with u GPUs in use may split
its price in parts of u; a share costs its part of one GPU. An epoch of job j takes a_jq hours: its
real time, where predictions have errors.

**Capacity-free bound**: no job waits for another. On an infinite cluster each job j runs alone.
With W_j epochs, mode q takes W_j a_q hours and costs W_j a_q p_q; a job that may change its mode
for nothing takes T hours for

    E_j(T) = min { sum_q x_q W_j a_q p_q : sum_q x_q W_j a_q <= T, sum_q x_q = 1, x >= 0 },

the lower hull of these points. So no policy that ends job j at r_j + T pays less than

    b_j = min over T of E_j(T) + eta_j max(0, T - (d_j - r_j)).

That is piecewise linear in x: the least is at one mode, or at two that end in time on average.

**Workload bound**: GPUs have prices by type and time, at which each job runs alone: the Lagrangian
of `heuristics.hindsight.lagrangian`, at the best prices that an ascent and, with few jobs, column
generation find. It is the capacity-free bound where
all prices are 0 and never below it, but for rounding.

**Variants.** `workload_bound` gives the bound for all schedules (`free`), for those in which a job
keeps its mode (`one_mode`), and for those in which it runs without interruption, too
(`no_preemption`): of all runs without preemptions and moves, such as those of fifo, edf and
priority.

Both hold under every option: start-up delays, repeated epochs and unfinished queues only add to the
cost. Prices and edges of the buckets are a certificate: with these anybody can evaluate the bound
again, as `rsjs_verify.py --bound` does, wherever times are as predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rsjs.core.errors import InputError, one_of
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Workload
from rsjs.simulation import accounting
from rsjs.simulation.options import Options, real_times

if TYPE_CHECKING:
    from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs
    from rsjs.heuristics.hindsight.lagrangian import NodePrices

CERTIFICATE = "rsjs-bound/1"
FIRST_BUCKETS, MOST_BUCKETS = 64, 320
WORTHWHILE = 2e-4  # relative gain of halved buckets for which they are halved again
ROUNDING = 1e-9  # relative, of sums


class Modes(NamedTuple):
    """Q modes of J jobs."""

    pace: Floats  # (J, Q) a_jq, real hours per epoch; inf where not admissible
    price: Floats  # (Q,) p_q [$/h]; 0 of GPUs that no node has
    gpu: Ints  # (Q,) GPU type
    amount: Floats  # (Q,) GPUs, or the part of one


def modes(workload: Workload, options: Options) -> Modes:
    """Return the modes of a workload under the options of a simulation."""
    pace = np.concatenate(real_times(workload.submitted(), workload.digest, options), axis=2)
    gpu, amount, price = priced_modes(workload.cluster, options.energy)
    return Modes(pace=pace.reshape(len(pace), -1), price=price, gpu=gpu, amount=amount)


def priced_modes(cluster: Cluster, energy: str) -> tuple[Ints, Floats, Floats]:
    """Return (Q,) GPU type, amount and p_q of each mode: of a type k = 0, ..., G, its shares."""
    types, counts = len(cluster.gpu_types), np.arange(cluster.largest + 1)
    levels = max(len(gpu.levels) for gpu in cluster.gpu_types)
    amount = np.zeros((types, len(counts) + levels))
    amount[:, counts] = counts
    for i, gpu in enumerate(cluster.gpu_types):
        for level, share in enumerate(gpu.levels, start=len(counts)):
            amount[i, level] = share.units / gpu.units
    least = least_prices(cluster, energy)
    price = np.zeros_like(amount)
    price[:, counts] = least
    price[:, len(counts) :] = amount[:, len(counts) :] * least[:, 1:2]
    return np.repeat(np.arange(types), amount.shape[1]), amount.ravel(), price.ravel()


def least_prices(cluster: Cluster, energy: str) -> Floats:
    """Return (T, G + 1) p_i(k) [$/h]: least price of k GPUs of a type on a node; 0 = nowhere."""
    counts, billed = np.arange(1, cluster.largest + 1), accounting.prices(cluster, energy)[:, 1:]
    there = cluster.allowed_in_class.any(axis=0)
    least = np.full((len(cluster.gpu_types), cluster.largest), np.inf)
    for kind in np.flatnonzero(there):
        own = least[cluster.gpu_of_type[kind]]
        np.minimum(own, billed[kind] / counts, out=own)
    least = np.minimum.accumulate(least[:, ::-1], axis=1)[:, ::-1]  # u >= k
    price = np.where(np.isfinite(least), least * counts, 0.0)
    return np.concatenate([np.zeros((len(price), 1)), price], axis=1)


def capacity_free_bound(workload: Workload, options: Options | None = None) -> float:
    """Return the sum of b_j [$]: no policy costs less on this workload."""
    return float(capacity_free_bounds(workload, options or Options()).sum())


def capacity_free_bounds(workload: Workload, options: Options) -> Floats:
    """Return (J,) b_j [$]."""
    jobs, of = workload.jobs, modes(workload, options)
    rows = zip(workload.realised_epochs, of.pace, jobs.due - jobs.release, jobs.weight, strict=True)
    return np.array([_least(epochs * own, of.price, late, eta) for epochs, own, late, eta in rows])


def _least(hours: Floats, price: Floats, slack: float, eta: float) -> float:
    """Return b_j from the hours of each mode."""
    usable = np.isfinite(hours)
    hours, cost = hours[usable], hours[usable] * price[usable]
    best = float((cost + eta * np.maximum(0.0, hours - slack)).min())
    in_time = hours <= slack
    if in_time.all() or not in_time.any():
        return best
    early, late, saved = hours[in_time], hours[~in_time, None], cost[in_time]
    share = (slack - early) / (late - early)  # of the slower one of two modes that end at d_j
    return min(best, float((saved + share * (cost[~in_time, None] - saved)).min()))


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkloadBound:
    """A lower bound on the cost of a workload, with the prices that prove it."""

    value: float  # $
    edges: Floats  # (B + 1,) h
    sizes: Ints  # (S,) GPUs of a place, ascending from 1
    prices: Floats  # (T, S, B) lambda >= 0 [$/h]
    evaluations: int  # of the Lagrangian
    variant: str = "free"  # the schedules that it holds for, see above

    def certificate(
        self, workload: Workload, options: Options | None = None
    ) -> dict[str, Any] | None:
        """Return the document that proves the bound; None where real times are not in the file."""
        options = options or Options()
        if options.deviation > 0:
            return None
        names, sizes = [gpu.name for gpu in workload.cluster.gpu_types], self.sizes.tolist()
        return {
            "format": CERTIFICATE,
            "workload": workload.digest,
            "energy": options.energy,
            **({} if self.variant == "free" else {"variant": self.variant}),
            "bound": self.value,
            "edges": self.edges.tolist(),
            "prices": {
                name: {str(size): row.tolist() for size, row in zip(sizes, rows, strict=True)}
                for name, rows in zip(names, self.prices, strict=True)
            },
        }


def workload_bound(
    workload: Workload,
    options: Options | None = None,
    *,
    variant: str = "free",
    hours: float | None = None,
) -> WorkloadBound:
    """
    Return the Lagrangian bound [$]: no policy costs less on this workload.

    Parameters
    ----------
    variant : "free" | "one_mode" | "no_preemption"
        Which schedules it holds for: all, those in which each job keeps its mode, or those in which
        each job is one uninterrupted run in one mode. See `heuristics.hindsight.kernels_variants`.
    hours : float
        > 0, the length of the first buckets, by default a 64th of the time in which jobs come, are
        due and could be done; those with prices are halved until that gains little. See
        `heuristics.hindsight.lagrangian`.
    """
    from rsjs.heuristics.hindsight.column_generation import best_known_prices
    from rsjs.heuristics.hindsight.kernels_variants import VARIANTS
    from rsjs.heuristics.hindsight.lagrangian import AGAIN, FIRST, refined

    one_of("variant", variant, VARIANTS)
    if hours is not None and not 0 < hours < float("inf"):
        raise InputError("/hours", hours, "buckets of > 0 hours")
    jobs, nodes = hindsight(workload, options or Options())
    begin, end = horizon(workload, options or Options())
    length = (end - begin) / FIRST_BUCKETS if hours is None else hours
    length = max(length, 1024 * np.spacing(abs(end)))  # so that edges differ
    if (end - begin) / length > MOST_BUCKETS:
        least = (end - begin) / MOST_BUCKETS
        raise InputError("/hours", hours, f">= {least:.3g}: up to {MOST_BUCKETS} buckets")
    edges = np.array([begin + b * length for b in range(max(1, ceil((end - begin) / length)) + 1)])
    prices = np.zeros((len(workload.cluster.gpu_types), len(nodes.sizes), len(edges) - 1))
    value, prices, evaluations = best_known_prices(jobs, nodes, edges, prices, FIRST, variant)
    gain = np.inf
    while gain > WORTHWHILE * abs(value) and prices.any() and len(edges) <= MOST_BUCKETS // 2:
        before = value
        edges, prices = refined(edges, prices)
        value, prices, more = best_known_prices(jobs, nodes, edges, prices, AGAIN, variant)
        evaluations, gain = evaluations + more, value - before
    return WorkloadBound(
        value=value - ROUNDING * abs(value),
        edges=edges,
        sizes=nodes.sizes,
        prices=prices,
        evaluations=evaluations,
        variant=variant,
    )


def horizon(workload: Workload, options: Options) -> tuple[float, float]:
    """Return the first submission, and when all jobs are due and could be done [h]."""
    jobs, cluster, of = workload.jobs, workload.cluster, modes(workload, options)
    fastest = of.pace.argmin(axis=1)
    work = workload.realised_epochs * of.pace[np.arange(len(jobs)), fastest] * of.amount[fastest]
    busy = float(work.sum()) / float(cluster.largest_of_class @ cluster.class_sizes)
    last = max(float(jobs.release[-1]), float(jobs.due.max()))
    return float(jobs.release[0]), last + busy


def hindsight(workload: Workload, options: Options) -> tuple[HindsightJobs, NodePrices]:
    """
    Return the jobs of a workload with all that they run, and its nodes with their prices.

    A mode is left out for a job that fewer GPUs of the same type serve at least as fast. Sizes are
    1 and each number of GPUs just too large for some node type.
    """
    from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs

    of, cluster, jobs = modes(workload, options), workload.cluster, workload.jobs
    job, mode = np.nonzero(_useful(of))
    order = np.lexsort((-of.pace[job, mode], job))  # by job, then the slowest first
    job, mode = job[order], mode[order]
    return HindsightJobs(
        first=np.searchsorted(job, np.arange(len(jobs) + 1)),
        mode=mode,
        speed=1 / of.pace[job, mode],
        release=np.array(jobs.release, dtype=np.float64),
        due=np.array(jobs.due, dtype=np.float64),
        weight=np.array(jobs.weight, dtype=np.float64),
        work=np.array(workload.realised_epochs, dtype=np.float64),
    ), node_prices(cluster, options.energy)


def node_prices(cluster: Cluster, energy: str) -> NodePrices:
    """Return the nodes of a cluster with their prices; see `hindsight` for the sizes."""
    from rsjs.heuristics.hindsight.lagrangian import NodePrices

    gpu, amount, price = priced_modes(cluster, energy)
    there = cluster.allowed_in_class.any(axis=0)
    sizes = np.array([1, *(np.unique(cluster.gpus_of_type[there])[:-1] + 1).tolist()])
    places = amount[:, None] // sizes
    places[:, 0] = amount
    billed = accounting.prices(cluster, energy)
    surplus = billed - least_prices(cluster, energy)[cluster.gpu_of_type]
    surplus[np.isfinite(billed) & (surplus <= 1e-12 * billed)] = 0.0  # rounding: lowers the bound
    return NodePrices(
        gpu=gpu,
        price=price,
        places=places.astype(np.float64),
        sizes=sizes,
        surplus=surplus,
        gpu_of_type=cluster.gpu_of_type,
        allowed=cluster.allowed_in_class,
        nodes=cluster.class_sizes,
    )


def _useful(of: Modes) -> Bools:
    """Return (J, Q) admissible, and faster than anything less of the same GPU type."""
    useful = np.isfinite(of.pace)
    for q in range(len(of.gpu)):
        less = (of.gpu == of.gpu[q]) & (of.amount < of.amount[q])
        useful[:, q] &= of.pace[:, q] < of.pace[:, less].min(axis=1, initial=np.inf)
    return useful
