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

from typing import Literal, NamedTuple

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
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import FEASIBLE, SLACK, SurvivalSteps
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policies.pooled_relaxation import SOLVER, Offers, Pools, choose
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData


class Values(NamedTuple):
    """The costs [$] of every job."""

    model: PowerModel
    running: Floats  # (J, T, G + 1) V_q, inf where not admissible; k = 0 is the share
    waiting: Floats  # (J,) V_0


def values(instance: Instance, hours: float, data: JobData | None = None) -> Values:
    """Return V of every job of an instance; `hours` is h, until the next decision."""
    model, steps = data or JobData.of(instance)
    jobs, shape = len(instance.jobs), model.rate.shape
    rate, power = model.rate.reshape(jobs, -1), model.power.reshape(jobs, -1)
    weight, slack = instance.jobs.weight, instance.jobs.due - instance.now
    own, at = np.nonzero(np.isfinite(rate))
    hour, done = rate[own, at], steps.done[own]
    of = _Survival(steps, own)
    after = np.minimum(done + hours / hour, of.last)
    ran = hour * of.epochs(after)
    in_time = hour * of.epochs(np.minimum(done + np.maximum(slack[own], 0.0) / hour, of.last))
    now = power[own, at] * ran + weight[own] * np.maximum(0.0, ran - in_time)
    alive = of.alive(after)
    on = np.flatnonzero(alive)
    state = np.concatenate([own[on], np.arange(jobs)])
    then = _cost_to_go(
        steps,
        state,
        np.concatenate([after[on], steps.done]),
        rate[state],
        power[state],
        slack[state] - hours,
        weight[state],
    )
    now[on] += alive[on] * then[: len(on)]
    running = np.full(rate.shape, np.inf)
    running[own, at] = now
    late = np.maximum(0.0, hours - np.maximum(0.0, slack))
    return Values(model, running.reshape(shape), weight * late + then[len(on) :])


def _cost_to_go(
    steps: SurvivalSteps,
    job: Ints,
    done: Floats,
    rate: Floats,
    power: Floats,
    slack: Floats,
    weight: Floats,
) -> Floats:
    """Return (n,) V* of states (w, s) of jobs."""
    distribution = steps.law[job]
    first = (steps.end[distribution] <= done[:, None]).sum(axis=1)
    states = steps._replace(law=distribution, first=first, done=done)
    best = profiles(rate, power, slack, states)
    feasible = (best.status == FEASIBLE) | (best.status == SLACK)
    own, at = np.nonzero(np.isfinite(rate))
    hour, of = rate[own, at], _Survival(states, own)
    whole = of.epochs(of.last)
    in_time = of.epochs(np.minimum(done[own] + np.maximum(slack[own], 0.0) / hour, of.last))
    cost = np.full(rate.shape, np.inf)
    cost[own, at] = hour * (power[own, at] * whole + weight[own] * (whole - in_time))
    return np.asarray(np.minimum(cost.min(axis=1), np.where(feasible, best.energy, np.inf)))


class _Survival:
    """Steps of n survival functions, some more than once, looked up for many epochs at a time."""

    def __init__(self, steps: SurvivalSteps, rows: Ints) -> None:
        self._distribution = steps.law[rows]
        self._steps, self._width = steps, steps.end.shape[1]
        apart = float(steps.end.max()) + 1.0
        self._offset = self._distribution * apart
        self._ends = (steps.end + np.arange(len(steps.end))[:, None] * apart).ravel()
        self._height = steps.height[self._distribution, steps.first[rows]]
        self.last = steps.end[self._distribution, -1]
        self._left = self._area(steps.done[rows])

    def epochs(self, until: Floats) -> Floats:
        """Return A(z), z from w to w_max."""
        return np.asarray((self._left - self._area(until)) / self._height)

    def alive(self, epoch: Floats) -> Floats:
        """Return P(W > z | W > w), z from w to w_max."""
        step = self._step(epoch, "right")
        height = self._steps.height[self._distribution, np.minimum(step, self._width - 1)]
        return np.asarray(np.where(epoch < self.last, height, 0.0) / self._height)

    def _area(self, epoch: Floats) -> Floats:
        """Return the integral of P(W > x) from an epoch to w_max."""
        step, of = self._step(epoch, "left"), self._steps
        here = (of.end[self._distribution, step] - epoch) * of.height[self._distribution, step]
        return np.asarray(here + of.area[self._distribution, step + 1])

    def _step(self, epoch: Floats, side: Literal["left", "right"]) -> Ints:
        at = np.searchsorted(self._ends, epoch + self._offset, side=side)
        return np.asarray(np.minimum(at - self._distribution * self._width, self._width - 1))


SHORTEST, LONGEST, GAPS = 0.05, 1.0, 2.0  # of h [h], and mean gaps in it
EQUAL = 1e-9  # relative, of costs that do not differ


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `roll`."""
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
    """Return h from the submissions so far, in order [h]."""
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
    return on_their_nodes(instance, as_solution(placed, capacity, of.model.level))


def useful(saving: Floats, units: Ints) -> Offers:
    """
    Return the modes that save more than waiting, and than those with fewer GPUs of the same type.

    `saving` (J, T, G + 1) [$] is -inf where not admissible, k = 0 the share; `units` (J, T) of it.
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
