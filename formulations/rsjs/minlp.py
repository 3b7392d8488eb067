"""
RS-JS as a mixed-integer nonlinear program: (P1) of Filippini et al. 2024, corrected.

As printed (P1) is infeasible; what is wrong with which row is told in rsjs.md 1. This is the
corrected model of rsjs.md 2.2, in the paper's variables, for nodes of one type each.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; n in N nodes, K_n GPUs of type i(n); g in G GPUs, n(g) the node of g
    f in F_i       fractions of a GPU of type i, in units u_f of U_i; f = 1 is the whole GPU
    theta, T       expected time and tardiness cost by (j, i, k) on k GPUs, (j, i, f) on a fraction
    P_j            postponement cost; c_nk price of k GPUs in use; PI_jn = c_{n,K_n} max theta

Variables, 0 or 1 but for pi
    nu_n           n is open;                 zeta_jn  j runs on n
    xi_jnk         j runs on k GPUs of n;     phi_jif  and takes the fraction f of a GPU of type i
    sigma_jg       j runs on g;               u_g      g is in use
    gamma_nk       k GPUs of n are in use;    alpha_jn j is charged for n
    pi_jn          charge for n until j ends, 0 <= pi_jn <= PI_jn

    min  sum_jn [xi_jn1 sum_f phi_jif T_jif + sum_{k>=2} xi_jnk T_jik]         (P1.1) with (19)
         + sum_j P_j (1 - sum_n zeta_jn) + sum_jn alpha_jn pi_jn               and (20)
    (4)   sum_n zeta_jn <= 1                                            for all j
    (5)   zeta_jn <= nu_n                                               for all j, n
    (7)   sum_k xi_jnk = zeta_jn                                        for all j, n
    (8)   sum_f phi_jif = sum_{n of i} zeta_jn                          for all j, i
    (9)   sum_jf u_f phi_jif sigma_jg <= U_i                            for all g, i = i(n(g))
    (10)  sum_{n of i} sum_{k>=2} xi_jnk <= phi_ji1                     for all j, i
    (11)  sum_g sigma_jg = sum_nk k xi_jnk                              for all j
    (12)  sigma_jg <= zeta_jn(g)                                        for all j, g
    (13)  sigma_jg <= u_g <= sum_j sigma_jg;  sum_k k gamma_nk = sum_{g on n} u_g
    (14)  sum_k gamma_nk = nu_n                                         for all n
    (16)  sum_n nu_n = required                         open_nodes rsjs_eq, rsjs_eq_feasible
    (17)  sum_j alpha_jn = nu_n                                         for all n
    (18)  alpha_jn <= zeta_jn                                           for all j, n
    (21)  [xi_jn1 sum_f phi_jif theta_jif + sum_{k>=2} xi_jnk theta_jik] sum_k c_nk gamma_nk
          <= pi_jn                                                      for all j, n

(2), (3) and (6) follow from the others; (15), memory, decides which xi and phi there are.

`printed` restores what the paper prints, for comparison, without a bound:
    8    sum_if phi_jif <= 1: a job without a fraction takes no time; optimum 0
    12   sigma_jg <= zeta_jn Gamma_gn for all n: with two nodes or more nothing can run
    13   sum_jg sigma_jg Gamma_gn = k gamma_nk for all n, k: nodes with two GPUs or more stay closed
    16   sum_n nu_n = min(J, N), whatever `open_nodes` is
    pi   pi_jn >= 0 without PI_jn: SCIP takes alpha = -1e-8 and pi = 1e8; its optima can be false
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Floats
from rsjs.formulations.modes.modes import Modes
from rsjs.formulations.rsjs.gpu_indexed import GpuNodes
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import nodes_with_a_job, select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


PRINTED = frozenset({"8", "12", "13", "16", "pi"})
NAMES = ("nu", "zeta", "xi", "phi", "sigma", "u", "gamma", "alpha", "pi")
WHOLE = -1  # the fraction 1, as the level of dedicated GPUs


def printed_rows(option: str) -> frozenset[str]:
    """Return the rows of PRINTED that "corrected", "all" or the name of one stands for."""
    return {"corrected": frozenset[str](), "all": PRINTED}.get(option, frozenset({option}))


@dataclass(frozen=True, eq=False)
class MinlpModel:
    """The model's data; the order of the variables is that of NAMES, then of `index`."""

    nodes: GpuNodes
    printed: frozenset[str]  # which rows of PRINTED are as in the paper
    required: int | None  # right-hand side of (16); None = no such row

    @staticmethod
    def of(instance: Instance, printed: frozenset[str] = frozenset()) -> MinlpModel:
        """Return the model of an instance."""
        nodes = GpuNodes.of(instance)
        required = nodes_with_a_job(instance)
        if "16" in printed:
            required = min(len(instance.jobs), instance.cluster.nodes)
        return MinlpModel(nodes, printed, required)

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.nodes.instance

    @property
    def q(self) -> Modes:
        """All admissible modes."""
        return self.nodes.modes

    @cached_property
    def xi(self) -> dict[tuple[int, int, int], int]:
        """(j, n, k) -> the mode on k GPUs."""
        rows = zip(self.q.job.tolist(), self.q.gpu_type.tolist(), self.q.gpus.tolist(), strict=True)
        dedicated = [(c, *row) for c, row in enumerate(rows) if row[2]]
        hosts = enumerate(zip(self.nodes.gpu_type.tolist(), self.nodes.size.tolist(), strict=True))
        return {
            (j, n, k): c
            for n, host in hosts
            for c, j, i, k in dedicated
            if i == host[0] and k <= host[1]
        }

    @cached_property
    def phi(self) -> dict[tuple[int, int, int], int]:
        """(j, i, f) -> the mode on the fraction f, a share level or WHOLE."""
        rows = zip(
            self.q.job.tolist(), self.q.gpu_type.tolist(), self.q.level.tolist(), strict=True
        )
        return {row: c for c, row in enumerate(rows) if self.q.gpus[c] <= 1}

    @cached_property
    def job_types(self) -> list[tuple[int, int]]:
        """(j, i) with a mode, in order."""
        return sorted({(j, int(self.nodes.gpu_type[n])) for j, n, _ in self.xi})

    @cached_property
    def index(self) -> dict[str, list[Any]]:
        """Name -> the variable's index set."""
        pairs = sorted({(j, n) for j, n, _ in self.xi})
        whole = [(*pair, WHOLE) for pair in self.job_types]
        return {
            "nu": list(range(len(self.nodes.size))),
            "zeta": pairs,
            "xi": list(self.xi),
            "phi": sorted({*self.phi, *whole}),
            "sigma": [(j, g) for j, n in pairs for g in self.nodes.gpus_of(n)],
            "u": list(range(len(self.nodes.gpu_node))),
            "gamma": self.nodes.states,
            "alpha": pairs,
            "pi": pairs,
        }

    @cached_property
    def positions(self) -> dict[tuple[str, Any], int]:
        """(name, index) -> position of a variable."""
        keys = [(name, key) for name in NAMES for key in self.index[name]]
        return {key: position for position, key in enumerate(keys)}

    def units(self, i: int, f: int) -> int:
        """Return u_f, the units of a fraction of a GPU."""
        gpu = self.instance.cluster.gpu_types[i]
        return gpu.units if f == WHOLE else gpu.levels[f].units

    def price(self, n: int, k: int) -> float:
        """Return c_nk, the price of k GPUs of a node in use [$/h]."""
        return self.instance.cluster.node_types[int(self.nodes.node_type[n])].cost[k]

    def largest_charge(self, j: int, n: int) -> float:
        """Return PI_jn, the most a job may be charged for a node [$]."""
        q, size = self.q, int(self.nodes.size[n])
        here = (q.job == j) & (q.gpu_type == self.nodes.gpu_type[n]) & (q.gpus <= size)
        return self.price(n, size) * float(q.hours[here].max())


