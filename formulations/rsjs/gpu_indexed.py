"""
RS-JS GPU by GPU (form A): (P1) of Filippini et al. 2024 made linear, nothing else.

The corrected model (rsjs.md 2.2) with xi, phi and zeta folded into one x per mode, so
that (2), (3), (7), (8), (10) and (15) hold by themselves, and alpha, pi and gamma into r: the
products of (9), (19) and (21) are of binaries. Every GPU has a name, and equal GPUs are
symmetric: a reference for small instances.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; n in N nodes of one type each, K_n GPUs of U units; g in G_n GPUs of n, n(g)
    q in Q_jn      modes of j on n: k_q dedicated GPUs, or k_q = 0 and a share of u_q
    theta_q, T_q   time and tardiness cost; P_j postponement cost; c_nk price of k GPUs in use
    m_nq           cost of starting j, or of moving it there; 0 where it stays as in `current`

Variables, 0 or 1
    x_nq           q runs on n
    z_nqg          on GPU g of n
    u_g            g is in use
    gamma_nk       k GPUs of n are in use
    r_nqk          q, which runs on n, is charged for it, k GPUs in use (continuous)

    min  sum_j P_j + sum_nq (T_q + m_nq - P_j) x_nq + sum_nqk c_nk theta_q r_nqk   (P1.1), (19)-(21)
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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes.gpu_sharing import Shares
from rsjs.formulations.modes.modes import Modes, numbered
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import nodes_with_a_job, select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {
    "x": "jngu",
    "z": "id",
    "u": "d",
    "gamma": "nq",
    "r": "iq",
    "c4": "j",
    "c5": "jn",
    "c9": "d",
    "c11": "jngu",
    "c13a": "jd",
    "c17": "nq",
    "c18": "jngu",
    "c13b": "n",
    "c14": "n",
}


@dataclass(frozen=True, eq=False)
class GpuNodes:
    """Nodes and their GPUs."""

    instance: Instance
    modes: Modes  # all that are admissible
    # node_type, gpu_type: (N,)
    node_type: Ints
    gpu_type: Ints

    @staticmethod
    def of(instance: Instance) -> GpuNodes:
        """Return the nodes of an instance."""
        node_type = instance.cluster.allowed.argmax(axis=1)
        modes = Modes.of(instance, pareto=False)
        return GpuNodes(instance, modes, node_type, instance.cluster.gpu_of_type[node_type])

    @cached_property
    def size(self) -> Ints:
        """(N,) number of GPUs of each node."""
        return self.instance.cluster.gpus_of_type[self.node_type]

    @cached_property
    def gpu_node(self) -> Ints:
        """(G,) node of each GPU."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def units(self) -> Ints:
        """(N,) U of each GPU of a node."""
        units = np.array([gpu.units for gpu in self.instance.cluster.gpu_types])
        return units[self.gpu_type]

    @cached_property
    def states(self) -> list[tuple[int, int]]:
        """Indices (n, k) of gamma: a node and its GPUs in use."""
        return [(n, k) for n, size in enumerate(self.size.tolist()) for k in range(1, size + 1)]

    def gpus_of(self, n: int) -> range:
        """Return the GPUs of a node."""
        first, last = np.searchsorted(self.gpu_node, [n, n + 1]).tolist()
        return range(first, last)

    def taken(self, n: int, members: list[int]) -> Iterator[tuple[int, range]]:
        """Yield the GPUs of each mode on a node: shares on the first ones, fewest in all."""
        q, first = self.modes, self.gpus_of(n).start
        shared = [member for member in members if q.units[member]]
        if shared:
            shares = Shares.of(self.instance.cluster, q)
            on = shares.packed(int(self.gpu_type[n]), q.units[shared].tolist())
            for member, g in zip(shared, on, strict=True):
                yield member, range(first + g, first + g + 1)
            first += 1 + max(on)
        for member in members:
            if gpus := int(q.gpus[member]):
                yield member, range(first, first + gpus)
                first += gpus


@dataclass(frozen=True, eq=False)
class GpuModel:
    """The model's data; column order: x (node, mode), z, u, gamma, r."""

    nodes: GpuNodes
    # node, mode: (X,) of each x: an option
    node: Ints
    mode: Ints

    @staticmethod
    def of(instance: Instance) -> GpuModel:
        """Return the model of an instance."""
        nodes = GpuNodes.of(instance)
        q = nodes.modes
        fits = (nodes.gpu_type[:, None] == q.gpu_type) & (q.gpus <= nodes.size[:, None])
        node, mode = np.nonzero(fits)
        return GpuModel(nodes, node, mode)

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.nodes.instance

    @cached_property
    def job(self) -> Ints:
        """(X,) job of each option."""
        return self.nodes.modes.job[self.mode]

    @cached_property
    def width(self) -> Ints:
        """(X,) GPUs that an option runs on, max(k_q, 1)."""
        return np.maximum(self.nodes.modes.gpus[self.mode], 1)

    @cached_property
    def taken(self) -> Ints:
        """(X,) units that an option takes from each of its GPUs."""
        shared = self.nodes.modes.units[self.mode]
        return np.where(shared > 0, shared, self.nodes.units[self.node])

    @cached_property
    def uses(self) -> list[tuple[int, int]]:
        """Indices (option, GPU) of z."""
        return [(i, g) for i, n in enumerate(self.node.tolist()) for g in self.nodes.gpus_of(n)]

    @cached_property
    def leads(self) -> list[tuple[int, int]]:
        """Indices (option, k) of r: an option and the GPUs in use."""
        pairs = zip(self.width.tolist(), self.nodes.size[self.node].tolist(), strict=True)
        return [(i, k) for i, (least, most) in enumerate(pairs) for k in range(least, most + 1)]

    @cached_property
    def cost(self) -> Floats:
        """Cost of every column [$]."""
        q, option = self.nodes.modes, self.mode
        run = q.tardiness[option] - cost_tables(self.instance).postponement[q.job[option]]
        run = run + q.change_costs(
            self.instance, option, self.node, self.nodes.node_type[self.node]
        )
        i, k = np.array(self.leads).T
        price = self.instance.cluster.cost_of_type[self.nodes.node_type[self.node[i]], k]
        free = np.zeros(len(self.uses) + len(self.nodes.gpu_node) + len(self.nodes.states))
        return np.concatenate([run, free, price * q.hours[option[i]]])

    @cached_property
    def option_of(self) -> dict[tuple[int, ...], int]:
        """(node, mode) -> option."""
        return numbered(self.node, self.mode)

    @cached_property
    def positions(self) -> dict[tuple[str, Any], int]:
        """(variable, index) -> column."""
        parts = {
            "x": range(len(self.node)),
            "z": self.uses,
            "u": range(len(self.nodes.gpu_node)),
            "gamma": self.nodes.states,
            "r": self.leads,
        }
        keys = [(name, index) for name, indices in parts.items() for index in indices]
        return {key: column for column, key in enumerate(keys)}


