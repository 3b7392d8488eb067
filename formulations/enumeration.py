"""
The oracle for tiny instances: every decision is looked at, by dynamic programming over subsets.

    f_v(S)    least cost of running exactly the jobs S on one node of type v
    F_n(S, m) least cost of running S on the first n nodes, m of them selected (or busy)
    answer    min over S and admissible m of F_N(S, m) + sum of P_j over the jobs not in S

f_v enumerates every assignment of modes to S that fits the node; a node that jobs ran on has an f
of its own, for these jobs may stay where they are at no cost. Where costs depend on
the cluster's first completion t* (next_event), t* is enumerated over all completion times:
modes faster than t* are forbidden, and one bit of S tells whether some job ends at t*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes
from rsjs.instances.solution import Solution


@dataclass(frozen=True)
class EnumeratedMode:
    """Mode of a job on a GPU type: dedicated GPUs, or a share level and its units."""

    gpus: int
    level: int
    units: int
    hours: float
    tardiness: float


Load = tuple[tuple[int, EnumeratedMode], ...]  # (job, mode) on one node


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve by enumeration; the cost is its own bound."""
    with report.phase("solve"):
        solution = best(instance)
    if solution is None:
        return SolveResult(stop=Stop.INFEASIBLE, message="no decision satisfies open_nodes")
    cost = costs.terms(instance, solution).total
    report.incumbent(solution, cost)
    report.bound(cost)
    return SolveResult(
        stop=Stop.OPTIMAL,
        solution=solution,
        objective=cost,
        bound=cost,
        bound_source="exact",
        bound_variant="instance",
    )


def best(instance: Instance) -> Solution | None:
    """Return an optimal solution; None if `open_nodes` cannot be satisfied."""
    objective = instance.objective
    if "next_event" not in (objective.energy, objective.tardiness_at):
        found = _Enumeration(instance, None).best()
    else:
        searches = (_Enumeration(instance, first).best() for first in _completion_times(instance))
        found = min((f for f in searches if f), key=lambda pair: pair[0], default=None)
    return None if found is None else found[1]


def _completion_times(instance: Instance) -> list[float]:
    """Return every time at which a job may complete; inf stands for running nothing."""
    table = costs.cost_tables(instance)
    times = np.concatenate([table.hours.ravel(), table.shared_hours.ravel(), [np.inf]])
    distinct: list[float] = np.unique(times).tolist()
    return distinct