def build(data: MinlpModel) -> ConcreteModel:
    """Build the Pyomo model; its variables in the order of `MinlpModel`."""
    import pyomo.core as pyo

    total, index = pyo.quicksum, data.index
    nodes, pairs, gpu_node = data.nodes, index["zeta"], data.nodes.gpu_node.tolist()
    gpu_type, units = nodes.gpu_type.tolist(), nodes.units.tolist()
    J, N, types = range(len(data.instance.jobs)), index["nu"], data.job_types

    m = pyo.ConcreteModel(name="rsjs_minlp")
    for name in NAMES:
        domain = pyo.NonNegativeReals if name == "pi" else pyo.Binary
        m.add_component(name, pyo.Var(index[name], domain=domain))
    if "pi" not in data.printed:
        for pair in pairs:
            m.pi[pair].setub(data.largest_charge(*pair))
    hours = {pair: _on_node(m, data, data.q.hours, *pair) for pair in pairs}
    tardiness = total(_on_node(m, data, data.q.tardiness, *pair) for pair in pairs)
    placed = {j: total(m.zeta[p] for p in pairs if p[0] == j) for j in J}
    fractions = {pair: total(m.phi[f] for f in index["phi"] if f[:2] == pair) for pair in types}
    on_type = {
        pair: total(m.zeta[j, n] for j, n in pairs if (j, gpu_type[n]) == pair) for pair in types
    }
    several = {
        pair: total(m.xi[j, n, k] for j, n, k in index["xi"] if (j, gpu_type[n]) == pair and k > 1)
        for pair in types
    }
    gamma = {n: [(k, m.gamma[a, k]) for a, k in nodes.states if a == n] for n in N}
    price = {n: total(data.price(n, k) * variable for k, variable in gamma[n]) for n in N}
    postponement = cost_tables(data.instance).postponement.tolist()
    m.cost = pyo.Objective(
        expr=tardiness
        + total(postponement[j] * (1 - placed[j]) for j in J)
        + total(m.alpha[pair] * m.pi[pair] for pair in pairs)
    )
    m.c4 = pyo.Constraint(J, rule=lambda m, j: placed[j] <= 1)
    m.c5 = pyo.Constraint(pairs, rule=lambda m, j, n: m.zeta[j, n] <= m.nu[n])
    m.c7 = pyo.Constraint(
        pairs,
        rule=lambda m, j, n: total(m.xi[x] for x in index["xi"] if x[:2] == (j, n)) == m.zeta[j, n],
    )
    if "8" in data.printed:
        every = {j: total(fractions[pair] for pair in types if pair[0] == j) for j in J}
        m.c8 = pyo.Constraint(J, rule=lambda m, j: every[j] <= 1)
    else:
        m.c8 = pyo.Constraint(types, rule=lambda m, j, i: fractions[j, i] == on_type[j, i])
    m.c9 = pyo.Constraint(
        sorted({g for _, g in index["sigma"]}),
        rule=lambda m, g: (
            total(
                data.units(i, f) * m.phi[j, i, f] * m.sigma[j, g]
                for j, i, f in index["phi"]
                if i == gpu_type[gpu_node[g]] and (j, g) in m.sigma
            )
            <= units[gpu_node[g]]
        ),
    )
    m.c10 = pyo.Constraint(types, rule=lambda m, j, i: several[j, i] <= m.phi[j, i, WHOLE])
    m.c11 = pyo.Constraint(
        J,
        rule=lambda m, j: (
            total(m.sigma[s] for s in index["sigma"] if s[0] == j)
            == total(x[2] * m.xi[x] for x in index["xi"] if x[0] == j)
        ),
    )
    m.c12 = pyo.Constraint(
        index["sigma"], rule=lambda m, j, g: m.sigma[j, g] <= m.zeta[j, gpu_node[g]]
    )
    if "12" in data.printed:
        m.c12_printed = pyo.Constraint(
            [(j, n, g) for j, g in index["sigma"] for n in N if n != gpu_node[g]],
            rule=lambda m, j, n, g: m.sigma[j, g] <= 0,
        )
    on_gpu = {g: total(m.sigma[s] for s in index["sigma"] if s[1] == g) for g in index["u"]}
    if "13" in data.printed:
        m.c13 = pyo.Constraint(
            nodes.states,
            rule=lambda m, n, k: total(on_gpu[g] for g in nodes.gpus_of(n)) == k * m.gamma[n, k],
        )
    else:
        m.c13a = pyo.Constraint(index["sigma"], rule=lambda m, j, g: m.sigma[j, g] <= m.u[g])
        m.c13b = pyo.Constraint(index["u"], rule=lambda m, g: m.u[g] <= on_gpu[g])
        m.c13c = pyo.Constraint(
            N,
            rule=lambda m, n: (
                total(k * variable for k, variable in gamma[n])
                == total(m.u[g] for g in nodes.gpus_of(n))
            ),
        )
    m.c14 = pyo.Constraint(N, rule=lambda m, n: total(v for _, v in gamma[n]) == m.nu[n])
    if data.required is not None:
        m.c16 = pyo.Constraint(expr=total(m.nu.values()) == data.required)
    m.c17 = pyo.Constraint(
        N, rule=lambda m, n: total(m.alpha[p] for p in pairs if p[1] == n) == m.nu[n]
    )
    m.c18 = pyo.Constraint(pairs, rule=lambda m, j, n: m.alpha[j, n] <= m.zeta[j, n])
    m.c21 = pyo.Constraint(pairs, rule=lambda m, j, n: hours[j, n] * price[n] <= m.pi[j, n])
    return m


