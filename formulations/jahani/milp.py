"""
Jahani's MILP as published, node by node: the reference that reformulations are compared with.

Sets and data (Jahani 2019, Table I; times relative to now)
    j in J jobs, n in N nodes, v in V_n types node n may take, g in G_v = {1..s_v}
    m_jnvg cost of starting or moving j (not in the paper), 0 where it stays as in `current`
    t_jvg time, d_j due date, M_j = max t_jvg, w_j and w^_j = rho w_j weights, c_v price, H, mu

Variables
    w_n, y_nv, z_j, x_jnvg in {0, 1};  tau_j, tau^_j >= 0

    min  sum_j w_j tau_j + sum_j w^_j tau^_j + mu sum_nv (s_v y_nv - sum_jg g x_jnvg)
         + sum_jnvg ((g / s_v) c_v t_jvg + m_jnvg) x_jnvg
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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.milp.solve import solve
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

    from rsjs.core.call import Call
    from rsjs.core.report import Report, SolveResult


INDEX_LETTERS = {
    "w": "n",
    "y": "nv",
    "z": "j",
    "x": "jnvg",
    "tau": "j",
    "tau_hat": "j",
    "c1": "n",
    "c2": "jnvg",
    "c3": "jnvg",
    "c4": "jn",
    "c5": "j",
    "c6": "nv",
    "c7": "j",
    "c8": "j",
}


@dataclass(frozen=True, eq=False)
class LiteralModel:
    """The model's data, with rows (7) and (8) "corrected" or as published for "overdue" jobs."""

    instance: Instance
    printed: str = "corrected"

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
        return (self.due < 0) & (self.printed != "overdue")

    @cached_property
    def costs(self) -> tuple[Floats, Floats, Floats]:
        """Objective coefficients of y, x and tau."""
        instance, cluster = self.instance, self.instance.cluster
        j, n, v, g = self.options
        size = cluster.gpus_of_type
        mu = instance.objective.mu
        y = np.array([mu * size[u] for _, u in self.pairs], dtype=float)
        x = g / size[v] * cluster.cost_of_type[v, 1] * self.hours - mu * g
        x = x + change_costs(instance).of(j, n, v, g, -1)
        return y, x, instance.jobs.weight

    def blocks(self, x: Floats) -> list[Floats]:
        """Return the blocks w, y, z, x, tau and tau^ of a column vector."""
        jobs = len(self.instance.jobs)
        sizes = [self.instance.cluster.nodes, len(self.pairs), jobs, len(self.hours), jobs]
        return np.split(x, np.cumsum(sizes))