class _Enumeration:
    """The dynamic program for one assumed first completion (None: none is assumed)."""

    def __init__(self, instance: Instance, first: float | None) -> None:
        self.instance, self.first = instance, first
        self.jobs = len(instance.jobs)
        self.all_jobs, self.ends_first = (1 << self.jobs) - 1, 1 << self.jobs
        self.cluster = instance.cluster

    def best(self) -> tuple[float, Solution] | None:
        """Return the lowest cost and a solution that has it."""
        required, counts_busy = self._required()
        postponement = costs.cost_tables(self.instance).postponement
        states: dict[tuple[int, int], tuple[float, tuple[tuple[int, Load], ...]]] = {
            (0, 0): (0.0, ())
        }
        for n in range(self.cluster.nodes):
            following: dict[tuple[int, int], tuple[float, tuple[tuple[int, Load], ...]]] = {}
            options = self.node_options[n]
            for (done, count), (cost, loads) in states.items():
                for subset, (extra, v, load) in options.items():
                    if subset & done & self.all_jobs:
                        continue
                    for on, price, node_type in self._selections(subset, extra, v, n):
                        selected = count + (on if not counts_busy else bool(subset))
                        key = (done | subset, selected)
                        if cost + price < following.get(key, (np.inf,))[0]:
                            following[key] = (cost + price, (*loads, (node_type, load)))
            states = following
        best: tuple[float, tuple[tuple[int, Load], ...]] | None = None
        for (done, count), (cost, loads) in states.items():
            if required is not None and count != required:
                continue
            if self.first is not None and done and not done & self.ends_first:
                continue
            left = [j for j in range(self.jobs) if not done >> j & 1]
            total = cost + float(postponement[left].sum())
            if total < np.inf and (best is None or total < best[0]):
                best = (total, loads)
        return None if best is None else (best[0], self._decision(best[1]))

    def _required(self) -> tuple[int | None, bool]:
        kind = self.instance.objective.open_nodes
        if kind == "free":
            return None, False
        return required_nodes(self.instance), kind != "jahani_eq"

    def _selections(
        self, subset: int, cost: float, v: int, n: int
    ) -> Iterator[tuple[int, float, int]]:
        """Return (selected, cost, type): a node with jobs is on, an empty one may be on or off."""
        if subset:
            yield 1, cost, v
            return
        yield 0, 0.0, -1
        if self.instance.objective.open_nodes == "jahani_eq":
            sizes = self.cluster.gpus_of_type
            allowed = np.flatnonzero(self.cluster.allowed[n])
            smallest = int(allowed[np.argmin(sizes[allowed])])
            yield 1, self.instance.objective.mu * float(sizes[smallest]), smallest

    @cached_property
    def node_options(self) -> list[dict[int, tuple[float, int, Load]]]:
        """By node: job subset -> least cost, node type and load."""
        homes = set(self.changes.node.tolist())  # -1 stands for every node that no job ran on
        loads = {
            (home, v): self._loads(v, home)
            for home in homes | {-1}
            for v in range(len(self.cluster.node_types))
        }
        tables: dict[tuple[int, int], dict[int, tuple[float, int, Load]]] = {}
        options = []
        for n, k in enumerate(self.cluster.class_of_node.tolist()):
            home = n if n in homes else -1
            if (home, k) not in tables:
                table: dict[int, tuple[float, int, Load]] = {0: (0.0, -1, ())}
                for v in np.flatnonzero(self.cluster.allowed_in_class[k]).tolist():
                    for subset, (cost, load) in loads[home, v].items():
                        if subset and cost < table.get(subset, (np.inf,))[0]:
                            table[subset] = (cost, v, load)
                tables[home, k] = table
            options.append(tables[home, k])
        return options

    @cached_property
    def changes(self) -> costs.ChangeCosts:
        """What it costs to start and to move jobs; where that is nothing, no job ran anywhere."""
        if self.instance.objective.migration == 0:
            return replace(costs.change_costs(self.instance), node=np.full(self.jobs, -1))
        return costs.change_costs(self.instance)

    def _loads(self, v: int, home: int) -> dict[int, tuple[float, Load]]:
        """Return f_v, on the node `home` that jobs ran on: job subset -> lowest cost and load."""
        best: dict[int, tuple[float, Load]] = {}

        def extend(j: int, subset: int, load: Load) -> None:
            if j == self.jobs:
                cost = self._cost(v, load, home)
                if any(c.hours == self.first for _, c in load):
                    subset |= self.ends_first
                if cost < best.get(subset, (np.inf, ()))[0]:
                    best[subset] = (cost, load)
                return
            extend(j + 1, subset, load)
            for mode in self.modes[int(self.cluster.gpu_of_type[v])][j]:
                longer = (*load, (j, mode))
                if self._used(v, longer) <= self.cluster.node_types[v].gpus:
                    extend(j + 1, subset | 1 << j, longer)

        extend(0, 0, ())
        return best

    def _used(self, v: int, load: Load) -> int:
        units = self.cluster.gpu_types[int(self.cluster.gpu_of_type[v])].units
        shares = [c.units for _, c in load if c.level >= 0]
        return sum(c.gpus for _, c in load) + gpus_for_shares(shares, units)

    def _cost(self, v: int, load: Load, home: int) -> float:
        if not load:
            return 0.0
        objective, node_type = self.instance.objective, self.cluster.node_types[v]
        used = self._used(v, load)
        price = node_type.cost[used]
        total = objective.mu * (node_type.gpus - used)
        for j, c in load:
            if objective.tardiness_at == "completion":
                total += c.tardiness
            else:
                slack = float(self.instance.jobs.due[j]) - self.instance.now
                total += float(self.instance.jobs.weight[j]) * max(0.0, self._first() - slack)
            if objective.energy == "proportional":
                total += c.gpus / node_type.gpus * price * c.hours
            total += self._change(j, c, v, home)
        if objective.energy == "first_ending":
            total += price * min(c.hours for _, c in load)
        elif objective.energy == "next_event":
            total += price * self._first()
        return total

    def _change(self, j: int, mode: EnumeratedMode, v: int, home: int) -> float:
        before = self.changes
        now = (home, v, mode.gpus, mode.level)
        then = (before.node[j], before.node_type[j], before.gpus[j], before.level[j])
        return 0.0 if home >= 0 and now == then else float(before.charge[j])

    def _first(self) -> float:
        assert self.first is not None, "next_event terms are priced for an assumed t*"
        return self.first

    @cached_property
    def modes(self) -> list[list[list[EnumeratedMode]]]:
        """By GPU type and job: the admissible modes no faster than t*."""
        table = costs.cost_tables(self.instance)
        least = -np.inf if self.first is None else self.first
        result: list[list[list[EnumeratedMode]]] = []
        for i, gpu in enumerate(self.cluster.gpu_types):
            result.append([])
            for j in range(self.jobs):
                found = [
                    EnumeratedMode(k, -1, 0, float(t), float(c))
                    for k, (t, c) in enumerate(
                        zip(table.hours[j, i], table.tardiness[j, i], strict=True)
                    )
                    if np.isfinite(t) and t >= least
                ]
                found += [
                    EnumeratedMode(0, level, share.units, float(t), float(c))
                    for level, share in enumerate(gpu.levels)
                    for t, c in [
                        (table.shared_hours[j, i, level], table.shared_tardiness[j, i, level])
                    ]
                    if np.isfinite(t) and t >= least
                ]
                result[-1].append(found)
        return result

    def _decision(self, loads: tuple[tuple[int, Load], ...]) -> Solution:
        job_node, job_gpus = np.full(self.jobs, -1), np.zeros(self.jobs, dtype=np.int64)
        job_level = np.full(self.jobs, -1)
        node_type = np.full(self.cluster.nodes, -1)
        for n, (v, load) in enumerate(loads):
            node_type[n] = v
            for j, c in load:
                job_node[j], job_gpus[j], job_level[j] = n, c.gpus, c.level
        return Solution.of(job_node, job_gpus, node_type, job_level)
