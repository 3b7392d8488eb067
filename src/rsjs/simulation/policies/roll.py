"""
ROLL, a one-step roll-out: what the next hours cost, and after them each job alone on the cluster.

    1. V of each job in each mode, and of waiting, for the next h hours
    2. the modes that save most over waiting, GPUs of a type in a pool: `pooled_relaxation`, HiGHS
    3. onto nodes, those of most GPUs first, best fit; jobs that found no room, or that gain
       nothing, take what is left as long as it costs no more than waiting

h is twice the mean gap of the submissions so far, 3 minutes to 1 hour. All jobs are decided anew
at each event, and after h hours at the latest. Due dates are costs like others: a job may be late a
little.

What it costs from now on if a job runs in a mode for a while, then on an infinite cluster:

Job j has w of W epochs done, P(W > z | W > w) as in `heuristics.sts.single_job`, s hours to d_j.
In mode q, a_q hours per epoch and P_q $/h, it runs E[min(h, a_q R)] of the next h hours, R
epochs left, and

    V_q = P_q E[min(h, a_q R)] + eta E[hours of them after d_j]
          + P(a_q R > h) V*(w + h / a_q, s - h)                       it runs
    V_0 = eta max(0, h - max(0, s)) + V*(w, s - h)                    it waits

Hours of tardiness that are past are left out. V* is the least of

    the energy of the optimal speed profile over all modes, where the worst case can be in
    time (`heuristics.sts.speed_profile`), and of
    min_q P_q a_q E[R] + eta E[max(0, a_q R - max(0, s))]             one mode to the end

With A(z) = integral of P(W > x | W > w) from w to z, E[min(h, a R)] = a A(w + h / a).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.registry import backend
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    place_queue,
    together,
)
from rsjs.heuristics.sts import migration
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import FEASIBLE, SLACK, SurvivalSteps, taken
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policies.pooled_relaxation import SOLVER, Offers, Pools, choose
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData

SHORTEST, LONGEST, GAPS = 0.05, 1.0, 2.0  # of h [h], and mean gaps in it
EQUAL = 1e-9  # relative, of costs that do not differ


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `roll`."""
    pools, known = Pools(whole.cluster), WorkloadData(whole)

    def decide(state: State, memory: Any) -> Choice:
        arrived = max(int(state.rows[-1]) + 1, memory or 0)
        hours = step(state.workload.jobs.release[:arrived])
        of = values(state.instance, hours, known.jobs(state))
        limits = Limits(time_limit=state.time_limit, seed=state.seed)
        solution = migration.on_their_nodes(
            state.instance, placed_on_nodes(of, whole.cluster, pools, limits)
        )
        return Choice(solution=solution, change=np.full(len(state.rows), hours), memory=arrived)

    def prepare() -> None:
        backend(SOLVER).load()
        migration.prepare()
        values(smallest(), LONGEST)

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def step(release: Floats) -> float:
    """Return h from the submissions so far, in order [h]."""
    gaps = len(release) - 1
    hours = GAPS * (release[-1] - release[0]) / gaps if gaps else LONGEST
    return float(np.clip(hours, SHORTEST, LONGEST))


#: (n,) jobs, (n,) epochs done -> (n,) $
CostToGo = Callable[[Ints, Floats], Floats]


class Values(NamedTuple):
    """The costs [$] of every job."""

    model: PowerModel
    running: Floats  # (J, T, G + 1) V_q, inf where not admissible; k = 0 is the share
    waiting: Floats  # (J,) V_0


def values(
    instance: Instance, hours: float, data: JobData | None = None, to_go: CostToGo | None = None
) -> Values:
    """
    Return V of every job of an instance; `hours` is h, the time until the next event.

    `to_go` is asked for P(W > z | W > w) V* of jobs with z epochs done after h; by default each
    job is alone then.
    """
    model, steps = data or JobData.of(instance)
    jobs, shape = len(instance.jobs), model.rate.shape
    rate, power = model.rate.reshape(jobs, -1), model.power.reshape(jobs, -1)
    weight, slack = instance.jobs.weight, instance.jobs.due - instance.now
    # the modes of all jobs: costs of the next hours, and whether the job still runs then
    own, at = np.nonzero(np.isfinite(rate))
    hour, done = rate[own, at], steps.done[own]
    of = Survival(steps, own)
    after = np.minimum(done + hours / hour, of.last)
    ran = hour * of.epochs(after)
    in_time = hour * of.epochs(np.minimum(done + np.maximum(slack[own], 0.0) / hour, of.last))
    now = power[own, at] * ran + weight[own] * np.maximum(0.0, ran - in_time)
    alive = of.alive(after)
    # V* of those that do, and of every job that waits
    on = np.flatnonzero(alive)
    job = np.concatenate([own[on], np.arange(jobs)])
    epochs = np.concatenate([after[on], steps.done])
    if to_go is None:
        then = taken(steps, job, epochs)
        cost = _cost_to_go(then, rate[job], power[job], slack[job] - hours, weight[job])
        cost *= np.concatenate([alive[on], np.ones(jobs)])
    else:
        cost = to_go(job, epochs)
    now[on] += cost[: len(on)]
    running = np.full(rate.shape, np.inf)
    running[own, at] = now
    late = np.maximum(0.0, hours - np.maximum(0.0, slack))
    return Values(model, running.reshape(shape), weight * late + cost[len(on) :])


