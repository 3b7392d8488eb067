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

The data of the GPU-indexed RS-JS model, and the column order.

The GPU-indexed RS-JS model assembled without Pyomo.

Nodes of one type each, their GPUs by number, and who takes which: models that name GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp.matrix import Kind, MatrixModel, Rows
from rsjs.formulations.modes.gpu_sharing import Shares
from rsjs.formulations.modes.modes import Configurations, nodes_with_a_job, serve
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


@dataclass(frozen=True, eq=False)
class GpuNodes:
    """
    Nodes and their GPUs.

    Attributes
    ----------
    configurations : Configurations, all that are admissible
    node_type, gpu_type : (N,) int
    """

    instance: Instance
    configurations: Configurations
    node_type: Ints
    gpu_type: Ints

    @staticmethod
    def of(name: str, instance: Instance) -> GpuNodes:
        """The nodes of an instance; ValueError in one line if the model does not serve it."""
        serve(name, instance, one_type=True)
        node_type = instance.cluster.allowed.argmax(axis=1)
        configurations = Configurations.of(instance, pareto=False)
        return GpuNodes(
            instance, configurations, node_type, instance.cluster.gpu_of_type[node_type]
        )

    @cached_property
    def size(self) -> Ints:
        """(N,) K_n."""
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
        """(n, k) of gamma."""
        return [(n, k) for n, size in enumerate(self.size.tolist()) for k in range(1, size + 1)]

    def gpus_of(self, n: int) -> range:
        """GPUs of a node."""
        first, last = np.searchsorted(self.gpu_node, [n, n + 1]).tolist()
        return range(first, last)

    def taken(self, n: int, members: list[int]) -> Iterator[tuple[int, range]]:
        """The GPUs of each configuration on a node: shares on the first ones, fewest in all."""
        q, first = self.configurations, self.gpus_of(n).start
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
    """
    The model's data; column order: x (node, config), z, u, gamma, r.

    Attributes
    ----------
    node, config : (X,) int, of each x: an option
    required : int or None
        Nodes with a job; None = any number.
    """

    nodes: GpuNodes
    node: Ints
    config: Ints
    required: int | None

    @staticmethod
    def of(instance: Instance) -> GpuModel:
        """The model of an instance; ValueError in one line if it is not served."""
        nodes = GpuNodes.of("rsjs_gpu", instance)
        q = nodes.configurations
        fits = (nodes.gpu_type[:, None] == q.gpu_type) & (q.gpus <= nodes.size[:, None])
        node, config = np.nonzero(fits)
        return GpuModel(nodes, node, config, nodes_with_a_job(instance))

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.nodes.instance

    @cached_property
    def job(self) -> Ints:
        """(X,) job of each option."""
        return self.nodes.configurations.job[self.config]

    @cached_property
    def width(self) -> Ints:
        """(X,) GPUs that an option runs on, max(k_q, 1)."""
        return np.maximum(self.nodes.configurations.gpus[self.config], 1)

    @cached_property
    def taken(self) -> Ints:
        """(X,) units that an option takes from each of its GPUs."""
        shared = self.nodes.configurations.units[self.config]
        return np.where(shared > 0, shared, self.nodes.units[self.node])

    @cached_property
    def uses(self) -> list[tuple[int, int]]:
        """(option, GPU) of z."""
        return [(i, g) for i, n in enumerate(self.node.tolist()) for g in self.nodes.gpus_of(n)]

    @cached_property
    def leads(self) -> list[tuple[int, int]]:
        """(option, k) of r."""
        pairs = zip(self.width.tolist(), self.nodes.size[self.node].tolist(), strict=True)
        return [(i, k) for i, (least, most) in enumerate(pairs) for k in range(least, most + 1)]

    @cached_property
    def cost(self) -> Floats:
        """Cost of every column [$]."""
        q, option = self.nodes.configurations, self.config
        run = q.tardiness[option] - cost_tables(self.instance).postponement[q.job[option]]
        i, k = np.array(self.leads).T
        price = self.instance.cluster.cost_of_type[self.nodes.node_type[self.node[i]], k]
        free = np.zeros(len(self.uses) + len(self.nodes.gpu_node) + len(self.nodes.states))
        return np.concatenate([run, free, price * q.hours[option[i]]])

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(cost_tables(self.instance).postponement.sum())

    @cached_property
    def option_of(self) -> dict[tuple[int, int], int]:
        """(node, configuration) -> option."""
        pairs = zip(self.node.tolist(), self.config.tolist(), strict=True)
        return {pair: i for i, pair in enumerate(pairs)}

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


