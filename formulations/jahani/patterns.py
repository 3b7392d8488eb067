"""
Jahani's problem as an exact pattern model: a few dozen integers, whatever the number of nodes.

Sets and data (Jahani 2019, Table I; times relative to now)
    j in J jobs, v in V node types, g = 1..s_v GPUs, k node classes (nodes with the same
    allowed types), N_k nodes of class k, p in Pi_v the partitions of s_v, a_pg how often part
    g occurs in p
    C_jvg = tardiness cost + (g / s_v) c_v t_jvg - mu g      executing j on g GPUs of type v
    P_j   = postponement cost

Variables
    x_jvg in [0, 1]       job j takes a slot of g GPUs on a node of type v
    L_kvp in {0, 1, ...}  nodes of class k configured as v and cut by pattern p

    min  sum_j P_j + sum_jvg (C_jvg - P_j) x_jvg + sum_kvp mu s_v L_kvp
    (cover)   sum_vg x_jvg <= 1                          for all j
    (slots)   sum_j x_jvg <= sum_kp a_pg L_kvp           for all v, g
    (nodes)   sum_kvp L_kvp = min(J, N), or <= N         open_nodes jahani_eq, free
    (class)   sum_vp L_kvp <= N_k                        for all k, when there are several

Exact: a node whose jobs use q <= s_v GPUs is padded with parts of one GPU to a pattern, and for
fixed integer L the x-system is a transportation problem, so x may stay continuous. Columns that
cannot be in an optimum are left out: C_jvg >= P_j, and C_jvg >= C_jvg' for a smaller g' < g.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp import solve
from rsjs.formulations.modes.modes import partitions
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData

    from rsjs.core.method import Call, Report, SolveResult


INDEX_LETTERS = {"x": "jvg", "L": "kvp", "cover": "j", "slots": "vg", "classes": "k"}


@dataclass(frozen=True, eq=False)
class PatternModel:
    """
    The model's data; column order is the options (x), then the patterns (L).

    Attributes
    ----------
    job, node_type, gpus : (n,) int, the options (j, v, g) kept
    gain : (n,) float, C_jvg - P_j < 0
    cost : (J, V, G + 1) float, C_jvg; inf where not admissible
    cut : list of (class, node type, parts), the patterns
    """

    instance: Instance
    job: Ints
    node_type: Ints
    gpus: Ints
    gain: Floats
    cost: Floats
    cut: list[tuple[int, int, tuple[int, ...]]]

    @staticmethod
    def of(instance: Instance) -> PatternModel:
        """Return options and patterns of an instance."""
        cost = execution_costs(instance)
        gain = cost - cost_tables(instance).postponement[:, None, None]
        best_smaller = np.minimum.accumulate(cost, axis=2)[:, :, :-1]
        useful = gain < 0
        useful[:, :, 1:] &= cost[:, :, 1:] < best_smaller
        job, node_type, gpus = np.nonzero(useful)
        cluster = instance.cluster
        cut = [
            (k, int(v), parts)
            for k, allowed in enumerate(cluster.allowed_in_class)
            for v in np.flatnonzero(allowed)
            for parts in partitions(int(cluster.gpus_of_type[v]))
        ]
        return PatternModel(instance, job, node_type, gpus, gain[useful], cost, cut)

    @property
    def offset(self) -> float:
        """Cost of postponing every job, sum_j P_j [$]."""
        return float(cost_tables(self.instance).postponement.sum())

    @property
    def selected_nodes(self) -> tuple[float, float]:
        """Min and max number of selected nodes."""
        nodes = self.instance.cluster.nodes
        if self.instance.objective.open_nodes == "free":
            return -np.inf, float(nodes)
        required = float(min(len(self.instance.jobs), nodes))
        return required, required

    @cached_property
    def slots(self) -> list[tuple[int, int]]:
        """(v, g) pairs that some option uses, in order."""
        return sorted(set(zip(self.node_type.tolist(), self.gpus.tolist(), strict=True)))

    @cached_property
    def options(self) -> list[tuple[int, int, int]]:
        """(j, v, g) of the options."""
        columns = (self.job.tolist(), self.node_type.tolist(), self.gpus.tolist())
        return list(zip(*columns, strict=True))

    def idle_cost(self, v: int) -> float:
        """Return mu s_v, the cost of the idle GPUs of a node [$]."""
        return self.instance.objective.mu * float(self.instance.cluster.gpus_of_type[v])


def execution_costs(instance: Instance) -> Floats:
    """Return (J, V, G + 1) C_jvg [$]; inf where not admissible or no node takes v."""
    table, cluster = cost_tables(instance), instance.cluster
    gpu, size = cluster.gpu_of_type, cluster.gpus_of_type
    hours, tardiness = table.hours[:, gpu, :], table.tardiness[:, gpu, :]
    g = np.arange(hours.shape[2])
    offered = np.asarray(cluster.allowed_in_class.any(axis=0))
    usable = np.isfinite(hours) & (g <= size[:, None]) & offered[:, None]
    # tardiness + energy - saved idle cost of g GPUs
    price = cluster.cost_of_type[:, 1] / size
    cost = tardiness + (g * price[:, None]) * np.where(usable, hours, 0.0)
    return np.where(usable, cost - instance.objective.mu * g, np.inf)


def data_of(instance: Instance, _options: solve.Options) -> PatternModel:
    """Return the model's data."""
    return PatternModel.of(instance)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the model."""
    return solve.solve(__name__, instance, call, report)


def build(data: PatternModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, then L, as in `PatternModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import index_set, linear_sum

    m = pyo.ConcreteModel(name="jahani_patterns")
    m.x = pyo.Var(data.options, bounds=(0, 1))
    least, most = data.selected_nodes
    cuts = index_set((k, v, *parts) for k, v, parts in data.cut)
    m.L = pyo.Var(cuts, domain=pyo.NonNegativeIntegers, bounds=(0, most))
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    m.implied_integer.set_value(m.x, True, expand=False)
    x, L = list(m.x.values()), list(m.L.values())
    idle = [data.idle_cost(v) for _, v, _ in data.cut]
    costs = [*zip(data.gain.tolist(), x, strict=True), *zip(idle, L, strict=True)]
    m.cost = pyo.Objective(expr=linear_sum(costs, data.offset))
    # the terms of the rows: of a job, of a slot on a node type, of a node class
    cover: dict[int, list[tuple[int, VarData]]] = {}
    slots: dict[tuple[int, int], list[tuple[int, VarData]]] = {slot: [] for slot in data.slots}
    classes: list[list[tuple[int, VarData]]] = [[] for _ in data.instance.cluster.class_sizes]
    for (j, v, g), variable in zip(data.options, x, strict=True):
        cover.setdefault(j, []).append((1, variable))
        slots[v, g].append((1, variable))
    for (k, v, parts), variable in zip(data.cut, L, strict=True):
        classes[k].append((1, variable))
        for g, count in Counter(parts).items():
            if (v, g) in slots:
                slots[v, g].append((-count, variable))
    m.cover = pyo.Constraint(list(cover), rule=lambda m, j: linear_sum(cover[j]) <= 1)
    m.slots = pyo.Constraint(data.slots, rule=lambda m, *slot: linear_sum(slots[slot]) <= 0)
    total = linear_sum((1, variable) for variable in L)
    m.nodes = pyo.Constraint(expr=total <= most if least < most else total == most)
    if len(classes) > 1:
        sizes = data.instance.cluster.class_sizes.tolist()
        m.classes = pyo.Constraint(
            range(len(sizes)), rule=lambda m, k: linear_sum(classes[k]) <= sizes[k]
        )
    return m


def warm_start(data: PatternModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution.

    A job whose column was left out takes the smaller slot that dominates it, or is postponed
    where that costs no more: the vector never costs more than the decision.
    """
    option = {key: i for i, key in enumerate(data.options)}
    cut = {key: i for i, key in enumerate(data.cut)}
    x = np.zeros(len(data.job) + len(data.cut))
    cluster = data.instance.cluster
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, parts = int(solution.node_type[n]), []
        for j in np.flatnonzero(solution.job_node == n).tolist():
            g = int(np.argmin(data.cost[j, v, : solution.job_gpus[j] + 1]))
            if (j, v, g) in option:
                x[option[j, v, g]] = 1.0
                parts.append(g)
        parts += [1] * (int(cluster.gpus_of_type[v]) - sum(parts))
        key = (int(cluster.class_of_node[n]), v, tuple(sorted(parts, reverse=True)))
        x[len(data.job) + cut[key]] += 1.0
    return x


