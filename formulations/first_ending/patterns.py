"""
Nodes charged until their first job ends, as an exact pattern model with leaders.

One job per node, its leader, pays for the node: whoever leads, the charge c t is at least that of
the first job to end, and a minimum charges exactly that. This is reading (i) of Kiros 2020,
3.1.1, and ANDREAS 2021, (1): cost of the whole node, for the GPUs in use, until the leader ends.

Sets and data (times relative to now)
    j in J jobs, v in V node types, g GPUs, k node classes (nodes with the same allowed types),
    N_k nodes of class k
    q in Q_v       limits: the numbers of GPUs beyond which c_v rises, and s_v (flat: s_v alone)
    p in Pi_q      partitions of q, a_pg how often part g occurs in p; h a part of p
    T_jvg, t_jvg   tardiness cost and time of j on g GPUs of type v; P_j postponement cost
    c_vq           $/h of a node of type v with q GPUs in use

Variables
    l_jvqg in [0, 1]        j leads a node of type v charged for q GPUs, on g of them
    f_jvg in [0, 1]         j follows on g GPUs of a node of type v
    L_kvqph in {0, 1, ...}  nodes of class k, type v, charged for q GPUs, cut by p, led from part h
    L_kv0 in {0, 1, ...}    nodes selected without a job, v the smallest type (only jahani_eq)

    min  sum_j P_j + sum_jvqg (T_jvg + c_vq t_jvg - mu g - P_j) l_jvqg
         + sum_jvg (T_jvg - mu g - P_j) f_jvg + sum mu s_v L
    (cover)   sum_vqg l_jvqg + sum_vg f_jvg <= 1                   for all j
    (slots)   sum_j l_jvqg = sum_kp L_kvqpg                        for all v, q, g
              sum_j f_jvg <= sum_kqph (a_pg - [g = h]) L_kvqph     for all v, g
    (nodes)   sum L = min(J, N), the matching number, or <= N      open_nodes *_eq, _feasible, free
    (class)   sum_vqph L_kvqph <= N_k                              for all k, when several

Exact: a node whose jobs use u GPUs is padded with parts of one GPU to the least limit q >= u,
where c_vq = c_vu; the slots of a cut hold jobs of at most q GPUs. For fixed integer L, l and f
solve a transportation problem, so they may stay continuous. Left out, because some optimum does
without: followers with a gain >= 0 (they may as well wait: an empty slot costs nothing more),
and options, followers or leaders, no better than one on fewer GPUs g' < g of the same v and q
(the slot splits into g' and ones). A leader with a gain >= 0 stays: it may carry followers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsjs.formulations.first_ending.costs import selected_nodes
from rsjs.formulations.first_ending.first_ending_patterns_arrays import arrays
from rsjs.formulations.first_ending.first_ending_patterns_data import LeaderModel
from rsjs.formulations.first_ending.first_ending_patterns_decisions import extract, warm_start

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


__all__ = ["LeaderModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: LeaderModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `LeaderModel` are `columns(model)`."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="first_ending_patterns")
    m.l = pyo.Var(range(data.leader_options), bounds=(0, 1))
    m.f = pyo.Var(range(data.leader_options, len(data.job)), bounds=(0, 1))
    m.L = pyo.Var(range(len(data.cuts)), domain=pyo.NonNegativeIntegers)
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    for options in (m.l, m.f):
        m.implied_integer.set_value(options, True, expand=False)
    least, most = selected_nodes(data.instance)
    for column in m.L.values():
        column.setub(most)
    x = [*m.l.values(), *m.f.values()]
    m.cost = pyo.Objective(
        expr=data.offset
        + pyo.quicksum(gain * x[i] for i, gain in enumerate(data.gain.tolist()))
        + pyo.quicksum(cost * m.L[c] for c, cost in enumerate(data.idle_cost.tolist()) if cost)
    )
    of_job: dict[int, list[VarData]] = {}
    in_slot: list[list[VarData]] = [[] for _ in data.slots]
    for i, (j, s) in enumerate(zip(data.job.tolist(), data.slot.tolist(), strict=True)):
        of_job.setdefault(j, []).append(x[i])
        in_slot[s].append(x[i])
    for s, c, count in data.supply:
        in_slot[s].append(-count * m.L[c])
    m.cover = pyo.Constraint(list(of_job), rule=lambda m, j: pyo.quicksum(of_job[j]) <= 1)
    m.slots = pyo.Constraint(
        range(len(data.slots)),
        rule=lambda m, s: (
            pyo.quicksum(in_slot[s]) == 0
            if s < data.leader_slots
            else pyo.quicksum(in_slot[s]) <= 0
        ),
    )
    total = pyo.quicksum(m.L.values())
    m.nodes = pyo.Constraint(expr=total <= most if least < most else total == most)
    sizes = data.instance.cluster.class_sizes.tolist()
    m.classes = pyo.Constraint(
        data.classes,
        rule=lambda m, k: (
            pyo.quicksum(m.L[c] for c, cut in enumerate(data.cuts) if cut.node_class == k)
            <= sizes[k]
        ),
    )
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `LeaderModel`."""
    return [*model.l.values(), *model.f.values(), *model.L.values()]
