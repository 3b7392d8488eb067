"""
RS-JS by leaders (form C): an open node is named by its class, its type and its leader.

The problem of `rsjs_nodes`. Every open node has one leader, and a job leads at most one node, so
that the nodes of a class need no names. The columns are quadratic in the jobs while the bound is
no better: a cross-check for up to four nodes (rsjs.md 4).

Sets and data: those of `rsjs_nodes`, with classes a of N_a nodes that may take the types V_a

Variables, 0 or 1 but for y
    l_avqk         the job of q opens a node of class a as type v, running as q; it is charged
                   until it ends, at most k in K_v GPUs in use
    f_aviq         q runs on the node that job i leads, i not the job of q
    y_avim         GPUs of that node filled with shares by pattern m, 0..s_v

    min  sum_j P_j + sum (T_q - P_j) f_aviq + sum (T_q + c_vk theta_q - P_j) l_avqk
    (cover)   sum_av,q in Q_jv (sum_i f_aviq + sum_k l_avqk) <= 1         for all j
    (shares)  sum_q w_rq f_aviq + sum_q in Q_iv,k w_rq l_avqk <= sum_m b_rm y_avim
                                                                          for all a, v, i, r
    (gpus)    sum_q k_q f_aviq + sum_m y_avim <= sum_q in Q_iv,k (k - k_q) l_avqk
                                                                          for all a, v, i
    (follow)  f_aviq <= sum_p in Q_iv with theta_p <= theta_q,k l_avpk    for all a, v, i, q
    (class)   sum_vqk l_avqk <= N_a                                       for all a
    (count)   sum_avqk l_avqk = required           open_nodes rsjs_eq, rsjs_eq_feasible

(follow) also says that the leader is the first to end; a wrong leader would only cost more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.configurations import Array
from rsjs.formulations.rsjs_leaders_arrays import arrays
from rsjs.formulations.rsjs_leaders_data import LeaderModel
from rsjs.instances.completion import complete
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData

__all__ = ["LeaderModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: LeaderModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `LeaderModel` are `columns(model)`."""
    import pyomo.core as pyo

    from rsjs.formulations.crews_pyomo import start, weighted

    crews = data.crews
    m = start("rsjs_leaders", crews)
    followed = [[(1, follower)] for follower in m.f.values()]
    for i, leader in zip(*(part.tolist() for part in data.follows), strict=True):
        followed[i].append((-1, m.l[leader]))
    m.follow = pyo.Constraint(range(len(followed)), rule=lambda m, i: weighted(followed[i]) <= 0)
    sizes = data.instance.cluster.class_sizes.tolist()
    of_class: list[list[tuple[int, VarData]]] = [[] for _ in sizes]
    for leader, p in zip(m.l.values(), crews.leader_place.tolist(), strict=True):
        of_class[data.node_class[p]].append((1, leader))
    m.classes = pyo.Constraint(
        range(len(sizes)), rule=lambda m, k: weighted(of_class[k]) <= sizes[k]
    )
    if data.required is not None:
        m.count = pyo.Constraint(expr=pyo.quicksum(m.l.values()) == data.required)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `LeaderModel`."""
    return [variable for part in (model.f, model.l, model.y) for variable in part.values()]


def warm_start(data: LeaderModel, solution: Solution) -> Array:
    """
    The column vector of a feasible decision: on each node the first job to end leads.

    Dominated configurations are replaced, so that the vector never costs more than the decision.
    """
    crews, x = data.crews, np.zeros(data.crews.columns)
    q = crews.configurations
    for n, members in q.chosen(data.instance, solution).items():
        leader = int(q.job[q.first_to_end(members)])
        k, v = int(data.instance.cluster.class_of_node[n]), int(solution.node_type[n])
        crews.put(x, data.place_of[k, v, leader], members)
    return x


def extract(data: LeaderModel, x: Array) -> Solution:
    """The decision in an integral column vector, the first nodes of a class first."""
    crews, cluster = data.crews, data.instance.cluster
    chosen = np.flatnonzero(x[: len(crews.member)] > 0.5)
    place = crews.place[chosen]
    node = np.full(len(crews.node_type), -1)
    for k in range(len(cluster.class_sizes)):
        opened = np.unique(place[data.node_class[place] == k])
        node[opened] = np.flatnonzero(cluster.class_of_node == k)[: len(opened)]
    decision = crews.configurations.decision(
        data.instance, crews.member[chosen], node[place], crews.node_type[place]
    )
    return complete(data.instance, decision)