def _on_node(m: ConcreteModel, data: MinlpModel, value: Floats, j: int, n: int) -> Any:
    """Return the value of j's mode on n; 0 if j is not there."""
    i = int(data.nodes.gpu_type[n])
    result = sum(
        float(value[c]) * m.xi[x] for x, c in data.xi.items() if x[:2] == (j, n) and x[2] > 1
    )
    if (j, n, 1) in data.xi:
        result += m.xi[j, n, 1] * sum(
            float(value[c]) * m.phi[f] for f, c in data.phi.items() if f[:2] == (j, i)
        )
    return result


def warm_start(data: MinlpModel, solution: Solution) -> Floats:
    """Return the values of all variables for a feasible solution, each pi_jn minimal."""
    q, at = data.q, data.positions
    x = np.zeros(len(at))
    for n, members in q.chosen(data.instance, solution).items():
        i, used = int(data.nodes.gpu_type[n]), set[int]()
        first = int(q.job[q.first_to_end(members)])
        for c, gpus in data.nodes.taken(n, members):
            j, level = int(q.job[c]), int(q.level[c])
            x[[at["zeta", (j, n)], at["xi", (j, n, len(gpus))], at["phi", (j, i, level)]]] = 1.0
            x[[at["sigma", (j, g)] for g in gpus]] = 1.0
            used.update(gpus)
        for c in members:
            x[at["pi", (int(q.job[c]), n)]] = data.price(n, len(used)) * q.hours[c]
        x[[at["u", g] for g in used]] = 1.0
        x[[at["nu", n], at["gamma", (n, len(used))], at["alpha", (first, n)]]] = 1.0
    return x


def extract(data: MinlpModel, x: Floats) -> Solution:
    """
    Return the solution in a vector of all variables; nodes as `open_nodes` asks.

    With published rows it need not be feasible: a job without a fraction counts as one on a GPU.
    """
    at, q = data.positions, data.q
    on = [key for key in data.index["xi"] if x[at["xi", key]] > 0.5]
    chosen = [data.xi[key] for key in on]
    for position, (j, n, k) in enumerate(on):
        i = int(data.nodes.gpu_type[n])
        for level in range(q.on_level.shape[2]) if k == 1 else ():
            if (j, i, level) in data.phi and x[at["phi", (j, i, level)]] > 0.5:
                chosen[position] = data.phi[j, i, level]
    node = np.array([n for _, n, _ in on], dtype=np.int64)
    modes = np.array(chosen, dtype=np.int64)
    solution = q.solution(data.instance, modes, node, data.nodes.node_type[node])
    return select_required_nodes(data.instance, solution)
