"""
Nodes charged until their first job ends, node by node: the reference on small instances.

One job per node, its leader (alpha_jn of ANDREAS 2021, (1); Filippini 2024, (21)), pays for the
whole node until it ends; a minimum leads with the first job to end. This is reading (i) of Kiros
2020, 3.1.1. Nodes are symmetric, so that the model is slow beyond a few of them.

Sets and data (times relative to now)
    j in J jobs, n in N nodes, v in V_n the node's allowed types, g = 1..s_v GPUs
    q in Q_v       limits: the numbers of GPUs beyond which c_v rises, and s_v (flat: s_v alone)
    T_jvg, t_jvg   tardiness cost and time of j on g GPUs of type v; P_j postponement cost
    m_jnvg         cost of starting j, or of moving it there; 0 where it stays as in `current`
    c_vq           $/h of a node of type v with q GPUs in use

Variables, all 0 or 1
    u_nvq    node n is of type v and charged for q GPUs; q = 0: selected without a job, v the
             smallest type (only jahani_eq)
    x_jnvg   j runs on g GPUs of node n of type v
    a_jnvgq  j, so run, leads node n, charged for q GPUs

    min  sum_j P_j + sum mu s_v u_nvq + sum (T_jvg + m_jnvg - mu g - P_j) x_jnvg
         + sum c_vq t_jvg a_jnvgq
    (cover)   sum_nvg x_jnvg <= 1                     for all j
    (one)     sum_vq u_nvq <= 1                       for all n
    (gpus)    sum_jg g x_jnvg <= sum_q q u_nvq        for all n, v
    (leader)  sum_jg a_jnvgq = u_nvq                  for all n, v, q > 0
    (runs)    sum_q a_jnvgq <= x_jnvg                 for all j, n, v, g
    (nodes)   sum_nvq u_nvq = min(J, N), the matching number, or <= N
                                                      open_nodes *_eq, _feasible, free
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rsjs.core.types import Floats
from rsjs.formulations.first_ending.costs import empty_types, gains, limits
from rsjs.formulations.milp.solve import solve
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


class NodeState(NamedTuple):
    """A node selected as a type and charged for `limit` GPUs; limit 0 = without a job."""

    node: int
    node_type: int
    limit: int


class PlacedMode(NamedTuple):
    """A job on `gpus` GPUs of a node configured as a type."""

    job: int
    node: int
    node_type: int
    gpus: int


INDEX_LETTERS = {
    "u": "nvq",
    "x": "jnvg",
    "a": "jnvgq",
    "cover": "j",
    "one": "n",
    "gpus": "nv",
    "leader": "nvq",
    "runs": "jnvg",
}


@dataclass(frozen=True, eq=False)
class FirstEndingNodeModel:
    """The model's data; column order is the states (u), the options (x), the leaders (a)."""

    instance: Instance

    @cached_property
    def states(self) -> list[NodeState]:
        """States (n, v, q): a node, its type, the GPUs it is charged for."""
        return list(_states(self.instance))

    @cached_property
    def options(self) -> list[PlacedMode]:
        """Options (j, n, v, g): a job on g GPUs of a node as a type."""
        cluster, gain = self.instance.cluster, self.gain
        return [
            PlacedMode(j, n, v, g)
            for n, v in self.pairs
            for g in range(1, cluster.node_types[v].gpus + 1)
            for j in np.flatnonzero(np.isfinite(gain[v][:, g])).tolist()
        ]

    @cached_property
    def leaders(self) -> list[tuple[int, int]]:
        """(state, option): the option's job leads the node in that state."""
        position: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for s, (n, v, q) in enumerate(self.states):
            position.setdefault((n, v), []).append((s, q))
        return [
            (s, i)
            for i, (_, n, v, g) in enumerate(self.options)
            for s, q in position[n, v]
            if g <= q
        ]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """(n, v) that may have jobs."""
        return list(dict.fromkeys((n, v) for n, v, limit in self.states if limit))

    @cached_property
    def gain(self) -> dict[int, Floats]:
        """Node type -> (J, s_v + 1) T_jvg - mu g - P_j [$]; inf where not admissible."""
        return {v: gains(self.instance, v) for _, v in self.pairs}

    @cached_property
    def cost(self) -> Floats:
        """Cost of every column [$]."""
        cluster, hours = self.instance.cluster, cost_tables(self.instance).hours
        mu = self.instance.objective.mu
        idle = [mu * cluster.node_types[v].gpus for _, v, _ in self.states]
        j, n, v, g = np.array(self.options).T
        change = change_costs(self.instance).of(j, n, v, g, -1)
        run = [self.gain[v][j, g] for j, _, v, g in self.options] + change
        lead = []
        for s, i in self.leaders:
            j, _, v, g = self.options[i]
            price = cluster.node_types[v].cost[self.states[s].limit]
            lead.append(price * hours[j, cluster.gpu_of_type[v], g])
        return np.array([*idle, *run, *lead])


