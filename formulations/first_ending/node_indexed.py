"""
Nodes charged until their first job ends, node by node: the reference on small instances.

One job per node, its leader (alpha_jn of ANDREAS 2021, (1); Filippini 2024, (21)), pays for the
whole node until it ends; a minimum leads with the first job to end. This is reading (i) of Kiros
2020, 3.1.1. Nodes are symmetric, so that the model is slow beyond a few of them.

Sets and data (times relative to now)
    j in J jobs, n in N nodes, v in V_n the node's allowed types, g = 1..s_v GPUs
    q in Q_v       limits: the numbers of GPUs beyond which c_v rises, and s_v (flat: s_v alone)
    T_jvg, t_jvg   tardiness cost and time of j on g GPUs of type v; P_j postponement cost
    c_vq           $/h of a node of type v with q GPUs in use

Variables, all 0 or 1
    u_nvq    node n is of type v and charged for q GPUs; q = 0: selected without a job, v the
             smallest type (only jahani_eq)
    x_jnvg   j runs on g GPUs of node n of type v
    a_jnvgq  j, so run, leads node n, charged for q GPUs

    min  sum_j P_j + sum mu s_v u_nvq + sum (T_jvg - mu g - P_j) x_jnvg + sum c_vq t_jvg a_jnvgq
    (cover)   sum_nvg x_jnvg <= 1                     for all j
    (one)     sum_vq u_nvq <= 1                       for all n
    (gpus)    sum_jg g x_jnvg <= sum_q q u_nvq        for all n, v
    (leader)  sum_jg a_jnvgq = u_nvq                  for all n, v, q > 0
    (runs)    sum_q a_jnvgq <= x_jnvg                 for all j, n, v, g
    (nodes)   sum_nvq u_nvq = min(J, N), the matching number, or <= N
                                                      open_nodes *_eq, _feasible, free
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.first_ending.costs import limits, selected_nodes
from rsjs.formulations.first_ending.first_ending_nodes_arrays import arrays
from rsjs.formulations.first_ending.first_ending_nodes_data import Array, NodeModel, Option, State
from rsjs.instances.costs import tables
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


__all__ = ["NodeModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: NodeModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `NodeModel` are `columns(model)`."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="first_ending_nodes")
    m.u = pyo.Var(range(len(data.states)), domain=pyo.Binary)
    m.x = pyo.Var(range(len(data.options)), domain=pyo.Binary)
    m.a = pyo.Var(range(len(data.leaders)), bounds=(0, 1))
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    m.implied_integer.set_value(m.a, True, expand=False)
    priced = zip(data.cost.tolist(), columns(m), strict=True)
    m.cost = pyo.Objective(
        expr=data.offset + pyo.quicksum(cost * variable for cost, variable in priced if cost)
    )
    of_job: dict[int, list[VarData]] = {}
    of_node: dict[int, list[VarData]] = {}
    gpus: dict[tuple[int, int], list[VarData]] = {pair: [] for pair in data.pairs}
    leads: dict[int, list[VarData]] = {}
    roles = [[-m.x[i]] for i in range(len(data.options))]
    for s, (n, v, q) in enumerate(data.states):
        of_node.setdefault(n, []).append(m.u[s])
        if q:
            gpus[n, v].append(-q * m.u[s])
            leads[s] = [-m.u[s]]
    for i, (j, n, v, g) in enumerate(data.options):
        of_job.setdefault(j, []).append(m.x[i])
        gpus[n, v].append(g * m.x[i])
    for i, (s, option) in enumerate(data.leaders):
        leads[s].append(m.a[i])
        roles[option].append(m.a[i])
    m.cover = pyo.Constraint(list(of_job), rule=lambda m, j: pyo.quicksum(of_job[j]) <= 1)
    m.one = pyo.Constraint(list(of_node), rule=lambda m, n: pyo.quicksum(of_node[n]) <= 1)
    m.gpus = pyo.Constraint(data.pairs, rule=lambda m, n, v: pyo.quicksum(gpus[n, v]) <= 0)
    m.leader = pyo.Constraint(list(leads), rule=lambda m, s: pyo.quicksum(leads[s]) == 0)
    m.runs = pyo.Constraint(range(len(roles)), rule=lambda m, i: pyo.quicksum(roles[i]) <= 0)
    least, most = selected_nodes(data.instance)
    total = pyo.quicksum(m.u.values())
    m.nodes = pyo.Constraint(expr=total <= most if least < most else total == most)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `NodeModel`."""
    return [*model.u.values(), *model.x.values(), *model.a.values()]


def warm_start(data: NodeModel, solution: Solution) -> Array:
    """
    The column vector of a feasible decision: on each node the first job to end leads.

    Nodes without a job are as small as they may be, and off where they need not be on: the
    vector never costs more than the decision.
    """
    cluster, hours = data.instance.cluster, tables(data.instance).hours
    state = {key: s for s, key in enumerate(data.states)}
    option = {key: len(state) + i for i, key in enumerate(data.options)}
    leader = {key: len(state) + len(option) + i for i, key in enumerate(data.leaders)}
    empty = {key.node: s for key, s in state.items() if not key.limit}
    x = np.zeros(len(data.cost))
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, jobs = int(solution.node_type[n]), np.flatnonzero(solution.job_node == n)
        if not jobs.size:
            if n in empty:
                x[empty[n]] = 1.0
            continue
        gpus = solution.job_gpus[jobs]
        q = next(q for q in limits(cluster.node_types[v]) if q >= gpus.sum())
        s = state[State(n, v, q)]
        run = [
            option[Option(j, n, v, g)] for j, g in zip(jobs.tolist(), gpus.tolist(), strict=True)
        ]
        first = run[int(hours[jobs, cluster.gpu_of_type[v], gpus].argmin())]
        x[[s, *run, leader[s, first - len(state)]]] = 1.0
    return x


def extract(data: NodeModel, x: Array) -> Solution:
    """The decision in a column vector with integral states and options."""
    jobs, cluster = len(data.instance.jobs), data.instance.cluster
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    node_type = np.full(cluster.nodes, -1)
    for s in np.flatnonzero(x[: len(data.states)] > 0.5).tolist():
        node_type[data.states[s].node] = data.states[s].node_type
    for i in np.flatnonzero(x[len(data.states) :][: len(data.options)] > 0.5).tolist():
        job_node[data.options[i].job] = data.options[i].node
        job_gpus[data.options[i].job] = data.options[i].gpus
    return Solution.of(job_node, job_gpus, node_type)
