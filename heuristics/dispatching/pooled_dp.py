"""
DP, scheduling by dynamic programming with the proxy cost (28) of Filippini et al. 2024, VII-A1.

    sum_j eta_j tau_j + sum_n sum_k gamma_nk c_nk dt + sum_j (1 - sum_n zeta_jn) taubar_j     (28)

printed with Gamma_n for K_n as the limit of k, and with taubar_j without rho eta_j. The paper does
not say what the states are; both readings take all jobs anew, first in first out.

fastest   every job gets the fastest mode still free, a whole node most of the time: what
          becomes of the program where tardiness outweighs energy, and the energy that the paper
          reports.
pooled    exact over the jobs in order and the GPUs of the cluster as one pool, g of them used,

              f_j(g) = min over k of f_(j-1)(g - k) + cost_j(k)
              cost_j(0) = P_j,   cost_j(k) = eta_j tau_j + c dt

          with times and prices of the GPU type that is fastest for the job with k GPUs, and dt = H.
          Then each job takes k GPUs of the fastest type with room, or the most below k. The pool
          is one of whole GPUs: shares are not used. Jobs that are ahead of schedule wait for
          nothing: so that not all wait for ever, the first one runs if none would.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    place_queue,
)
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

RULES = ("fastest", "pooled")


def decide(
    instance: Instance,
    rule: str = "fastest",
    epochs: str = "worst_case",
    model: PowerModel | None = None,
) -> Solution:
    """
    Return the solution of an instance.

    Parameters
    ----------
    rule : one of RULES
    epochs : one of queues.EPOCHS
        What a job is taken to have left.
    model : PowerModel, optional
        Of the jobs, if it is known.
    """
    of, order = JobModes.of(instance, epochs, model), candidates.by_release(instance)
    codes = of.fastest() if rule == "fastest" else _at_most(of, order, gpus_of_jobs(of, order))
    candidates_of_jobs = [row[row >= 0].tolist() for row in codes]
    capacity = FreeCapacity(kinds_by_gpu_type(instance.cluster))
    placed = place_queue(order.tolist(), candidates_of_jobs, capacity, of.units)
    return as_solution(placed, capacity, of.level)


def gpus_of_jobs(of: JobModes, order: Ints) -> Ints:
    """Return (J,) k of each job in the pooled program; 0 = it waits. Ties: the fewest GPUs."""
    cost = pooled_costs(of)
    cluster = of.instance.cluster
    pool = int(cluster.largest_of_class @ cluster.class_sizes)
    most = cost.shape[1]
    value, choice = np.zeros(pool + 1), np.empty((len(order), pool + 1), dtype=np.int64)
    for row, j in enumerate(order.tolist()):
        padded = np.concatenate([np.full(most - 1, np.inf), value])
        before = np.lib.stride_tricks.sliding_window_view(padded, most)[:, ::-1]  # f(g - k)
        total = before + cost[j]
        choice[row] = total.argmin(axis=1)
        value = total.min(axis=1)
    gpus = np.zeros(len(order), dtype=np.int64)
    left = pool
    for row in range(len(order) - 1, -1, -1):
        gpus[order[row]] = choice[row, left]
        left -= choice[row, left]
    if not gpus.any():
        first = order[0]
        gpus[first] = 1 + cost[first, 1:].argmin()
    return gpus


def pooled_costs(of: JobModes) -> Floats:
    """Return (J, G + 1) cost_j(k) [$]; inf where no type has k GPUs for the job."""
    instance, hours = of.instance, of.hours
    fastest = hours.argmin(axis=1)[:, None]
    time = np.take_along_axis(hours, fastest, axis=1)[:, 0]
    price = np.take_along_axis(of.price, fastest, axis=1)[:, 0]
    usable = np.isfinite(time)
    late = np.maximum(0.0, instance.now + np.where(usable, time, 0.0) - instance.jobs.due[:, None])
    energy = np.where(usable, price, 0.0) * instance.H
    cost = np.where(usable, instance.jobs.weight[:, None] * late + energy, np.inf)
    cost[:, 0] = costs.cost_tables(instance).postponement
    return cost


def _at_most(of: JobModes, order: Ints, gpus: Ints) -> Ints:
    """Return (J, T (G + 1)) codes of k GPUs, then fewer, the fastest type first; -1 = none."""
    jobs, types, stride = of.hours.shape
    count = np.arange(stride)
    usable = np.isfinite(of.hours) & (count <= gpus[:, None, None]) & (count > 0)
    by_count = np.where(usable, of.hours, np.inf).transpose(0, 2, 1)[:, ::-1]  # (J, k down, T)
    kind = np.argsort(by_count, axis=2, kind="stable")
    code = kind * stride + count[::-1][:, None]
    found = np.isfinite(np.take_along_axis(by_count, kind, axis=2))
    return np.where(found, code, -1).reshape(jobs, types * stride)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by DP."""
    with report.phase("solve"):
        solution = decide(instance, str(call.rule), call.options["epochs"])
    return finished(instance, solution, report)