data_of = GpuModel.of
run = partial(solve, __name__)


def build(data: GpuModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, z, u, gamma, r, as in `GpuModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import (
        Rows,
        implied_integers,
        index_set,
        objective,
        variables_of,
    )

    nodes, modes = data.nodes, data.nodes.modes
    job, node = data.job.tolist(), data.node.tolist()
    gpus, units = modes.gpus[data.mode].tolist(), modes.units[data.mode].tolist()
    m = pyo.ConcreteModel(name="rsjs_gpu")
    m.option = index_set(zip(job, node, gpus, units, strict=True))
    m.x = pyo.Var(m.option, domain=pyo.Binary)
    m.z = pyo.Var(data.uses, domain=pyo.Binary)
    m.u = pyo.Var(range(len(nodes.gpu_node)), domain=pyo.Binary)
    m.gamma = pyo.Var(nodes.states, domain=pyo.Binary)
    m.r = pyo.Var(data.leads, bounds=(0, 1))
    m.implied_integer = implied_integers(m.r)
    m.cost = objective(data.instance, data.cost, variables_of(m))
    # the terms of the rows, by their index
    taken, width, options = data.taken.tolist(), data.width.tolist(), list(m.option)
    every, whole = range(len(nodes.size)), nodes.units[nodes.gpu_node].tolist()
    c4, c5, c11, c9 = Rows(), Rows(), Rows(options), Rows(m.u)
    c13a, c13b, c14, c17, c18 = Rows(), Rows(every), Rows(every), Rows(nodes.states), Rows(options)
    for (i, d), z in m.z.items():
        c11[options[i]].append((1, z))
        c9[d].append((taken[i], z))
        c13a[job[i], d].append((1, z))
    for (i, k), r in m.r.items():
        c17[node[i], k].append((1, r))
        c18[options[i]].append((1, r))
    for i, (option, x) in enumerate(m.x.items()):
        c4[job[i]].append((1, x))
        c5[job[i], node[i]].append((1, x))
        c11[option].append((-width[i], x))
        c18[option].append((-1, x))
    for (_, d), terms in c13a.items():
        terms.append((-1, m.u[d]))
    for d, u in m.u.items():
        c9[d].append((-whole[d], u))
        c13b[int(nodes.gpu_node[d])].append((1, u))
    for (n, k), gamma in m.gamma.items():
        c13b[n].append((-k, gamma))
        c14[n].append((1, gamma))
        c17[n, k].append((-1, gamma))
    for (_, n), terms in c5.items():
        terms += [(-1, gamma) for _, gamma in c14[n]]
    m.c4, m.c5, m.c11, m.c9 = c4.at_most(1), c5.at_most(0), c11.equal(0), c9.at_most(0)
    m.c13a, m.c13b, m.c14 = c13a.at_most(0), c13b.at_most(0), c14.at_most(1)
    m.c17, m.c18 = c17.equal(0), c18.at_most(0)
    required = nodes_with_a_job(data.instance)
    if required is not None:
        m.c16 = pyo.Constraint(expr=pyo.quicksum(m.gamma.values()) == required)
    return m


def warm_start(data: GpuModel, solution: Solution) -> Floats:
    """Return the column vector of a feasible solution: GPUs numbered, the first to end charged."""
    q, x, at = data.nodes.modes, np.zeros(len(data.cost)), data.positions
    for n, members in q.chosen(data.instance, solution).items():
        used: set[int] = set()
        for mode, gpus in data.nodes.taken(n, members):
            option = data.option_of[n, mode]
            x[[at["x", option], *(at["z", (option, g)] for g in gpus)]] = 1.0
            used.update(gpus)
        x[[at["u", g] for g in used]] = 1.0
        x[at["gamma", (n, len(used))]] = 1.0
        x[at["r", (data.option_of[n, q.first_to_end(members)], len(used))]] = 1.0
    return x


def extract(data: GpuModel, x: Floats) -> Solution:
    """Return the solution in a column vector with integral x; nodes as `open_nodes` asks."""
    chosen = np.flatnonzero(x[: len(data.node)] > 0.5)
    node = data.node[chosen]
    decision = data.nodes.modes.solution(
        data.instance, data.mode[chosen], node, data.nodes.node_type[node]
    )
    return select_required_nodes(data.instance, decision)
