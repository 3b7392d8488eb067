"""
What it costs from now on if a job runs in a configuration for a while, then on an infinite cluster.

Job j has w of W epochs done, P(W > z | W > w) as in `heuristics.survival_steps`, s hours until d_j.
In configuration q, a_q hours per epoch and P_q $/h, it runs E[min(h, a_q R)] of the next h hours, R
epochs left, and

    V_q = P_q E[min(h, a_q R)] + eta E[hours of them after d_j]
          + P(a_q R > h) V*(w + h / a_q, s - h)                       it runs
    V_0 = eta max(0, h - max(0, s)) + V*(w, s - h)                    it waits

Hours of tardiness that are past are left out. V* is the least of

    the energy of the optimal speed profile over all configurations, where the worst case can be in
    time (`heuristics.speed_profile`), and of
    min_q P_q a_q E[R] + eta E[max(0, a_q R - max(0, s))]             one configuration to the end

With A(z) = integral of P(W > x | W > w) from w to z, E[min(h, a R)] = a A(w + h / a).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import FEASIBLE, SLACK, SurvivalSteps
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.instance import Instance


class Values(NamedTuple):
    """The costs [$] of every job."""

    model: PowerModel
    running: Floats  # (J, T, G + 1) V_q, inf where not admissible; k = 0 is the share
    waiting: Floats  # (J,) V_0


def values(instance: Instance, hours: float, data: JobData | None = None) -> Values:
    """
    V of every job of an instance.

    Parameters
    ----------
    hours : float [h]
        h, until the next decision.
    data : JobData, optional
        Of the jobs, if it is known.
    """
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
    """(n,) V* of states (w, s) of jobs."""
    law = steps.law[job]
    first = (steps.end[law] <= done[:, None]).sum(axis=1)
    states = steps._replace(law=law, first=first, done=done)
    best = profiles(rate, power, slack, states)
    feasible = (best.status == FEASIBLE) | (best.status == SLACK)
    own, at = np.nonzero(np.isfinite(rate))
    hour, of = rate[own, at], _Survival(states, own)
    whole = of.epochs(of.last)
    in_time = of.epochs(np.minimum(done[own] + np.maximum(slack[own], 0.0) / hour, of.last))
    cost = np.full(rate.shape, np.inf)
    cost[own, at] = hour * (power[own, at] * whole + weight[own] * (whole - in_time))
    least: Floats = np.minimum(cost.min(axis=1), np.where(feasible, best.energy, np.inf))
    return least


class _Survival:
    """The steps of n problems, some more than once, looked up for many epochs at a time."""

    def __init__(self, steps: SurvivalSteps, rows: Ints) -> None:
        self._law = steps.law[rows]
        self._steps, self._width = steps, steps.end.shape[1]
        apart = float(steps.end.max()) + 1.0
        self._offset = self._law * apart
        self._ends = (steps.end + np.arange(len(steps.end))[:, None] * apart).ravel()
        self._height = steps.height[self._law, steps.first[rows]]
        self.last = steps.end[self._law, -1]
        self._left = self._area(steps.done[rows])

    def epochs(self, until: Floats) -> Floats:
        """A(z), z from w to w_max."""
        found: Floats = (self._left - self._area(until)) / self._height
        return found

    def alive(self, epoch: Floats) -> Floats:
        """P(W > z | W > w), z from w to w_max."""
        step = self._step(epoch, "right")
        height = self._steps.height[self._law, np.minimum(step, self._width - 1)]
        found: Floats = np.where(epoch < self.last, height, 0.0) / self._height
        return found

    def _area(self, epoch: Floats) -> Floats:
        """Integral of P(W > x) from an epoch to w_max."""
        step, of = self._step(epoch, "left"), self._steps
        here = (of.end[self._law, step] - epoch) * of.height[self._law, step]
        found: Floats = here + of.area[self._law, step + 1]
        return found

    def _step(self, epoch: Floats, side: Literal["left", "right"]) -> Ints:
        at = np.searchsorted(self._ends, epoch + self._offset, side=side)
        found: Ints = np.minimum(at - self._law * self._width, self._width - 1)
        return found