data_of = LiteralModel


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the model; with the published rows for overdue jobs, no bound is reported."""
    printed = call.options["printed"] == "overdue"
    overdue = bool((instance.jobs.due < instance.now).any())
    return solve(__name__, instance, call, report, valid_bound=not (printed and overdue))


def build(data: LiteralModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are w, y, z, x, tau, tau^, as in `LiteralModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, linear_sum

    instance, due = data.instance, data.due.tolist()
    nodes, jobs = range(instance.cluster.nodes), range(len(instance.jobs))
    size = instance.cluster.gpus_of_type.tolist()
    keys = list(zip(*(part.tolist() for part in data.options), strict=True))
    longest, H, rho = cost_tables(instance).longest.tolist(), instance.H, instance.rho
    m = pyo.ConcreteModel(name="jahani_literal")
    m.w = pyo.Var(nodes, domain=pyo.Binary)
    m.y = pyo.Var(data.pairs, domain=pyo.Binary)
    m.z = pyo.Var(jobs, domain=pyo.Binary)
    m.x = pyo.Var(keys, domain=pyo.Binary)
    m.tau = pyo.Var(jobs, domain=pyo.NonNegativeReals)
    m.tau_hat = pyo.Var(jobs, domain=pyo.NonNegativeReals)
    y_cost, x_cost, weight = (part.tolist() for part in data.costs)
    # the terms of (P1), then those of rows (1), (4), (5), (6) and (7) by index
    costs = [*zip(y_cost, m.y.values(), strict=True), *zip(x_cost, m.x.values(), strict=True)]
    costs += [(c, m.tau[j]) for j, c in enumerate(weight)]
    costs += [(rho * c, m.tau_hat[j]) for j, c in enumerate(weight)]
    types, on_node, runs = Rows(nodes), Rows(), Rows(jobs)
    gpus, hours = Rows(), Rows(jobs)
    for (n, _), y in m.y.items():
        types[n].append((1, y))
    for (j, n, v, g), t in zip(keys, data.hours.tolist(), strict=True):
        x = m.x[j, n, v, g]
        on_node[j, n].append((1, x))
        runs[j].append((1, x))
        gpus[n, v].append((g, x))
        hours[j].append((t, x))
    m.cost = pyo.Objective(expr=linear_sum(costs))
    m.c1 = pyo.Constraint(nodes, rule=lambda m, n: linear_sum(types[n]) == m.w[n])
    m.c2 = pyo.Constraint(keys, rule=lambda m, j, n, v, g: m.x[j, n, v, g] <= m.y[n, v])
    m.c3 = pyo.Constraint(keys, rule=lambda m, j, n, v, g: m.x[j, n, v, g] <= m.z[j])
    m.c4 = pyo.Constraint(list(on_node), rule=lambda m, j, n: linear_sum(on_node[j, n]) <= m.w[n])
    m.c5 = pyo.Constraint(jobs, rule=lambda m, j: linear_sum(runs[j]) == m.z[j])
    m.c6 = pyo.Constraint(
        [pair for pair in data.pairs if pair in gpus],
        rule=lambda m, n, v: linear_sum(gpus[n, v]) <= size[v],
    )
    m.c7 = pyo.Constraint(
        jobs,
        rule=lambda m, j: (
            linear_sum(hours[j]) <= due[j] * (m.z[j] if data.overdue[j] else 1) + m.tau[j]
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
    if instance.objective.open_nodes != "free":
        m.c9 = pyo.Constraint(expr=pyo.quicksum(m.w.values()) == float(required_nodes(instance)))
    return m


def warm_start(data: LiteralModel, solution: Solution) -> Floats:
    """Return the column vector of a feasible solution."""
    solution = select_required_nodes(data.instance, solution)
    node, node_type = np.array(data.pairs).T
    runs = (solution.job_node >= 0).astype(float)
    j, n, v, g = data.options
    chosen = (
        (solution.job_node[j] == n) & (solution.node_type[n] == v) & (solution.job_gpus[j] == g)
    )
    hours = np.zeros(len(data.due))
    hours[j[chosen]] = data.hours[chosen]
    due = np.where(data.overdue, data.due * runs, data.due)
    # tau^ as small as row (8) lets it be
    reach = (data.instance.H + cost_tables(data.instance).longest) * (1.0 - runs)
    due_hat = np.where(data.overdue, data.due * (1.0 - runs), data.due)
    return np.concatenate(
        [
            solution.node_type >= 0,
            solution.node_type[node] == node_type,
            runs,
            chosen,
            np.maximum(0.0, hours - due),
            np.maximum(0.0, reach - due_hat),
        ]
    )


def extract(data: LiteralModel, x: Floats) -> Solution:
    """Return the solution in an integral column vector."""
    _, y, _, runs, _, _ = data.blocks(x)
    node_type = np.full(data.instance.cluster.nodes, -1)
    node, chosen_type = np.array(data.pairs)[y > 0.5].T
    node_type[node] = chosen_type
    jobs = len(data.instance.jobs)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    j, n, _, g = data.options
    chosen = runs > 0.5
    job_node[j[chosen]], job_gpus[j[chosen]] = n[chosen], g[chosen]
    return Solution.of(job_node, job_gpus, node_type)