def extract(data: PatternModel, x: Floats) -> Solution:
    """Return the solution in a column vector with integral L; fractional x are optimised again."""
    counts = np.rint(x[len(data.job) :]).astype(np.int64)
    taken = x[: len(data.job)]
    chosen = np.flatnonzero(taken > 0.5)
    if np.abs(taken - np.rint(taken)).max(initial=0.0) > 1e-6:
        chosen = _best_options(data, counts)
    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    node_type = np.full(cluster.nodes, -1)
    free = [np.flatnonzero(cluster.class_of_node == k).tolist()[::-1] for k in _classes(data)]
    slots: dict[tuple[int, int], list[int]] = {}
    for (k, v, parts), count in zip(data.cut, counts.tolist(), strict=True):
        for _ in range(count):
            n = free[k].pop()
            node_type[n] = v
            for g in parts:
                slots.setdefault((v, g), []).append(n)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    for i in chosen.tolist():
        j, v, g = int(data.job[i]), int(data.node_type[i]), int(data.gpus[i])
        job_node[j], job_gpus[j] = slots[v, g].pop(0), g
    if data.instance.objective.open_nodes == "free":
        empty = np.bincount(job_node[job_node >= 0], minlength=cluster.nodes) == 0
        node_type[empty] = -1
    return Solution.of(job_node, job_gpus, node_type)


def _classes(data: PatternModel) -> range:
    return range(len(data.instance.cluster.class_sizes))


def _best_options(data: PatternModel, counts: Ints) -> Ints:
    """Return the cheapest options for fixed patterns: an assignment of jobs to slots."""
    from scipy.optimize import linear_sum_assignment

    slots = [
        (v, g)
        for (_, v, parts), count in zip(data.cut, counts.tolist(), strict=True)
        for g in parts * count
    ]
    gain = np.zeros((len(data.instance.jobs), len(slots)))
    option = np.full(gain.shape, -1)
    for v, g in set(slots):
        at = np.flatnonzero([slot == (v, g) for slot in slots])
        for i in np.flatnonzero((data.node_type == v) & (data.gpus == g)).tolist():
            gain[data.job[i], at], option[data.job[i], at] = data.gain[i], i
    rows, cols = linear_sum_assignment(gain)
    chosen = option[rows, cols]
    return np.sort(chosen[chosen >= 0])
