"""
RS-JS by node classes (form E): which job leads, which follow, but not whom.

Nodes that may take the same types are alike. Forget on which of them a job runs: a follower costs
the same wherever it follows, and a leader pays for its node whoever follows (rsjs.md 3, form E;
Filippini et al. 2024, (P1) as corrected in rsjs.md 2.2). What remains are J rows that run each
job once and a few rows per class that tell whether followers fit beside leaders.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; k node classes with N_k nodes; p = (k, v) places, v a type that k may take
    q shapes       k_q dedicated GPUs, or k_q = 0 and a share of u_q units; of U units a GPU has
    theta_jq, T_jq time and tardiness cost; P_j postponement cost; c_vg price of g GPUs in use
    K_v            the g beyond which c_v rises, and s_v

Variables
    F_pjq in {0, 1}    j follows at p in shape q, k_q < s_v
    R_pjqg in {0, 1}   j leads at p in shape q: charged for at most g in K_v GPUs until it ends

    min  sum_j P_j + sum (T_jq - P_j) F_pjq + sum (T_jq + c_vg theta_jq - P_j) R_pjqg
    (cover)   sum_pq F_pjq + sum_pqg R_pjqg <= 1                            for all j
    (class)   sum_v,j,q,g R_(k,v)jqg <= N_k                                 for all k
    (count)   sum R = required             open_nodes rsjs_eq, rsjs_eq_feasible; where that is
              every node, (class) are equalities instead
    (room)    what followers take at p <= what leaders leave, in one of two ways for all p;
              a leader leaves r = g - max(k_q, 1) GPUs and, if shared, U - u_q units of its own

packing = "rows", superadditive rows (form E of the notes, a relaxation)
    sum floor(k_q / m) F <= sum floor(r / m) R                              for m = 1 .. s_v - 1
    sum w_s(q) F <= sum (r W_s(U) + W_s(U - u_q)) R                         for s = 1, share sizes
    w_s(q) = floor(u_q / s), or k_q W_s(U); W_s(u): most that shares on u units weigh; no second
    term for a dedicated leader. A node meets each row, so their sum does, with any share levels.
packing = "splits", exact for dedicated GPUs and for the shares of STS Table IV
    y_pab in {0, 1, ...}  blocks of b GPUs cut into a and b - a;  o_p GPUs opened for shares
    sum F [k_q = b] + cuts of b + o_p [b = 1] <= sum R [r = b] + pieces b   for b = 1 .. s_v - 1
    sum w_s(u_q) F [k_q = 0] <= W_s(U) o_p + sum W_s(U - u_q) R             for s = 1, share sizes

Relaxation: a schedule gives a vector of the same cost, its leaders the first to end. If followers
pack into the room left, the vector gives a schedule that costs no more: a proved optimum. Else
jobs that do not fit are put where they cost least. Left out: dominated shapes, T_jq >= P_j in F.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.rsjs.aggregated.class_packing import pack
from rsjs.formulations.rsjs.aggregated.class_vectors import vector
from rsjs.formulations.rsjs.aggregated.columns import Array
from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads
from rsjs.formulations.rsjs.aggregated.reinsertion import insert_postponed
from rsjs.formulations.rsjs.aggregated.rsjs_classes_arrays import arrays
from rsjs.formulations.rsjs.aggregated.rsjs_classes_data import ClassModel
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


__all__ = ["ClassModel", "arrays", "build", "columns", "extract", "warm_start"]


def build(data: ClassModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `ClassModel` are `columns(model)`."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="rsjs_classes")
    m.x = pyo.Var(range(len(data.role)), domain=pyo.Binary)
    m.s = pyo.Var(range(len(data.most_splits)), domain=pyo.NonNegativeIntegers)
    for column, most in zip(m.s.values(), data.most_splits.tolist(), strict=True):
        column.setub(most)
    m.cost = pyo.Objective(
        expr=data.offset + pyo.quicksum(gain * m.x[i] for i, gain in enumerate(data.gain.tolist()))
    )
    of_job: dict[int, list[int]] = {}
    of_role: list[list[int]] = [[] for _ in data.roles.place]
    for i, (role, j) in enumerate(zip(data.role.tolist(), data.job.tolist(), strict=True)):
        of_job.setdefault(j, []).append(i)
        of_role[role].append(i)
    m.cover = pyo.Constraint(
        list(of_job), rule=lambda m, j: pyo.quicksum(m.x[i] for i in of_job[j]) <= 1
    )

    def row(m: ConcreteModel, r: int) -> object:
        jobs = (
            data.matrix[r, role] * m.x[i]
            for role in np.flatnonzero(data.matrix[r]).tolist()
            for i in of_role[role]
        )
        cuts = (data.split_matrix[r, s] * m.s[s] for s in np.flatnonzero(data.split_matrix[r]))
        total = pyo.quicksum([*jobs, *cuts])
        if isinstance(total, int | float):
            return pyo.Constraint.Skip
        exact = data.lower[r] == data.upper[r]
        return total == data.upper[r] if exact else total <= data.upper[r]

    m.rows = pyo.Constraint(range(len(data.upper)), rule=row)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `ClassModel`."""
    return [*model.x.values(), *model.s.values()]


def warm_start(data: ClassModel, solution: Solution) -> Array:
    """
    The column vector of a feasible decision.

    Dominated shapes are replaced and followers that cost no less than being postponed left out, so
    that the vector never costs more than the decision.
    """
    return vector(data, solution)


def extract(data: ClassModel, x: Array) -> Solution:
    """A feasible decision from a column vector: roles packed, the rest put where it fits."""
    chosen = np.flatnonzero(x[: len(data.role)] > 0.5)
    role = np.full(len(data.instance.jobs), -1)
    worth = np.zeros(len(role))
    role[data.job[chosen]], worth[data.job[chosen]] = data.role[chosen], -data.gain[chosen]
    decision = pack(data.instance, data.roles, role, worth)
    loads = NodeLoads(data.instance, data.roles, data.shapes).load(decision)
    insert_postponed(loads, open_nodes=data.required is None, stop=lambda: False)
    return loads.solution()
