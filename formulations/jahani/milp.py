"""
Jahani's MILP as printed, node by node: the reference that reformulations are compared with.

Sets and data (Jahani 2019, Table I; times relative to now)
    j in J jobs, n in N nodes, v in V_n types node n may take, g in G_v = {1..s_v}
    t_jvg time, d_j due date, M_j = max t_jvg, w_j and w^_j = rho w_j weights, c_v price, H, mu

Variables
    w_n, y_nv, z_j, x_jnvg in {0, 1};  tau_j, tau^_j >= 0

    min  sum_j w_j tau_j + sum_j w^_j tau^_j + mu sum_nv (s_v y_nv - sum_jg g x_jnvg)
         + sum_jnvg (g / s_v) c_v t_jvg x_jnvg
    (1)  sum_v y_nv = w_n                                    for all n
    (2)  x_jnvg <= y_nv                                      for all j, n, v, g
    (3)  x_jnvg <= z_j                                       for all j, n, v, g
    (4)  sum_vg x_jnvg <= w_n                                for all j, n
    (5)  sum_nvg x_jnvg = z_j                                for all j
    (6)  sum_jg g x_jnvg <= s_v                              for all n, v
    (7)  sum_nvg t_jvg x_jnvg <= d_j + tau_j                 for all j
    (8)  (H + M_j)(1 - z_j) <= tau^_j + d_j                  for all j
    (9)  sum_n w_n = min(N, J)                               if open_nodes is jahani_eq
    (10)-(14) domains

A job that is overdue (d_j < 0) is charged by (7) when it waits and by (8) when it runs, which
the text excludes; its rows read sum t x <= d_j z_j + tau_j and (H + M_j - d_j)(1 - z_j) <= tau^_j.
`printed="overdue"` keeps (7) and (8) as printed for such jobs.

The data of Jahani's MILP: what `jahani_literal` is built from, and its column order.

Jahani's MILP assembled row block by row block, without Pyomo.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.milp.matrix import Kind, MatrixModel, Rows
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


@dataclass(frozen=True, eq=False)
class LiteralModel:
    """
    The model's data; column order is w, y, z, x, tau, tau^.

    Attributes
    ----------
    instance : Instance
    overdue_as_printed : bool
    """

    instance: Instance
    overdue_as_printed: bool = False

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """(n, v) with v allowed on n."""
        nodes, types = np.nonzero(self.instance.cluster.allowed)
        return list(zip(nodes.tolist(), types.tolist(), strict=True))

    @cached_property
    def options(self) -> tuple[Ints, Ints, Ints, Ints]:
        """(j, n, v, g) of every x, by job, then node, type and count."""
        cluster, table = self.instance.cluster, cost_tables(self.instance)
        usable = np.isfinite(table.hours[:, cluster.gpu_of_type, :])
        g = np.arange(usable.shape[2])
        usable &= g <= cluster.gpus_of_type[:, None]
        j, n, v, g = np.nonzero(usable[:, None, :, :] & cluster.allowed[None, :, :, None])
        return j, n, v, g

    @cached_property
    def hours(self) -> Floats:
        """t_jvg of every x [h]."""
        j, _, v, g = self.options
        hours: Floats = cost_tables(self.instance).hours[j, self.instance.cluster.gpu_of_type[v], g]
        return hours

    @cached_property
    def due(self) -> Floats:
        """(J,) d_j, hours from now."""
        due: Floats = self.instance.jobs.due - self.instance.now
        return due

    @cached_property
    def overdue(self) -> Bools:
        """(J,) jobs whose rows (7), (8) are corrected."""
        return (self.due < 0) & (not self.overdue_as_printed)

    @cached_property
    def costs(self) -> tuple[Floats, Floats, Floats]:
        """Objective coefficients of y, x and tau."""
        instance, cluster = self.instance, self.instance.cluster
        _, _, v, g = self.options
        size = cluster.gpus_of_type
        mu = instance.objective.mu
        y = np.array([mu * size[u] for _, u in self.pairs], dtype=float)
        x = g / size[v] * cluster.cost_of_type[v, 1] * self.hours - mu * g
        return y, x, instance.jobs.weight

    @property
    def selected_nodes(self) -> float | None:
        """Right-hand side of (9); None if any number may be selected."""
        instance = self.instance
        if instance.objective.open_nodes == "free":
            return None
        return float(min(len(instance.jobs), instance.cluster.nodes))


@dataclass(frozen=True)
class Layout:
    """Where each block of columns starts: w, y, z, x, tau, tau^."""

    w: int
    y: int
    z: int
    x: int
    tau: int
    tau_hat: int
    end: int

    @staticmethod
    def of(data: LiteralModel) -> Layout:
        jobs = len(data.instance.jobs)
        sizes = [data.instance.cluster.nodes, len(data.pairs), jobs, len(data.hours), jobs, jobs]
        return Layout(*np.cumsum([0, *sizes]).tolist())


def arrays(data: LiteralModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    instance, at = data.instance, Layout.of(data)
    nodes, jobs = instance.cluster.nodes, len(instance.jobs)
    j, n, v, g = data.options
    x = at.x + np.arange(len(j))
    pair_of = np.full((nodes, len(instance.cluster.node_types)), -1)
    for i, (u, w) in enumerate(data.pairs):
        pair_of[u, w] = i
    pair = pair_of[n, v]
    y, z = at.y + np.arange(len(data.pairs)), at.z + np.arange(jobs)
    one = np.ones(len(x))
    pair_node = np.array([node for node, _ in data.pairs])
    job_node, row4 = np.unique(j * nodes + n, return_inverse=True)
    used_pairs, row6 = np.unique(pair, return_inverse=True)
    size = instance.cluster.gpus_of_type
    reach = instance.H + cost_tables(instance).longest
    all_jobs = np.arange(jobs)
    overdue = np.flatnonzero(data.overdue)
    tau, tau_hat = at.tau + all_jobs, at.tau_hat + all_jobs
    longest = reach - np.where(data.overdue, data.due, 0.0)
    rows = Rows()
    rows.add(nodes, 0.0, 0.0, (pair_node, y, 1.0), (np.arange(nodes), np.arange(nodes), -1.0))
    rows.add(len(x), -np.inf, 0.0, (x - at.x, x, one), (x - at.x, at.y + pair, -one))
    rows.add(len(x), -np.inf, 0.0, (x - at.x, x, one), (x - at.x, at.z + j, -one))
    node_of_row = job_node % nodes
    rows.add(
        len(job_node), -np.inf, 0.0, (row4, x, one), (np.arange(len(job_node)), node_of_row, -1.0)
    )
    rows.add(jobs, 0.0, 0.0, (j, x, one), (all_jobs, z, -1.0))
    capacity = size[[data.pairs[i][1] for i in used_pairs.tolist()]].astype(float)
    rows.add(len(used_pairs), -np.inf, capacity, (row6, x, g.astype(float)))
    rows.add(
        jobs,
        -np.inf,
        np.where(data.overdue, 0.0, data.due),
        (j, x, data.hours),
        (all_jobs, tau, -1.0),
        (overdue, z[overdue], -data.due[overdue]),
    )
    limit = np.where(data.overdue, 0.0, data.due) - longest
    rows.add(jobs, -np.inf, limit, (all_jobs, z, -longest), (all_jobs, tau_hat, -1.0))
    if data.selected_nodes is not None:
        wanted = data.selected_nodes
        rows.add(1, wanted, wanted, (np.zeros(nodes, int), np.arange(nodes), 1.0))
    kind = np.full(at.end, Kind.INTEGER, dtype=np.uint8)
    kind[at.tau :] = Kind.CONTINUOUS
    upper = np.where(kind == Kind.INTEGER, 1.0, np.inf)
    y_cost, x_cost, weight = data.costs
    cost = [np.zeros(nodes), y_cost, np.zeros(jobs), x_cost, weight, instance.rho * weight]
    return rows.model(cost=np.concatenate(cost), upper=upper, kind=kind)


def build(data: LiteralModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `LiteralModel` are `columns(model)`."""
    import pyomo.core as pyo

    instance, due = data.instance, data.due.tolist()
    nodes, jobs = range(instance.cluster.nodes), range(len(instance.jobs))
    keys = list(zip(*(part.tolist() for part in data.options), strict=True))
    hours = dict(zip(keys, data.hours.tolist(), strict=True))
    longest, H, rho = cost_tables(instance).longest.tolist(), instance.H, instance.rho
    m = pyo.ConcreteModel(name="jahani_literal")
    m.w = pyo.Var(nodes, domain=pyo.Binary)
    m.y = pyo.Var(data.pairs, domain=pyo.Binary)
    m.z = pyo.Var(jobs, domain=pyo.Binary)
    m.x = pyo.Var(keys, domain=pyo.Binary)
    m.tau = pyo.Var(jobs, domain=pyo.NonNegativeReals)
    m.tau_hat = pyo.Var(jobs, domain=pyo.NonNegativeReals)
    types_of = {n: [v for u, v in data.pairs if u == n] for n in nodes}
    of_pair: dict[tuple[int, int], list[tuple[int, ...]]] = {pair: [] for pair in data.pairs}
    of_job: dict[int, list[tuple[int, ...]]] = {j: [] for j in jobs}
    of_job_node: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for key in keys:
        j, n, v, _ = key
        of_pair[n, v].append(key)
        of_job[j].append(key)
        of_job_node.setdefault((j, n), []).append(key)
    y_cost, x_cost, weight = (part.tolist() for part in data.costs)
    m.cost = pyo.Objective(
        expr=pyo.quicksum(c * m.y[k] for c, k in zip(y_cost, data.pairs, strict=True) if c)
        + pyo.quicksum(c * m.x[k] for c, k in zip(x_cost, keys, strict=True))
        + pyo.quicksum(c * m.tau[j] for j, c in enumerate(weight))
        + pyo.quicksum(rho * c * m.tau_hat[j] for j, c in enumerate(weight))
    )
    m.c1 = pyo.Constraint(
        nodes, rule=lambda m, n: pyo.quicksum(m.y[n, v] for v in types_of[n]) == m.w[n]
    )
    m.c2 = pyo.Constraint(keys, rule=lambda m, j, n, v, g: m.x[j, n, v, g] <= m.y[n, v])
    m.c3 = pyo.Constraint(keys, rule=lambda m, j, n, v, g: m.x[j, n, v, g] <= m.z[j])
    m.c4 = pyo.Constraint(
        list(of_job_node),
        rule=lambda m, j, n: pyo.quicksum(m.x[k] for k in of_job_node[j, n]) <= m.w[n],
    )
    m.c5 = pyo.Constraint(jobs, rule=lambda m, j: pyo.quicksum(m.x[k] for k in of_job[j]) == m.z[j])
    size = instance.cluster.gpus_of_type.tolist()
    m.c6 = pyo.Constraint(
        [pair for pair in data.pairs if of_pair[pair]],
        rule=lambda m, n, v: pyo.quicksum(k[3] * m.x[k] for k in of_pair[n, v]) <= size[v],
    )
    m.c7 = pyo.Constraint(
        jobs,
        rule=lambda m, j: (
            pyo.quicksum(hours[k] * m.x[k] for k in of_job[j])
            <= due[j] * (m.z[j] if data.overdue[j] else 1) + m.tau[j]
        ),
    )
    m.c8 = pyo.Constraint(
        jobs,
        rule=lambda m, j: (
            (H + longest[j] - due[j]) * (1 - m.z[j]) <= m.tau_hat[j]
            if data.overdue[j]
            else (H + longest[j]) * (1 - m.z[j]) <= m.tau_hat[j] + due[j]
        ),
    )
    if data.selected_nodes is not None:
        m.c9 = pyo.Constraint(expr=pyo.quicksum(m.w.values()) == data.selected_nodes)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `LiteralModel`."""
    blocks = (model.w, model.y, model.z, model.x, model.tau, model.tau_hat)
    return [variable for block in blocks for variable in block.values()]


def warm_start(data: LiteralModel, solution: Solution) -> Floats:
    """The column vector of a feasible decision."""
    solution = select_required_nodes(data.instance, solution)
    at, table = Layout.of(data), cost_tables(data.instance)
    vector = np.zeros(at.end)
    running = np.flatnonzero(solution.job_node >= 0)
    selected = solution.node_type >= 0
    vector[at.w : at.y] = selected
    for i, (node, node_type) in enumerate(data.pairs):
        vector[at.y + i] = solution.node_type[node] == node_type
    vector[at.z + running] = 1.0
    j, n, v, g = data.options
    chosen = (
        (solution.job_node[j] == n) & (solution.node_type[n] == v) & (solution.job_gpus[j] == g)
    )
    vector[at.x : at.tau] = chosen
    hours = np.zeros(len(data.due))
    hours[j[chosen]] = data.hours[chosen]
    done = vector[at.z : at.x]
    due = np.where(data.overdue, data.due * done, data.due)
    vector[at.tau : at.tau_hat] = np.maximum(0.0, hours - due)
    reach = (data.instance.H + table.longest) * (1.0 - done)
    due_hat = np.where(data.overdue, data.due * (1.0 - done), data.due)
    vector[at.tau_hat :] = np.maximum(0.0, reach - due_hat)
    return vector


def extract(data: LiteralModel, x: Floats) -> Solution:
    """The decision in an integral column vector."""
    at, nodes = Layout.of(data), data.instance.cluster.nodes
    node_type = np.full(nodes, -1)
    for i in np.flatnonzero(x[at.y : at.z] > 0.5).tolist():
        node, chosen_type = data.pairs[i]
        node_type[node] = chosen_type
    jobs = len(data.instance.jobs)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    j, n, _, g = data.options
    chosen = np.flatnonzero(x[at.x : at.tau] > 0.5)
    job_node[j[chosen]], job_gpus[j[chosen]] = n[chosen], g[chosen]
    return Solution.of(job_node, job_gpus, node_type)