def _cost_to_go(
    steps: SurvivalSteps, rate: Floats, power: Floats, slack: Floats, weight: Floats
) -> Floats:
    """Return (n,) V* of states (w, s) of jobs."""
    best = profiles(rate, power, slack, steps)
    feasible = (best.status == FEASIBLE) | (best.status == SLACK)
    own, at = np.nonzero(np.isfinite(rate))
    hour, of = rate[own, at], Survival(steps, own)
    whole = of.epochs(of.last)
    in_time = of.epochs(np.minimum(steps.done[own] + np.maximum(slack[own], 0.0) / hour, of.last))
    cost = np.full(rate.shape, np.inf)
    cost[own, at] = hour * (power[own, at] * whole + weight[own] * (whole - in_time))
    return np.asarray(np.minimum(cost.min(axis=1), np.where(feasible, best.energy, np.inf)))


class Survival:
    """Steps of n survival functions, some more than once, looked up for many epochs at a time."""

    def __init__(self, steps: SurvivalSteps, rows: Ints) -> None:
        self._row, self._steps, self._width = steps.law[rows], steps, steps.end.shape[1]
        # all ends in one sorted array, those of each distribution apart from the next one's
        apart = float(steps.end.max()) + 1.0
        self._offset = self._row * apart
        self._ends = (steps.end + np.arange(len(steps.end))[:, None] * apart).ravel()
        self._height = steps.height[self._row, steps.first[rows]]
        self.last = steps.end[self._row, -1]
        self._left = self._area(steps.done[rows])

    def epochs(self, until: Floats) -> Floats:
        """Return A(z), z from w to w_max."""
        return np.asarray((self._left - self._area(until)) / self._height)

    def alive(self, epoch: Floats) -> Floats:
        """Return P(W > z | W > w), z from w to w_max."""
        height = self._steps.height[self._row, self._step(epoch, "right")]
        return np.asarray(np.where(epoch < self.last, height, 0.0) / self._height)

    def _area(self, epoch: Floats) -> Floats:
        """Return the integral of P(W > x) from an epoch to w_max."""
        at, of = (self._row, self._step(epoch, "left")), self._steps
        return np.asarray((of.end[at] - epoch) * of.height[at] + of.area[at[0], at[1] + 1])

    def _step(self, epoch: Floats, side: Literal["left", "right"]) -> Ints:
        at = np.searchsorted(self._ends, epoch + self._offset, side=side)
        return np.asarray(np.minimum(at - self._row * self._width, self._width - 1))


def placed_on_nodes(of: Values, cluster: Cluster, pools: Pools, limits: Limits) -> Solution:
    """Return the modes that save most, on nodes; jobs that wait take what is left."""
    saving, units, level = of.waiting[:, None, None] - of.running, of.model.units, of.model.level
    offers = useful(saving, units)
    chosen = choose(pools, offers, limits)
    wanted: list[list[int]] = [[] for _ in of.waiting]
    code = offers.gpu * saving.shape[2] + offers.count
    for q in chosen.tolist():
        wanted[offers.job[q]] = [int(code[q])]
    size = offers.count[chosen] + offers.units[chosen] / pools.units[offers.gpu[chosen]]
    queue = offers.job[chosen][np.argsort(-size, kind="stable")].tolist()
    capacity = FreeCapacity(kinds_by_gpu_type(cluster))
    placed = place_queue(queue, wanted, capacity, units)
    # (J, T (G + 1)) gains of the modes that cost no more than waiting; most of it first
    gain = saving.reshape(len(saving), -1)
    gain = np.where(gain >= -EQUAL * of.waiting[:, None], gain, -np.inf)
    ranked = np.argsort(-gain, axis=1, kind="stable").tolist()
    counts = np.isfinite(gain).sum(axis=1).tolist()
    best = [codes[:count] for codes, count in zip(ranked, counts, strict=True)]
    waiting = np.flatnonzero(np.array(placed.node) < 0)
    queue = waiting[np.argsort(-gain[waiting].max(axis=1), kind="stable")].tolist()
    more = place_queue(queue, best, capacity, units)
    return together(as_solution(placed, capacity, level), as_solution(more, capacity, level))


def useful(saving: Floats, units: Ints) -> Offers:
    """
    Return the modes that save more than waiting, and than those with fewer GPUs of the same type.

    `saving` (J, T, G + 1) [$] is -inf where not admissible, k = 0 the share; `units` (J, T) of it.
    """
    before = np.maximum.accumulate(np.maximum(saving, 0.0), axis=2)[:, :, :-1]
    job, gpu, count = np.nonzero(saving > np.pad(before, ((0, 0), (0, 0), (1, 0))))
    order = np.lexsort((-saving[job, gpu, count], job))
    job, gpu, count = job[order], gpu[order], count[order]
    share = np.where(count == 0, units[job, gpu], 0)
    return Offers(job=job, gpu=gpu, count=count, units=share, saving=saving[job, gpu, count])
