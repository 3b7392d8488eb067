"""
Lower bounds on the cost of a workload whose epochs are known.

**Modes.** A mode q is a GPU type with k dedicated GPUs, or with a share of one. It costs p_q $/h at
least, wherever it is: k times the least $/h per GPU in use of a node type with that GPU, under the
accounting of the simulation; a share costs its part of one GPU. An epoch of job j takes a_jq hours:
its real time, where predictions have errors. Overhead only adds to the cost.

**Capacity-free bound**: no job waits for another. On an infinite cluster each job j runs alone.
With W_j epochs, mode q takes W_j a_q hours and costs W_j a_q p_q; a job that may change its mode
for nothing takes T hours for

    E_j(T) = min { sum_q x_q W_j a_q p_q : sum_q x_q W_j a_q <= T, sum_q x_q = 1, x >= 0 },

the lower hull of these points. So no policy that ends job j at r_j + T pays less than

    b_j = min over T of E_j(T) + eta_j max(0, T - (d_j - r_j)).

That is piecewise linear in x: the least is at one mode, or at two that end in time on average.

**Bucket bound**: GPUs are counted by buckets of time. Bucket b is from e_b to e_(b+1), B is
all time after the last one.

    y_jqb >= 0    hours that job j spends in mode q in bucket b
    h_cvb >= 0    hours that nodes of class c spend as node type v in bucket b
    u_j >= 0      hours of tardiness

    min   sum p_q y_jqb + sum eta_j u_j
    (1)   sum_qb y_jqb / (W_j a_jq) = 1                                         all work is done
    (2)   sum_q y_jqb <= hours of b after r_j                    b < B          one after the other
    (3)   sum_jq floor(k_q / s) y_jqb <= sum_(cv on i) floor(s_v / s) h_cvb     GPU type i, s, b < B
    (4)   sum_v h_cvb <= (e_(b+1) - e_b) n_c                     b < B          n_c nodes
    (5)   u_j + sum_qb l_jb y_jqb / (W_j a_jq) >= e_B - d_j,   l_jb = e_B - max(d_j, r_j, e_b)
    (6)   u_j - sum_qb y_jqb >= r_j - d_j

Why a schedule satisfies these: (3) with s = 1 counts GPUs, shares by their part; for s > 1, where
shares count nothing, jobs on a node of K GPUs have sum floor(k / s) <= floor(K / s). s is 1 and
each number of GPUs just too large for some node type. (5): the part of a job not done falls from 1
at r_j to 0 at its end, so its integral from d_j on is at most the tardiness, and at least what it
is with the value at the end of each bucket. (6): no job ends before r_j and all hours that it runs.

Work after the last bucket takes no room, so the bound holds however long a policy takes. Without
(2) to (5) it is the capacity-free bound, below which it never is. What is returned is the
Lagrangian value of the solver's multipliers, with every column in a box, so it does not rest on
tolerances.

Buckets are equally long, from the first submission until no job comes, no due date lies ahead, and
all GPUs have had the time for all jobs, each at its fastest; where they end changes how good the
bound is, not whether it holds. A mode is left out for a job that fewer GPUs of the same type serve
at least as fast.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rsjs.core.errors import InputError
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel, RowBuilder
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Workload
from rsjs.simulation import accounting
from rsjs.simulation.options import Options, real_times


class Modes(NamedTuple):
    """Q modes of J jobs."""

    pace: Floats  # (J, Q) a_jq, real hours per epoch; inf where not admissible
    price: Floats  # (Q,) p_q [$/h]
    gpu: Ints  # (Q,) GPU type
    amount: Floats  # (Q,) GPUs, or the part of one


def modes(workload: Workload, options: Options) -> Modes:
    """Return the modes of a workload under the options of a simulation."""
    cluster = workload.cluster
    dedicated, shared = real_times(workload.submitted(), workload.digest, options)
    per_gpu = _least_price_per_gpu(workload, options)
    gpus = np.arange(dedicated.shape[2])
    part = np.zeros(shared.shape[1:])
    for i, gpu in enumerate(cluster.gpu_types):
        for level, share in enumerate(gpu.levels):
            part[i, level] = share.units / gpu.units
    amount = np.hstack([np.broadcast_to(gpus, dedicated.shape[1:]), part])
    pace = np.concatenate([dedicated, shared], axis=2)
    return Modes(
        pace=pace.reshape(len(pace), -1),
        price=(amount * per_gpu[:, None]).reshape(-1),
        gpu=np.repeat(np.arange(len(amount)), amount.shape[1]),
        amount=amount.reshape(-1),
    )


def _least_price_per_gpu(workload: Workload, options: Options) -> Floats:
    """Return (T,) $/h of a GPU in use where it costs least; 0 for GPUs that no node has."""
    cluster = workload.cluster
    price = accounting.prices(cluster, options.energy)[:, 1:]
    each = (price / np.arange(1, price.shape[1] + 1)).min(axis=1)
    least = np.full(len(cluster.gpu_types), np.inf)
    present = np.flatnonzero(cluster.allowed_in_class.any(axis=0))
    np.minimum.at(least, cluster.gpu_of_type[present], each[present])
    return np.where(np.isfinite(least), least, 0.0)


MOST = 1_000_000  # columns: about 3 GB


class Columns(NamedTuple):
    """n columns (job, mode, bucket), sorted by job."""

    job: Ints
    config: Ints
    bucket: Ints  # B = after the last one


def edges(workload: Workload, of: Modes, hours: float) -> Floats:
    """Return (B + 1,) begin of each bucket and the end of the last one [h]."""
    jobs, cluster = workload.jobs, workload.cluster
    fastest = of.pace.argmin(axis=1)
    work = workload.realised_epochs * of.pace[np.arange(len(jobs)), fastest] * of.amount[fastest]
    busy = float(work.sum()) / float(cluster.largest_of_class @ cluster.class_sizes)
    begin, last = float(jobs.release[0]), max(float(jobs.release[-1]), float(jobs.due.max()))
    buckets = (last + busy - begin) / hours
    if buckets * np.count_nonzero(np.isfinite(of.pace)) > MOST:
        raise InputError("/hours", hours, f"longer buckets: up to {MOST} columns of the program")
    return np.asarray(begin + hours * np.arange(ceil(buckets) + 1), dtype=np.float64)


def columns(workload: Workload, of: Modes, edge: Floats) -> Columns:
    """Return every job in every useful mode, from its submission on and after the buckets."""
    first = np.searchsorted(edge[1:], workload.jobs.release, side="right")
    job, config = np.nonzero(_useful(of))
    each = len(edge) - first[job]
    start = np.cumsum(each) - each
    return Columns(
        job=np.repeat(job, each),
        config=np.repeat(config, each),
        bucket=np.arange(int(each.sum())) - np.repeat(start - first[job], each),
    )


def _useful(of: Modes) -> Bools:
    """Return (J, Q) admissible, and faster than anything less of the same GPU type."""
    useful = np.isfinite(of.pace)
    for q in range(len(of.gpu)):
        less = (of.gpu == of.gpu[q]) & (of.amount < of.amount[q])
        if less.any():
            useful[:, q] &= of.pace[:, q] < of.pace[:, less].min(axis=1)
    return useful


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


def bucket_bound(
    workload: Workload, options: Options | None = None, *, hours: float = 1.0
) -> float:
    """
    Return the bucket bound [$]: no policy costs less on this workload.

    Buckets have `hours` > 0: shorter ones give a better bound for more time.
    """
    if not 0 < hours < float("inf"):
        raise InputError("/hours", hours, "a bucket of > 0 hours")
    options = options or Options()
    model = build(workload, modes(workload, options), hours)
    return max(certified(model, _multipliers(model)), capacity_free_bound(workload, options))


def build(workload: Workload, of: Modes, hours: float) -> MatrixModel:
    """Return the linear program above; columns y, u, h."""
    jobs, edge = workload.jobs, edges(workload, of, hours)
    at = columns(workload, of, edge)
    buckets, count, n = len(edge) - 1, len(jobs), len(at.job)
    every, y = np.arange(count), np.arange(n)
    u = n + every
    inside = at.bucket < buckets
    work = workload.realised_epochs[at.job] * of.pace[at.job, at.config]
    room = np.minimum(np.diff(edge), np.maximum(0.0, edge[1:] - jobs.release[:, None]))
    late = edge[-1] - np.maximum(np.maximum(jobs.due, jobs.release)[:, None], edge)
    rows = RowBuilder()
    rows.add(count, 1.0, 1.0, (at.job, y, 1 / work))
    window = at.job[inside] * buckets + at.bucket[inside]
    used, row = np.unique(window, return_inverse=True)
    rows.add(len(used), -np.inf, room.ravel()[used], (row, y[inside], 1.0))
    h = _rooms(rows, workload.cluster, of, at, np.diff(edge), n + count)
    rows.add(
        count,
        edge[-1] - jobs.due,
        np.inf,
        (every, u, 1.0),
        (at.job[inside], y[inside], late[at.job, at.bucket][inside] / work[inside]),
    )
    rows.add(count, jobs.release - jobs.due, np.inf, (every, u, 1.0), (at.job, y, -1.0))
    upper = work.copy()
    upper[inside] = np.minimum(work[inside], room[at.job, at.bucket % buckets][inside])
    most = edge[-1] - np.minimum(jobs.due, jobs.release) + np.bincount(at.job, upper, count)
    return rows.model(
        cost=np.concatenate([of.price[at.config], jobs.weight, np.zeros(len(h))]),
        upper=np.concatenate([upper, most, h]),
        kind=np.full(n + count + len(h), ColumnKind.CONTINUOUS, dtype=np.uint8),
    )


def _rooms(
    rows: RowBuilder, cluster: Cluster, of: Modes, at: Columns, length: Floats, first: int
) -> Floats:
    """Add (3) and (4); return the upper bounds of h, whose columns begin at `first`."""
    buckets, types = len(length), len(cluster.gpu_types)
    classes, kind = np.nonzero(cluster.allowed_in_class)
    size, gpu = cluster.gpus_of_type[kind], cluster.gpu_of_type[kind]
    b = np.arange(buckets)
    h = first + np.arange(len(kind))[:, None] * buckets + b
    inside = np.flatnonzero(at.bucket < buckets)
    own, bucket = at.config[inside], at.bucket[inside]
    for s in [1, *(np.unique(size)[:-1] + 1).tolist()]:
        taken = of.amount[own] if s == 1 else of.amount[own] // s
        some = np.flatnonzero(taken)
        rows.add(
            types * buckets,
            -np.inf,
            0.0,
            (of.gpu[own[some]] * buckets + bucket[some], inside[some], taken[some]),
            ((gpu[:, None] * buckets + b).ravel(), h.ravel(), -np.repeat(size // s, buckets)),
        )
    nodes = np.outer(cluster.class_sizes, length)
    place = (classes[:, None] * buckets + b).ravel()
    rows.add(len(nodes) * buckets, -np.inf, nodes.ravel(), (place, h.ravel(), 1.0))
    return nodes[classes].ravel()


def certified(model: MatrixModel, multipliers: Floats) -> float:
    """
    Return the Lagrangian value of a model with all columns in boxes from 0 on: at most its optimum.

    Multipliers may have any sign: what makes no sense for a one-sided row counts as 0.
    """
    low, high = np.isfinite(model.row_lower), np.isfinite(model.row_upper)
    price = np.where(low, multipliers, np.minimum(multipliers, 0.0))
    price = np.where(high, price, np.maximum(price, 0.0))
    side = np.where(price > 0, model.row_lower, model.row_upper)
    reduced = model.cost - csr_array(model.A).T @ price
    return float(price @ np.where(price != 0, side, 0.0) + np.minimum(0.0, reduced) @ model.upper)


def _multipliers(model: MatrixModel) -> Floats:
    """Return (rows,) multipliers at the optimum; 0 where HiGHS ends without one."""
    from scipy.optimize import linprog

    equal = model.row_lower == model.row_upper
    below = np.isneginf(model.row_lower)
    sign = np.where(below, 1.0, -1.0)
    side = np.where(below, model.row_upper, -model.row_lower)
    matrix = csr_array(model.A)
    found = linprog(
        model.cost,
        A_ub=matrix.multiply(sign[:, None]).tocsr()[~equal],
        b_ub=side[~equal],
        A_eq=matrix[equal],
        b_eq=model.row_lower[equal],
        bounds=np.column_stack([model.lower, model.upper]),
        method="highs",
    )
    multipliers = np.zeros(len(sign))
    if found.status == 0:
        multipliers[equal] = found.eqlin.marginals
        multipliers[~equal] = sign[~equal] * found.ineqlin.marginals
    return multipliers
