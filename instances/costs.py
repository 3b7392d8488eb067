"""
Cost of a solution: every formula of the objective, once.

    tardiness     executed jobs, eta_j max(0, now + t_jq - d_j) or its expectation
    postponement  postponed jobs, P_j = rho eta_j max(0, now + H + M_j - d_j) or its expectation
    energy        proportional, first_ending or next_event (see `Objective`)
    idle          mu per GPU of a selected node that is not in use
    changes       executed jobs: `start` where the job did not run in `current`, 0 where it stays
                  (same node, node type, number of GPUs or share level), else `migration`

t_jq: hours to completion in mode q; M_j = max_q t_jq, in a part of an instance that of the whole.
Under "expected" first_ending takes min_j E[t_j] on each node; `wait_and_see_energy` is the exact
E[min_j t_j] of independent random completion times. Sources: Jahani 2019, objective and (7), (8);
ANDREAS 2021, (1); Filippini 2024, (P1) with (19)-(21).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.bin_packing import gpus_taken
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

AT_MEAN, DIGITS = 1e-9, 1e-14  # epochs, and of the mean: a job so near to it has reached it
MOST_STEPS = 300_000_000  # of a wait-and-see energy: jobs on a node x points of distributions
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class CostTables:
    """Times and costs of every mode of every job; inf where not admissible."""

    hours: Floats  #: (J, T, G + 1) [h] time to completion on dedicated GPUs, by GPU type and count
    shared_hours: Floats  #: (J, T, L) [h] time to completion on share levels
    tardiness: Floats  #: (J, T, G + 1) [$] tardiness cost at completion on dedicated GPUs
    shared_tardiness: Floats  #: (J, T, L) [$] tardiness cost at completion on share levels
    longest: Floats  #: (J,) [h] M_j; under "expected" the expected time of the slowest mode
    postponement: Floats  #: (J,) [$] P_j


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms of the objective [$]; `total` is their sum."""

    tardiness: float
    postponement: float
    energy: float
    idle: float
    changes: float | None = None  #: None where the objective charges none

    @property
    def total(self) -> float:
        """Value of the objective [$]."""
        others = self.tardiness + self.postponement + self.energy + self.idle
        return others + (self.changes or 0.0)

    def as_dict(self) -> dict[str, float]:
        """Return the terms by name [$]."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, eq=False)
class ChangeCosts:
    """What a job pays to run, unless it stays where and how it ran in `current`; all (J,)."""

    charge: Floats  #: [$] `migration` of a job that ran, `start` of one that did not
    node: Ints  #: where it ran; -1 = it did not
    node_type: Ints  #: the type of that node
    gpus: Ints  #: its dedicated GPUs there
    level: Ints  #: its share level there

    def of(
        self, job: Ints, node: Ints | int, node_type: Ints | int, gpus: Ints, level: Ints | int
    ) -> Floats:
        """Return the cost [$] of each of these jobs on these nodes, of these types, so run."""
        return np.where(self.stays(job, node, node_type, gpus, level), 0.0, self.charge[job])

    def stays(
        self, job: Ints, node: Ints | int, node_type: Ints | int, gpus: Ints, level: Ints | int
    ) -> Bools:
        """Return whether each of these jobs ran there and so, on a node of that type."""
        same = (self.node[job] == node) & (self.node_type[job] == node_type)
        same &= (self.gpus[job] == gpus) & (self.level[job] == level)
        return np.asarray(same)

    @property
    def least(self) -> Floats:
        """(J,) lower bounds of what it costs to run each job [$]."""
        return np.where(self.node < 0, self.charge, 0.0)


def _once(compute: Callable[[Instance], T]) -> Callable[[Instance], T]:
    """Compute a function of an instance, which cannot change, once for each object."""
    known: WeakKeyDictionary[Instance, T] = WeakKeyDictionary()

    @wraps(compute)
    def remembered(instance: Instance) -> T:
        value = known.get(instance)
        if value is None:
            value = known[instance] = compute(instance)
        return value

    return remembered


@_once
def cost_tables(instance: Instance) -> CostTables:
    """
    Return the cost tables of an instance, computed once.

    `hours` and `tardiness` [$] are (J, T, G + 1) arrays: job, GPU type, number of GPUs from 0;
    `shared_hours` and `shared_tardiness` [$] are (J, T, L), by share level; inf where a mode is not
    admissible. `longest` [h] and `postponement` [$] are (J,).
    """
    dedicated = instance.hours_per_epoch
    shared = instance.shared_hours_per_epoch
    slack = instance.jobs.due - instance.now
    hours, tardiness = _hours_and_tardiness(instance, dedicated, slack)
    shared_hours, shared_tardiness = _hours_and_tardiness(instance, shared, slack)
    longest, late = _hours_and_tardiness(instance, slowest_rates(instance), slack - instance.H)
    result = CostTables(
        hours, shared_hours, tardiness, shared_tardiness, longest, instance.rho * late
    )
    for array in vars(result).values():
        array.setflags(write=False)
    return result


def slowest_rates(instance: Instance) -> Floats:
    """Return (J,) hours per epoch that M_j counts: of the slowest mode, here or in the whole."""
    of_modes = map(_largest_finite, (instance.hours_per_epoch, instance.shared_hours_per_epoch))
    slowest: Floats = np.maximum.reduce([*of_modes, instance.jobs.slowest_hours_per_epoch])
    return slowest


def _largest_finite(rates: Floats) -> Floats:
    largest: Floats = np.where(np.isfinite(rates), rates, 0.0).max(axis=(1, 2), initial=0.0)
    return largest


def _hours_and_tardiness(instance: Instance, rate: Floats, slack: Floats) -> tuple[Floats, Floats]:
    """Return hours to completion at `rate` hours per epoch, and eta_j times (expected) excess."""
    shape = (-1,) + (1,) * (rate.ndim - 1)
    eta = instance.jobs.weight.reshape(shape)
    usable = np.isfinite(rate)
    rate = np.where(usable, rate, 1.0)
    hours = rate * epochs_left(instance).reshape(shape)
    excess = np.maximum(0.0, hours - slack.reshape(shape))
    if instance.objective.expectation == "expected":
        for law, rows in _jobs_by_distribution(instance).items():
            done = instance.jobs.epochs_done[rows]
            excess[rows] = instance.laws[law].mean_excess(done, rate[rows], slack[rows])
    return np.where(usable, hours, np.inf), np.where(usable, eta * excess, np.inf)


@_once
def change_costs(instance: Instance) -> ChangeCosts:
    """Return what it costs to start and to move jobs; without `current` no job ran."""
    objective, current, jobs = instance.objective, instance.current, len(instance.jobs)
    if current is None:
        current = Solution.empty(jobs, instance.cluster.nodes)
    node, ran = current.job_node, current.job_node >= 0
    return ChangeCosts(
        charge=np.where(ran, float(objective.migration), float(objective.start)),
        node=np.array(node),
        node_type=np.where(ran, current.node_type[node], -1),
        gpus=np.array(current.job_gpus),
        level=np.array(current.job_level),
    )


@_once
def epochs_left(instance: Instance) -> Floats:
    """Return (J,) epochs that t_jq counts: worst case, mean or expectation of what remains."""
    jobs, kind = instance.jobs, instance.objective.expectation
    epochs = jobs.remaining.copy()
    for law, rows in _jobs_by_distribution(instance).items() if kind != "worst_case" else ():
        done = jobs.epochs_done[rows]
        if kind == "expected":
            epochs[rows] = instance.laws[law].mean_remaining(done)
        else:
            mean = instance.laws[law].mean
            epochs[rows] = epochs_to_mean(np.asarray(mean), done, epochs[rows])
    epochs.setflags(write=False)
    return epochs


def epochs_to_mean(mean: Floats, done: Floats, left: Floats) -> Floats:
    """Return the epochs to the mean of the distributions, those left where jobs have reached it."""
    return np.where(mean - done > AT_MEAN + DIGITS * mean, mean - done, left)


def _jobs_by_distribution(instance: Instance) -> dict[str, Ints]:
    rows: dict[str, list[int]] = {}
    for j, law in enumerate(instance.jobs.law):
        if law != FIXED:
            rows.setdefault(law, []).append(j)
    return {law: np.array(members) for law, members in rows.items()}


@dataclass(frozen=True, eq=False)
class Execution:
    """Times, tardiness and GPUs of a feasible solution."""

    running: Ints  #: (R,) executed jobs
    node: Ints  #: (R,)
    hours: Floats  #: (R,) [h] until completion
    tardiness: Floats  #: (R,) [$] at completion
    used: Ints  #: (N,) GPUs in use


def execution(instance: Instance, solution: Solution) -> Execution:
    """Return times of the executed jobs and GPUs in use; the solution must be feasible."""
    table, cluster = cost_tables(instance), instance.cluster
    running = np.flatnonzero(solution.job_node >= 0)
    node = solution.job_node[running]
    gpu = cluster.gpu_of_type[solution.node_type[node]]
    gpus, level = solution.job_gpus[running], solution.job_level[running]
    hours = table.hours[running, gpu, gpus]
    tardiness = table.tardiness[running, gpu, gpus]
    shared = np.flatnonzero(level >= 0)
    if shared.size:
        modes = running[shared], gpu[shared], level[shared]
        hours[shared] = table.shared_hours[modes]
        tardiness[shared] = table.shared_tardiness[modes]
    return Execution(running, node, hours, tardiness, gpus_in_use(instance, solution))


def gpus_in_use(instance: Instance, solution: Solution) -> Ints:
    """Return (N,) GPUs in use, `shared_gpus` among them; the modes must be admissible."""
    running = np.flatnonzero(solution.job_node >= 0)
    node, gpus = solution.job_node[running], solution.job_gpus[running]
    used = np.bincount(node, weights=gpus, minlength=instance.cluster.nodes).astype(np.int64)
    if (solution.job_level >= 0).any():
        used += shared_gpus(instance, solution)
    return used


def shared_gpus(instance: Instance, solution: Solution) -> Ints:
    """Return (N,) GPUs that the shares on each node fill; a lower bound where they do not fit."""
    cluster = instance.cluster
    levels: dict[int, list[int]] = {}  # node -> share levels of its jobs
    for j in np.flatnonzero(solution.job_level >= 0).tolist():
        levels.setdefault(int(solution.job_node[j]), []).append(int(solution.job_level[j]))
    used = np.zeros(cluster.nodes, dtype=np.int64)
    for node, on_node in levels.items():
        v = solution.node_type[node]
        gpu = cluster.gpu_types[cluster.gpu_of_type[v]]
        units = [gpu.levels[level].units for level in on_node]
        used[node] = gpus_taken(units, gpu.units, int(cluster.gpus_of_type[v]))
    return used


def terms(instance: Instance, solution: Solution, executed: Execution | None = None) -> Terms:
    """Return the terms of the objective for a feasible solution."""
    if executed is None:
        executed = execution(instance, solution)
    objective, cluster = instance.objective, instance.cluster
    selected = solution.node_type >= 0
    capacity = cluster.gpus_of_type[solution.node_type[selected]]
    idle = float(capacity.sum() - executed.used[selected].sum())
    postponed = solution.job_node < 0
    return Terms(
        tardiness=_tardiness(instance, executed),
        postponement=float(cost_tables(instance).postponement[postponed].sum()),
        energy=_energy(instance, solution, executed),
        idle=objective.mu * idle,
        changes=_changes(instance, solution, executed) if objective.charges_changes else None,
    )


def _changes(instance: Instance, solution: Solution, executed: Execution) -> float:
    running, node_type = executed.running, solution.node_type[executed.node]
    gpus, level = solution.job_gpus[running], solution.job_level[running]
    charged = change_costs(instance).of(running, executed.node, node_type, gpus, level)
    return float(charged.sum())


def _tardiness(instance: Instance, executed: Execution) -> float:
    if instance.objective.tardiness_at == "completion":
        return float(executed.tardiness.sum())
    if not executed.running.size:
        return 0.0
    end = instance.now + executed.hours.min()
    late = np.maximum(0.0, end - instance.jobs.due[executed.running])
    return float(instance.jobs.weight[executed.running] @ late)


def _energy(instance: Instance, solution: Solution, executed: Execution) -> float:
    if not executed.running.size:
        return 0.0
    cluster, kind = instance.cluster, instance.objective.energy
    price = node_prices(instance, solution, executed)
    if kind == "proportional":
        gpus = solution.job_gpus[executed.running]
        size = cluster.gpus_of_type[solution.node_type[executed.node]]
        return float((gpus / size * price[executed.node]) @ executed.hours)
    if kind == "next_event":
        return float(executed.hours.min() * price.sum())
    return float(price @ first_endings(instance, executed))


def node_prices(instance: Instance, solution: Solution, executed: Execution) -> Floats:
    """Return (N,) $/h of each node for the GPUs in use on it; 0 where none is."""
    busy = np.flatnonzero(executed.used)
    price = np.zeros(instance.cluster.nodes)
    price[busy] = instance.cluster.cost_of_type[solution.node_type[busy], executed.used[busy]]
    return price


def first_endings(instance: Instance, executed: Execution) -> Floats:
    """Return (N,) min time to completion on each node [h]; 0 where no job runs."""
    first = np.full(instance.cluster.nodes, np.inf)
    np.minimum.at(first, executed.node, executed.hours)
    return np.where(np.isfinite(first), first, 0.0)


def wait_and_see_energy(
    instance: Instance, solution: Solution, executed: Execution
) -> float | None:
    """
    Return node prices times E[min_j t_j], where the objective has min_j E[t_j] [$].

    None unless energy is charged to the first ending in expectation, and where that takes more than
    MOST_STEPS of jobs on a node times the points of their distributions.
    """
    objective = instance.objective
    if objective.energy != "first_ending" or objective.expectation != "expected":
        return None
    price = node_prices(instance, solution, executed)
    total = 0.0
    for n in np.flatnonzero(executed.used).tolist():
        # support and probabilities of the hours of each job on node n
        rows = np.flatnonzero(executed.node == n)
        times = []
        for r in rows.tolist():
            j = int(executed.running[r])
            left, probability = remaining_distribution(instance, j)
            mean = float(left @ probability)
            times.append((left * (executed.hours[r] / mean), probability))
        if len(times) * sum(len(left) for left, _ in times) > MOST_STEPS:
            return None
        total += price[n] * expected_minimum(times)
    return total


def remaining_distribution(instance: Instance, j: int) -> tuple[Floats, Floats]:
    """Return support and probabilities of job j's remaining epochs given that it still runs."""
    jobs = instance.jobs
    if jobs.law[j] == FIXED:
        return np.array([jobs.remaining[j]]), np.ones(1)
    law = instance.laws[jobs.law[j]]
    open_ = (law.epochs > jobs.epochs_done[j]) & (law.weights > 0)
    weights = law.weights[open_]
    return law.epochs[open_] - jobs.epochs_done[j], weights / weights.sum()


def expected_minimum(distributions: list[tuple[Floats, Floats]]) -> float:
    """Return E[min] of independent discrete variables, given by supports and probabilities."""
    # E[min] = sum over points of P(min >= point) x distance to the point before
    points = np.unique(np.concatenate([support for support, _ in distributions]))
    survival = np.ones(len(points))
    for support, probability in distributions:
        passed = np.searchsorted(support, points[:-1], side="right")
        tail = np.append(np.cumsum(probability[::-1])[::-1], 0.0)
        survival[1:] *= tail[passed]
    return float(survival @ np.diff(points, prepend=0.0))