def _states(instance: Instance) -> Iterator[NodeState]:
    cluster, empty = instance.cluster, empty_types(instance)
    for n, k in enumerate(cluster.class_of_node.tolist()):
        for v in np.flatnonzero(cluster.allowed_in_class[k]).tolist():
            for q in limits(cluster.node_types[v]):
                yield NodeState(n, v, q)
        if empty:
            yield NodeState(n, empty[k], 0)


data_of = FirstEndingNodeModel
run = partial(solve, __name__)


def build(data: FirstEndingNodeModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are u, x, a, as in `FirstEndingNodeModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import (
        Rows,
        implied_integers,
        number_of_nodes,
        objective,
        variables_of,
    )

    m = pyo.ConcreteModel(name="first_ending_nodes")
    m.u = pyo.Var(data.states, domain=pyo.Binary)
    m.x = pyo.Var(data.options, domain=pyo.Binary)
    leaders = [(*data.options[i], data.states[s].limit) for s, i in data.leaders]
    m.a = pyo.Var(leaders, bounds=(0, 1))
    m.implied_integer = implied_integers(m.a)
    m.cost = objective(data.instance, data.cost, variables_of(m))
    # the terms of the rows, by index; of a state, the row (leader), of an option, the row (runs)
    cover, one, gpus, leader, runs = Rows(), Rows(), Rows(data.pairs), Rows(), Rows()
    for (n, v, q), u in m.u.items():
        one[n].append((1, u))
        if q:
            gpus[n, v].append((-q, u))
            leader[n, v, q].append((-1, u))
    for (j, n, v, g), x in m.x.items():
        cover[j].append((1, x))
        gpus[n, v].append((g, x))
        runs[j, n, v, g].append((-1, x))
    for (j, n, v, g, q), a in m.a.items():
        leader[n, v, q].append((1, a))
        runs[j, n, v, g].append((1, a))
    m.cover, m.one, m.gpus = cover.at_most(1), one.at_most(1), gpus.at_most(0)
    m.leader, m.runs = leader.equal(0), runs.at_most(0)
    m.nodes = number_of_nodes(data.instance, m.u.values())
    return m


def warm_start(data: FirstEndingNodeModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution: on each node the first job to end leads.

    Nodes without a job are as small as they may be, and off where they need not be on: the
    vector never costs more than the solution.
    """
    cluster, hours = data.instance.cluster, cost_tables(data.instance).hours
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
        # the first job to end leads the node in the smallest limit that holds all
        q = next(q for q in limits(cluster.node_types[v]) if q >= gpus.sum())
        s = state[NodeState(n, v, q)]
        run = [
            option[PlacedMode(j, n, v, g)]
            for j, g in zip(jobs.tolist(), gpus.tolist(), strict=True)
        ]
        first = run[int(hours[jobs, cluster.gpu_of_type[v], gpus].argmin())]
        x[[s, *run, leader[s, first - len(state)]]] = 1.0
    return x


def extract(data: FirstEndingNodeModel, x: Floats) -> Solution:
    """Return the solution in a column vector with integral states and options."""
    jobs, cluster = len(data.instance.jobs), data.instance.cluster
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    node_type = np.full(cluster.nodes, -1)
    for s in np.flatnonzero(x[: len(data.states)] > 0.5).tolist():
        node_type[data.states[s].node] = data.states[s].node_type
    for i in np.flatnonzero(x[len(data.states) :][: len(data.options)] > 0.5).tolist():
        job_node[data.options[i].job] = data.options[i].node
        job_gpus[data.options[i].job] = data.options[i].gpus
    return Solution.of(job_node, job_gpus, node_type)
