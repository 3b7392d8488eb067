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

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rsjs.core.types import Floats
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes import pattern_model
from rsjs.formulations.modes.modes import partitions
from rsjs.formulations.modes.pattern_model import PatternData
from rsjs.instances.cluster import Cluster
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {"x": "jvg", "L": "kvp", "cover": "j", "slots": "vg", "classes": "k"}


class Pattern(NamedTuple):
    """A partition of the GPUs of a node of a class, taken as a type."""

    node_class: int
    node_type: int
    parts: tuple[int, ...]

    @property
    def modes(self) -> list[tuple[int, int]]:
        """(v, g) of each part."""
        return [(self.node_type, g) for g in self.parts]


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternModel(PatternData):
    """The model's data; its modes are (v, g)."""

    execution: Floats  # (J, V, G + 1) C_jvg; inf where not admissible

    @staticmethod
    def of(instance: Instance) -> PatternModel:
        """Return options and patterns of an instance."""
        cost = execution_costs(instance)
        gain = cost - cost_tables(instance).postponement[:, None, None]
        best_smaller = np.minimum.accumulate(cost, axis=2)[:, :, :-1]
        useful = gain < 0
        useful[:, :, 1:] &= cost[:, :, 1:] < best_smaller
        job, *kind = np.nonzero(useful)
        modes, mode = np.unique(np.column_stack(kind), axis=0, return_inverse=True)
        return PatternModel(
            instance=instance,
            job=job,
            mode=mode,
            gain=gain[useful],
            modes=[(v, g) for v, g in modes.tolist()],
            patterns=node_patterns(instance.cluster),
            execution=cost,
        )


def node_patterns(cluster: Cluster) -> list[Pattern]:
    """Return the partitions of the GPUs of each type that nodes of each class may take."""
    return [
        Pattern(k, v, parts)
        for k, v in np.argwhere(cluster.allowed_in_class).tolist()
        for parts in partitions(int(cluster.gpus_of_type[v]))
    ]


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


data_of = PatternModel.of
extract = pattern_model.extract
run = partial(solve, __name__)


def build(data: PatternModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, then L, as in `PatternModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import implied_integers, index_set

    m = pyo.ConcreteModel(name="jahani_patterns")
    m.x = pyo.Var(data.options, bounds=(0, 1))
    patterns = index_set((k, v, *parts) for k, v, parts in data.patterns)
    _, most = selected_nodes(data.instance)
    m.L = pyo.Var(patterns, domain=pyo.NonNegativeIntegers, bounds=(0, most))
    m.implied_integer = implied_integers(m.x)
    pattern_model.add_rows(m, data, list(m.x.values()), list(m.L.values()))
    return m


def warm_start(data: PatternModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution.

    A job whose column was left out takes the smaller slot that dominates it, or is postponed
    where that costs no more: the vector never costs more than the decision.
    """
    option = {key: i for i, key in enumerate(data.options)}
    pattern = {key: len(data.job) + i for i, key in enumerate(data.patterns)}
    x = np.zeros(len(data.cost))
    cluster = data.instance.cluster
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, parts = int(solution.node_type[n]), []
        for j in np.flatnonzero(solution.job_node == n).tolist():
            g = int(np.argmin(data.execution[j, v, : solution.job_gpus[j] + 1]))
            if (j, v, g) in option:
                x[option[j, v, g]] = 1.0
                parts.append(g)
        parts += [1] * (int(cluster.gpus_of_type[v]) - sum(parts))
        key = Pattern(int(cluster.class_of_node[n]), v, tuple(sorted(parts, reverse=True)))
        x[pattern[key]] += 1.0
    return x
