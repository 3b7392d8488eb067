"""
What STS chooses from: the queue, and each job's configurations (Filippini et al. 2024, VI-A, -B).

    Delta_j = now + min t_j - d_j, times eta_j where positive          (27), t_j at w_max
    D_j     the first configuration of the optimal profile on each GPU type      Algorithm 3

The types on which d_j can be met come first, by expected energy (P3.1), then the others, by the
time that their fastest configuration takes at w_max: the paper sorts by energy alone, but has no
rule for a job that is late on some types. As a fallback each type in turn offers what is less than
wanted, the fastest first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.power_model import JobData, PowerModel
from rsjs.heuristics.speed_profile import INFEASIBLE, SLACK, Profiles, profiles
from rsjs.heuristics.survival_steps import Steps, repeated
from rsjs.instances.schema import Instance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Choices(NamedTuple):
    """A decision's jobs with their profiles on every GPU type; arrays by job, then type."""

    model: PowerModel
    units: Ints  # (J, T) of the share
    steps: Steps  # of the jobs
    time: Floats  # (J,) h until the due date, less the margin
    status: Ints  # (J, T)
    initial: Ints  # (J, T) k to begin with; -1 = no configuration
    change: Floats  # (J, T) h until it changes
    energy: Floats  # (J, T) expected [$]
    order: Ints  # (J, T) types, the best first

    @property
    def work(self) -> Floats:
        """(J,) epochs left at w_max."""
        left: Floats = self.steps.end[self.steps.law, -1] - self.steps.done
        return left


def choices(instance: Instance, floor: Ints, margin: float, data: JobData | None = None) -> Choices:
    """
    The optimal profile of each job on each GPU type.

    Parameters
    ----------
    floor : (J,) int
        k_0, the fewest GPUs a job may have; clipped to the most that it may have on a type.
    margin : float [h]
        By how much due dates are advanced.
    data : JobData, optional
        Of the jobs, if it is known.
    """
    model, steps = data or JobData.of(instance)
    jobs, types, stride = model.rate.shape
    time = instance.jobs.due - instance.now - margin
    count = np.arange(stride)
    most = np.where(np.isfinite(model.rate), count, 0).max(axis=2)
    least = np.minimum(floor[:, None], most)
    rate = np.where(count >= least[:, :, None], model.rate, np.inf)
    found = profiles(
        rate.reshape(-1, stride),
        model.power.reshape(-1, stride),
        np.repeat(time, types),
        repeated(steps, types),
    )
    status, initial, change, energy = (
        getattr(found, name).reshape(jobs, types)
        for name in ("status", "initial", "change", "energy")
    )
    work = steps.end[steps.law, -1] - steps.done
    own = np.take_along_axis(model.rate, np.maximum(initial, 0)[:, :, None], axis=2)[:, :, 0]
    late = status == INFEASIBLE
    key = np.where(late, own * work[:, None], energy)
    order = np.lexsort((key, np.maximum(status, SLACK)), axis=1)
    return Choices(model, model.units, steps, time, status, initial, change, energy, order)


def resolved(of: Choices, jobs: Ints, gpu: Ints, count: Ints) -> Profiles:
    """The profiles of some jobs on one GPU type each, with at least `count` GPUs."""
    own = of.steps
    rate = of.model.rate[jobs, gpu]
    return profiles(
        np.where(np.arange(rate.shape[1]) >= count[:, None], rate, np.inf),
        of.model.power[jobs, gpu],
        of.time[jobs],
        own._replace(law=own.law[jobs], first=own.first[jobs], done=own.done[jobs]),
    )


def queue(instance: Instance, of: Choices) -> list[int]:
    """Jobs by decreasing pressure (27); ties by position."""
    fastest = of.model.rate.min(axis=(1, 2)) * of.work
    pressure = instance.now + fastest - instance.jobs.due
    pressure = np.where(pressure > 0, pressure * instance.jobs.weight, pressure)
    order: list[int] = np.argsort(-pressure, kind="stable").tolist()
    return order


def wanted(of: Choices) -> Ints:
    """(J, T) codes of D_j, the best first; -1 = no configuration."""
    stride = of.model.rate.shape[2]
    initial = np.take_along_axis(of.initial, of.order, axis=1)
    return np.where(initial >= 0, of.order * stride + initial, -1)


def less(of: Choices) -> Ints:
    """(J, T (G + 1)) codes of what is less than wanted, type after type, the fastest first."""
    jobs, types, stride = of.model.rate.shape
    columns = np.argsort(of.model.rate, axis=2, kind="stable")
    usable = np.isfinite(np.take_along_axis(of.model.rate, columns, axis=2))
    fewer = usable & (columns < of.initial[:, :, None])
    codes = np.where(fewer, np.arange(types)[:, None] * stride + columns, -1)
    ordered = np.take_along_axis(codes, of.order[:, :, None], axis=1)
    return ordered.reshape(jobs, types * stride)
