"""
Jahani's problem as an exact pattern model by arc flow, of a size that does not depend on the nodes.

Sets and data (Jahani 2019, Table I; times relative to now)
    j in J jobs, v in V node types, g = 1..s_v GPUs, k node classes (nodes with the same
    allowed types), N_k nodes of class k, u = 0..s_v - 1 GPUs of a node that are already cut
    C_jvg = tardiness cost + start or migration + (g / s_v) c_v t_jvg - mu g      j on g GPUs of v
    P_j   = postponement cost

Variables
    x_jvg in [0, 1]       job j takes a slot of g GPUs on a node of type v
    L_kv in {0, 1, ...}   nodes of class k configured as v
    y_vug in {0, 1, ...}  nodes of type v that have a slot of g GPUs after the first u ones

    min  sum_j P_j + sum_jvg (C_jvg - P_j) x_jvg + sum_kv mu s_v L_kv
    (cover)   sum_vg x_jvg <= 1                              for all j
    (slots)   sum_j x_jvg <= sum_u y_vug                     for all v, g
    (source)  sum_g y_v0g <= sum_k L_kv                      for all v
    (flow)    sum_g y_vug <= sum_g y_v,u-g,g                 for all v, 0 < u < s_v
    (nodes)   sum_kv L_kv = min(J, N), or <= N               open_nodes jahani_eq, free
    (class)   sum_v L_kv <= N_k                              for all k, when there are several

Exact: the slots of a node, the largest first, are a path from 0 (see `arc_flow`), and for fixed
integer y the x-system is a transportation problem, so x may stay continuous. Columns that
cannot be in an optimum are left out: C_jvg >= P_j, and C_jvg >= C_jvg' for a smaller g' < g. Where
migrations cost, running jobs may stay: columns z, w and rows of `formulations.modes.stays`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes import arc_flow, stays
from rsjs.formulations.modes.arc_flow import Arc, ArcFlowData
from rsjs.formulations.modes.stays import NOBODY, Entry, Stays
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {
    "x": "jvg",
    "L": "kv",
    "y": "vug",
    "cover": "j",
    "slots": "vg",
    "source": "v",
    "flow": "vu",
    "classes": "k",
    "z": "j",
    "w": "nu",
    "stay": "n",
    "kept": "n",
    "kept_of_class": "kv",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternModel(ArcFlowData):
    """The model's data; its modes are (v, g)."""

    execution: Floats  # (J, V, G + 1) C_jvg; inf where not admissible

    @staticmethod
    def of(instance: Instance) -> PatternModel:
        """Return options and arcs of an instance."""
        unchanged = unchanged_costs(instance)
        cost = unchanged + change_costs(instance).charge[:, None, None]
        gain = cost - cost_tables(instance).postponement[:, None, None]
        best_smaller = np.minimum.accumulate(cost, axis=2)[:, :, :-1]
        useful = gain < 0
        useful[:, :, 1:] &= cost[:, :, 1:] < best_smaller
        job, *kind = np.nonzero(useful)
        modes, mode = np.unique(np.column_stack(kind), axis=0, return_inverse=True)
        pairs = [(v, g) for v, g in modes.tolist()]
        who = stays.stays(instance, unchanged)
        cuts = mode_arcs(instance.cluster.gpus_of_type, pairs, who)
        position = {mode: q for q, mode in enumerate(pairs)}
        return PatternModel(
            instance=instance,
            job=job,
            mode=mode,
            gpus=kind[1],
            gain=gain[useful],
            modes=pairs,
            arcs=cuts,
            arc_mode=np.array([position[arc.node_type, arc.gpus] for arc in cuts], dtype=np.int64),
            execution=cost,
            stays=who,
        )


def mode_arcs(sizes: Ints, modes: Iterable[tuple[int, int]], who: Stays = NOBODY) -> list[Arc]:
    """Return the arcs of node types of these sizes for slots of modes (v, g), and who may stay."""
    gpus: dict[int, list[int]] = {}
    for v, g in modes:
        gpus.setdefault(v, []).append(g)
    return [
        arc
        for v, counts in gpus.items()
        for arc in arc_flow.arcs(v, int(sizes[v]), counts, begins=who.positions(v))
    ]


def execution_costs(instance: Instance) -> Floats:
    """Return (J, V, G + 1) C_jvg [$]; inf where not admissible or no node takes v."""
    return unchanged_costs(instance) + change_costs(instance).charge[:, None, None]


def unchanged_costs(instance: Instance) -> Floats:
    """Return (J, V, G + 1) C_jvg [$] of jobs that neither start nor move, exact where those do."""
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


data_of = PatternModel.of
extract = arc_flow.extract
run = partial(solve, __name__)


def build(data: PatternModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, L, y, and z, w, if jobs may stay."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import implied_integers

    m = pyo.ConcreteModel(name="jahani_patterns")
    m.x = pyo.Var(data.options, bounds=(0, 1))
    m.implied_integer = implied_integers(m.x)
    arc_flow.add_columns(m, data)
    arc_flow.add_rows(m, data, list(m.x.values()))
    return m


def warm_start(data: PatternModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution.

    A job whose column was left out takes the smaller slot that dominates it, or is postponed
    where that costs no more: the vector never costs more than the solution.
    """
    x, column_of, changes = np.zeros(len(data.cost)), data.column_of, change_costs(data.instance)
    arcs_end = len(data.cost) - len(data.stays.cost)
    may_stay = {j: arcs_end + z for z, j in enumerate(data.stays.job.tolist())}
    entry = {e: len(x) - len(data.stays.entries) + i for i, e in enumerate(data.stays.entries)}
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, slots, kept = int(solution.node_type[n]), [], 0
        mine = np.flatnonzero(solution.job_node == n)
        how = solution.job_gpus[mine], solution.job_level[mine]
        unchanged = changes.stays(mine, n, v, *how)
        for j, same in zip(mine.tolist(), unchanged.tolist(), strict=True):
            if same and j in may_stay:
                x[may_stay[j]] = 1.0
                kept += int(solution.job_gpus[j])
                continue
            g = int(np.argmin(data.execution[j, v, : solution.job_gpus[j] + 1]))
            if (j, v, g) in column_of:
                x[column_of[j, v, g]] = 1.0
                slots.append(g)
        x[column_of[int(data.instance.cluster.class_of_node[n]), v]] += 1.0
        if kept:
            x[entry[Entry(n, v, kept)]] = 1.0
        for arc in arc_flow.path(v, slots, kept):
            x[data.column_of_arc[arc]] += 1.0
    return x
