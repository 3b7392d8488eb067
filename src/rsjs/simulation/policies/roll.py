"""
ROLL, a one-step roll-out: what the next hours cost, and after them each job alone on the cluster.

    1. V of each job in each configuration, and of waiting, for the next h hours     cost_to_go
    2. the configurations that save most over waiting, GPUs of a type in a pool
                                                             formulations.pooled_choice, HiGHS
    3. onto nodes, those of most GPUs first, best fit; jobs that found no room, or that gain
       nothing, take what is left as long as it costs no more than waiting

h is twice the mean gap of the submissions so far, 3 minutes to 1 hour. All jobs are decided anew
at each event, and after h hours at the latest. Due dates are costs like others: a job may be late a
little.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.registry import backend
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    PlacedJobs,
    as_solution,
    kinds_by_gpu_type,
    place_queue,
)
from rsjs.heuristics.sts.migration import on_their_nodes
from rsjs.heuristics.sts.power_model import JobData
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policies.cost_to_go import Values, values
from rsjs.simulation.policies.pooled_relaxation import SOLVER, Offers, Pools, choose
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State

SHORTEST, LONGEST, GAPS = 0.05, 1.0, 2.0  # of h [h], and mean gaps in it
EQUAL = 1e-9  # relative, of costs that do not differ


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `roll`."""
    pools, known = Pools(whole.cluster), WorkloadData(whole)

    def decide(state: State, memory: int | None) -> Choice:
        arrived = max(int(state.rows[-1]) + 1, memory or 0)
        hours = step(state.workload.jobs.release[:arrived])
        limits = Limits(time_limit=state.time_limit, seed=state.seed)
        return Choice(
            solution=_decision(state.instance, known.jobs(state), pools, hours, limits),
            change=np.full(len(state.rows), hours),
            memory=arrived,
        )

    def prepare() -> None:
        backend(SOLVER).load()
        values(smallest(), LONGEST)

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def step(release: Floats) -> float:
    """h from the submissions so far, in order [h]."""
    gaps = len(release) - 1
    hours = GAPS * (release[-1] - release[0]) / gaps if gaps else LONGEST
    return float(np.clip(hours, SHORTEST, LONGEST))


def _decision(
    instance: Instance, data: JobData, pools: Pools, hours: float, limits: Limits
) -> Solution:
    of = values(instance, hours, data)
    units = of.model.units
    stride = of.running.shape[2]
    saving = of.waiting[:, None, None] - of.running
    offers = useful(saving, units)
    code = offers.gpu * stride + offers.count
    chosen = choose(pools, offers, limits) if len(code) else np.empty(0, dtype=np.int64)
    capacity = FreeCapacity(kinds_by_gpu_type(instance.cluster))
    wanted: list[list[int]] = [[] for _ in of.waiting]
    for q in chosen.tolist():
        wanted[offers.job[q]] = [int(code[q])]
    size = offers.count[chosen] + offers.units[chosen] / pools.units[offers.gpu[chosen]]
    queue = offers.job[chosen][np.argsort(-size, kind="stable")].tolist()
    placed = place_queue(queue, wanted, capacity, units)
    _fill(placed, of, saving, units, capacity)
    solution = on_their_nodes(instance, as_solution(placed, capacity, of.model.level))
    return select_required_nodes(instance, solution)


def useful(saving: Floats, units: Ints) -> Offers:
    """
    Configurations that save more than waiting, and than those with fewer GPUs of the same type.

    Parameters
    ----------
    saving : (J, T, G + 1) float [$]
        -inf where not admissible; k = 0 is the share.
    units : (J, T) int
        Of the share.
    """
    most = np.maximum.accumulate(np.maximum(saving, 0.0), axis=2)
    before = np.concatenate([np.zeros_like(most[:, :, :1]), most[:, :, :-1]], axis=2)
    job, gpu, count = np.nonzero(saving > before)
    value = saving[job, gpu, count]
    order = np.lexsort((-value, job))
    job, gpu, count = job[order], gpu[order], count[order]
    share = np.where(count == 0, units[job, gpu], 0)
    return Offers(job=job, gpu=gpu, count=count, units=share, saving=value[order])


def _fill(
    placed: PlacedJobs, of: Values, saving: Floats, units: Ints, capacity: FreeCapacity
) -> None:
    """Let jobs that wait take what is left, those that gain most first."""
    waiting = np.flatnonzero(np.array(placed.node) < 0)
    if not waiting.size or capacity.full:
        return
    jobs = len(saving)
    own = saving[waiting].reshape(len(waiting), -1)
    own = np.where(own >= -EQUAL * of.waiting[waiting, None], own, -np.inf)
    ranked = np.argsort(-own, axis=1, kind="stable")
    count = np.isfinite(own).sum(axis=1).tolist()
    candidates: list[list[int]] = [[] for _ in range(jobs)]
    for j, codes, n in zip(waiting.tolist(), ranked.tolist(), count, strict=True):
        candidates[j] = codes[:n]
    queue = waiting[np.argsort(-own.max(axis=1), kind="stable")].tolist()
    more = place_queue(queue, candidates, capacity, units)
    for j in waiting.tolist():
        placed.node[j], placed.kind[j] = more.node[j], more.kind[j]
        placed.count[j], placed.shared[j] = more.count[j], more.shared[j]
