"""
Queues on nodes and GPUs that are shared: EDF, FIFO, priority, preemptive EDF, greedy.

The methods that STS is compared with (Filippini et al. 2024, VII-A1). Each job in turn takes the
first of its modes that finds room; a job that finds none waits, and the next one is tried, so no
GPU is idle that a job could use. Which node it takes is not published for EDF and FIFO; `fit` is
one of `placement.FITS`. The paper says of STS alone that it first fills what is partially used
(VI-B): `open`.

edf, fifo, priority   jobs that run are left alone
edf_alone             edf with one job per node, as in the authors' program
pedf                  edf over all jobs: those that run may be moved, or have to wait
greedy                all jobs, the most pressing first, (27): the first iteration of RG

They know nothing of distributions: the epochs of a job are all that it may have left
(`worst_case`), or their mean, until it has had so many, then again all (`mean`). A job's modes:
those in time, the cheapest first (hours x $/h of the GPUs in use), then the late ones, the fastest
first. Ties: the cheaper one, the first GPU type, the fewest GPUs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import (
    FITS,
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    occupy_nodes,
    place_queue,
    running,
    together,
)
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

EPOCHS = ("worst_case", "mean")


@dataclass(frozen=True, kw_only=True, eq=False)
class JobModes:
    """The modes of the jobs."""

    instance: Instance  # with the number of epochs that the method assumes
    hours: Floats  # (J, T, G + 1) to completion on k GPUs; k = 0: on the smallest share
    price: Floats  # (J, T, G + 1) $/h
    level: Ints  # (J, T) of that share
    units: Ints  # (J, T) of that share

    @staticmethod
    def of(instance: Instance, epochs: str, model: PowerModel | None = None) -> JobModes:
        """Return the modes of an instance for a number of epochs; `model` if known."""
        assumed = planned(instance, epochs)
        model = model or PowerModel.of(instance)
        return JobModes(
            instance=assumed,
            hours=model.rate * costs.epochs_left(assumed)[:, None, None],
            price=model.power,
            level=model.level,
            units=model.units,
        )

    @property
    def stride(self) -> int:
        """Return G + 1: the code of a mode is gpu * stride + k."""
        return int(self.hours.shape[2])

    def cheapest(self) -> list[list[int]]:
        """Return each job's codes, those in time first."""
        return candidates.ranked(self.instance, self.hours, self.price, strict=False)

    def fastest(self) -> Ints:
        """Return (J, T (G + 1)) each job's codes by time alone, -1 where not admissible."""
        hours = self.hours.reshape(len(self.hours), -1)
        usable = np.isfinite(hours)
        cost = np.where(usable, hours, 0.0) * np.where(usable, self.price.reshape(hours.shape), 0)
        order = np.lexsort((cost, hours), axis=1)
        return np.where(np.take_along_axis(usable, order, axis=1), order, -1)


def planned(instance: Instance, epochs: str) -> Instance:
    """Return the instance with deterministic numbers of epochs, one of EPOCHS."""
    if instance.objective.expectation == epochs:
        return instance
    return replace(instance, objective=replace(instance.objective, expectation=epochs))


@dataclass(frozen=True, kw_only=True)
class QueueRule:
    """A rule that orders the queue."""

    order: Callable[[Instance], Ints]  # jobs of an instance in order
    preemptive: bool = False  # whether jobs that run are decided anew
    alone: bool = False  # one job per node


RULES = {
    "edf": QueueRule(order=candidates.by_due_date),
    "edf_alone": QueueRule(order=candidates.by_due_date, alone=True),
    "fifo": QueueRule(order=candidates.by_release),
    "priority": QueueRule(order=candidates.by_weight),
    "pedf": QueueRule(order=candidates.by_due_date, preemptive=True),
    "greedy": QueueRule(order=candidates.by_pressure, preemptive=True),
}


def decide(
    instance: Instance, rule: str = "edf", epochs: str = "worst_case", fit: str = FITS[0]
) -> Solution:
    """
    Return the solution of an instance.

    Parameters
    ----------
    rule : one of RULES
    epochs : one of EPOCHS
        What a job is taken to have left.
    fit : one of placement.FITS
    """
    chosen, of = RULES[rule], JobModes.of(instance, epochs)
    order = chosen.order(of.instance)
    if chosen.preemptive:
        kept = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    else:
        kept = running(instance)
    cluster = instance.cluster
    capacity = FreeCapacity(kinds_by_gpu_type(cluster), alone=chosen.alone, fit=fit)
    occupy_nodes(capacity, cluster, kept)
    queue = order[kept.job_node[order] < 0].tolist()
    placed = place_queue(queue, of.cheapest(), capacity, of.units)
    return together(kept, as_solution(placed, capacity, of.level))


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by a queue."""
    with report.phase("solve"):
        solution = decide(instance, str(call.rule), call.options["epochs"], call.options["fit"])
    return finished(instance, solution, report)