def arrays(data: GpuModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    use, on = np.array(data.uses).T
    state_node, state_gpus = np.array(data.nodes.states).T
    lead, lead_gpus = np.array(data.leads).T
    sizes = (len(data.node), len(use), len(data.nodes.gpu_node), len(state_node), len(lead))
    x, z, u, gamma, r = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    job, jobs, nodes, gpus = data.job, len(data.instance.jobs), len(data.nodes.size), len(u)
    rows = Rows()
    rows.add(jobs, -np.inf, 1.0, (job, x, 1.0))
    pairs, of_pair = _numbered(job * nodes + data.node)
    pair, state = np.nonzero((pairs % nodes)[:, None] == state_node)
    rows.add(len(pairs), -np.inf, 0.0, (of_pair, x, 1.0), (pair, gamma[state], -1.0))
    units = data.nodes.units[data.nodes.gpu_node].astype(float)
    taken, width = data.taken.astype(float), data.width.astype(float)
    rows.add(len(x), 0.0, 0.0, (use, z, 1.0), (x, x, -width))
    rows.add(gpus, -np.inf, 0.0, (on, z, taken[use]), (np.arange(gpus), u, -units))
    pairs, of_pair = _numbered(job[use] * gpus + on)
    rows.add(
        len(pairs), -np.inf, 0.0, (of_pair, z, 1.0), (np.arange(len(pairs)), u[pairs % gpus], -1.0)
    )
    rows.add(
        nodes,
        -np.inf,
        0.0,
        (data.nodes.gpu_node, u, 1.0),
        (state_node, gamma, -state_gpus.astype(float)),
    )
    rows.add(nodes, -np.inf, 1.0, (state_node, gamma, 1.0))
    first = np.searchsorted(state_node, np.arange(nodes))
    led = first[data.node[lead]] + lead_gpus - 1
    rows.add(len(gamma), 0.0, 0.0, (led, r, 1.0), (np.arange(len(gamma)), gamma, -1.0))
    rows.add(len(x), -np.inf, 0.0, (lead, r, 1.0), (x, x, -1.0))
    if data.required is not None:
        required = float(data.required)
        rows.add(1, required, required, (np.zeros_like(gamma), gamma, 1.0))
    kinds = np.array([Kind.INTEGER, Kind.IMPLIED_INTEGER], np.uint8)
    return rows.model(
        cost=data.cost,
        upper=np.ones(sum(sizes)),
        kind=np.repeat(kinds, [sum(sizes[:4]), sizes[4]]),
        offset=data.offset,
    )


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys in order, and the position of each key among them."""
    distinct, position = np.unique(keys, return_inverse=True)
    return distinct, position


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


def warm_start(data: GpuModel, solution: Solution) -> Floats:
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


def extract(data: GpuModel, x: Floats) -> Solution:
    """The decision in a column vector with integral x; nodes as `open_nodes` asks."""
    chosen = np.flatnonzero(x[: len(data.node)] > 0.5)
    node = data.node[chosen]
    decision = data.nodes.configurations.decision(
        data.instance, data.config[chosen], node, data.nodes.node_type[node]
    )
    return select_required_nodes(data.instance, decision)
