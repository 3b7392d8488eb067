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

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.jahani.jahani_patterns_arrays import arrays
from rsjs.formulations.jahani.jahani_patterns_data import Array, Index, PatternModel
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


__all__ = ["PatternModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: PatternModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `PatternModel` are `columns(model)`."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="jahani_patterns")
    options = range(len(data.job))
    m.x = pyo.Var(options, bounds=(0, 1))
    m.L = pyo.Var(range(len(data.cut)), domain=pyo.NonNegativeIntegers)
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    m.implied_integer.set_value(m.x, True, expand=False)
    limit = data.selected_nodes[1]
    for column in m.L.values():
        column.setub(limit)
    gain = data.gain.tolist()
    idle = [data.idle_cost(v) for _, v, _ in data.cut]
    m.cost = pyo.Objective(
        expr=data.offset
        + pyo.quicksum(gain[i] * m.x[i] for i in options)
        + pyo.quicksum(cost * m.L[i] for i, cost in enumerate(idle) if cost)
    )
    of_job: dict[int, list[int]] = {}
    in_slot: dict[tuple[int, int], list[int]] = {slot: [] for slot in data.slots}
    for i, (j, v, g) in enumerate(
        zip(data.job.tolist(), data.node_type.tolist(), data.gpus.tolist(), strict=True)
    ):
        of_job.setdefault(j, []).append(i)
        in_slot[v, g].append(i)
    m.cover = pyo.Constraint(
        list(of_job), rule=lambda m, j: pyo.quicksum(m.x[i] for i in of_job[j]) <= 1
    )
    m.slots = pyo.Constraint(
        data.slots,
        rule=lambda m, v, g: (
            pyo.quicksum(m.x[i] for i in in_slot[v, g])
            - pyo.quicksum(
                parts.count(g) * m.L[i]
                for i, (_, u, parts) in enumerate(data.cut)
                if u == v and g in parts
            )
            <= 0
        ),
    )
    least, most = data.selected_nodes
    total = pyo.quicksum(m.L.values())
    m.nodes = pyo.Constraint(expr=total <= most if least < most else total == most)
    if data.several_classes:
        sizes = data.instance.cluster.class_sizes.tolist()
        m.classes = pyo.Constraint(
            range(len(sizes)),
            rule=lambda m, k: (
                pyo.quicksum(m.L[i] for i, (c, _, _) in enumerate(data.cut) if c == k) <= sizes[k]
            ),
        )
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `PatternModel`."""
    return [*model.x.values(), *model.L.values()]


def warm_start(data: PatternModel, solution: Solution) -> Array:
    """
    The column vector of a feasible decision.

    A job whose column was left out takes the smaller slot that dominates it, or is postponed
    where that costs no more: the vector never costs more than the decision.
    """
    option = {
        key: i
        for i, key in enumerate(
            zip(data.job.tolist(), data.node_type.tolist(), data.gpus.tolist(), strict=True)
        )
    }
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


def extract(data: PatternModel, x: Array) -> Solution:
    """The decision in a column vector with integral L; a fractional x is re-optimised for L."""
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


def _best_options(data: PatternModel, counts: Index) -> Index:
    """The cheapest options for fixed patterns: an assignment of jobs to slots."""
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
