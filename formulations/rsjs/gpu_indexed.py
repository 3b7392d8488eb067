"""
RS-JS GPU by GPU (form A): (P1) of Filippini et al. 2024 made linear, nothing else.

The corrected model (rsjs.md 2.2) with xi, phi and zeta folded into one x per configuration, so
that (2), (3), (7), (8), (10) and (15) hold by themselves, and alpha, pi and gamma into r: the
products of (9), (19) and (21) are of binaries. Every GPU has a name, and equal GPUs are
symmetric: a reference for small instances.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; n in N nodes of one type each, K_n GPUs of U units; g in G_n GPUs of n, n(g)
    q in Q_jn      configurations of j on n: k_q dedicated GPUs, or k_q = 0 and a share of u_q
    theta_q, T_q   time and tardiness cost; P_j postponement cost; c_nk price of k GPUs in use

Variables, 0 or 1
    x_nq           q runs on n
    z_nqg          on GPU g of n
    u_g            g is in use
    gamma_nk       k GPUs of n are in use
    r_nqk          q, which runs on n, is charged for it, k GPUs in use (continuous)

    min  sum_j P_j + sum_nq (T_q - P_j) x_nq + sum_nqk c_nk theta_q r_nqk          (P1.1), (19)-(21)
    (4)   sum_n,q in Q_jn x_nq <= 1                             for all j
    (5)   sum_q in Q_jn x_nq <= sum_k gamma_nk                  for all j, n
    (11)  sum_g in G_n z_nqg = max(k_q, 1) x_nq                 for all n, q
    (9)   sum_q: k_q > 0 U z_nqg + sum_q: k_q = 0 u_q z_nqg <= U u_g           for all g
    (13a) sum_q in Q_jn z_nqg <= u_g                            for all j, g
    (13b) sum_g in G_n u_g <= sum_k k gamma_nk                  for all n
    (14)  sum_k gamma_nk <= 1                                   for all n
    (17)  sum_q r_nqk = gamma_nk                                for all n, k
    (18)  sum_k r_nqk <= x_nq                                   for all n, q
    (16)  sum_nk gamma_nk = required                            open_nodes rsjs_eq, _feasible

r may be continuous: for integer x and gamma it is the vertex of a simplex with upper bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.modes.modes import Array
from rsjs.formulations.rsjs.rsjs_gpu_arrays import arrays
from rsjs.formulations.rsjs.rsjs_gpu_data import GpuModel
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


__all__ = ["GpuModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: GpuModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `GpuModel` are `columns(model)`."""
    import pyomo.core as pyo

    nodes, node, job = data.nodes, data.node.tolist(), data.job.tolist()
    options = range(len(node))
    m = pyo.ConcreteModel(name="rsjs_gpu")
    m.x = pyo.Var(options, domain=pyo.Binary)
    m.z = pyo.Var(data.uses, domain=pyo.Binary)
    m.u = pyo.Var(range(len(nodes.gpu_node)), domain=pyo.Binary)
    m.gamma = pyo.Var(nodes.states, domain=pyo.Binary)
    m.r = pyo.Var(data.leads, bounds=(0, 1))
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    m.implied_integer.set_value(m.r, True, expand=False)
    priced = zip(data.cost.tolist(), columns(m), strict=True)
    m.cost = pyo.Objective(
        expr=data.offset + pyo.quicksum(cost * variable for cost, variable in priced if cost)
    )
    taken, width = data.taken.tolist(), data.width.tolist()
    units, every = nodes.units[nodes.gpu_node].tolist(), range(len(nodes.size))
    of_job: dict[int, list[VarData]] = {}
    of_pair: dict[tuple[int, int], list[VarData]] = {}
    on_gpus: list[list[VarData]] = [[] for _ in options]
    on_gpu: list[list[VarData]] = [[] for _ in m.u]
    of_job_on_gpu: dict[tuple[int, int], list[VarData]] = {}
    for i in options:
        of_job.setdefault(job[i], []).append(m.x[i])
        of_pair.setdefault((job[i], node[i]), []).append(m.x[i])
    for i, g in data.uses:
        on_gpus[i].append(m.z[i, g])
        on_gpu[g].append(taken[i] * m.z[i, g])
        of_job_on_gpu.setdefault((job[i], g), []).append(m.z[i, g])
    leading: dict[tuple[int, int], list[VarData]] = {state: [] for state in nodes.states}
    led: list[list[VarData]] = [[] for _ in options]
    for i, k in data.leads:
        leading[node[i], k].append(m.r[i, k])
        led[i].append(m.r[i, k])
    open_ = {n: pyo.quicksum(m.gamma[s] for s in nodes.states if s[0] == n) for n in every}
    total = {n: pyo.quicksum(s[1] * m.gamma[s] for s in nodes.states if s[0] == n) for n in every}
    used = {n: pyo.quicksum(m.u[g] for g in nodes.gpus_of(n)) for n in every}
    m.c4 = pyo.Constraint(list(of_job), rule=lambda m, j: pyo.quicksum(of_job[j]) <= 1)
    m.c5 = pyo.Constraint(
        list(of_pair), rule=lambda m, j, n: pyo.quicksum(of_pair[j, n]) - open_[n] <= 0
    )
    m.c11 = pyo.Constraint(
        options, rule=lambda m, i: pyo.quicksum(on_gpus[i]) - width[i] * m.x[i] == 0
    )
    m.c9 = pyo.Constraint(
        m.u.index_set(), rule=lambda m, g: pyo.quicksum(on_gpu[g]) - units[g] * m.u[g] <= 0
    )
    m.c13a = pyo.Constraint(
        list(of_job_on_gpu),
        rule=lambda m, j, g: pyo.quicksum(of_job_on_gpu[j, g]) - m.u[g] <= 0,
    )
    m.c13b = pyo.Constraint(every, rule=lambda m, n: used[n] - total[n] <= 0)
    m.c14 = pyo.Constraint(every, rule=lambda m, n: open_[n] <= 1)
    m.c17 = pyo.Constraint(
        nodes.states, rule=lambda m, n, k: pyo.quicksum(leading[n, k]) - m.gamma[n, k] == 0
    )
    m.c18 = pyo.Constraint(options, rule=lambda m, i: pyo.quicksum(led[i]) - m.x[i] <= 0)
    if data.required is not None:
        m.c16 = pyo.Constraint(expr=pyo.quicksum(m.gamma.values()) == data.required)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `GpuModel`."""
    parts = (model.x, model.z, model.u, model.gamma, model.r)
    return [variable for part in parts for variable in part.values()]


def warm_start(data: GpuModel, solution: Solution) -> Array:
    """The column vector of a feasible decision: its GPUs numbered, the first to end charged."""
    q, x, at = data.nodes.configurations, np.zeros(len(data.cost)), data.positions
    for n, members in q.chosen(data.instance, solution).items():
        used: set[int] = set()
        for config, gpus in data.nodes.taken(n, members):
            option = data.option_of[n, config]
            x[[at["x", option], *(at["z", (option, g)] for g in gpus)]] = 1.0
            used.update(gpus)
        x[[at["u", g] for g in used]] = 1.0
        x[at["gamma", (n, len(used))]] = 1.0
        x[at["r", (data.option_of[n, q.first_to_end(members)], len(used))]] = 1.0
    return x


def extract(data: GpuModel, x: Array) -> Solution:
    """The decision in a column vector with integral x; nodes as `open_nodes` asks."""
    chosen = np.flatnonzero(x[: len(data.node)] > 0.5)
    node = data.node[chosen]
    decision = data.nodes.configurations.decision(
        data.instance, data.config[chosen], node, data.nodes.node_type[node]
    )
    return complete(data.instance, decision)
