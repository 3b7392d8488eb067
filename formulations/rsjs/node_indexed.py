"""
RS-JS node by node (form B): the GPUs of a node are counted, not named; every energy is linear.

The problem (P1) of Filippini et al. 2024 as corrected in rsjs.md 2.2. Two jobs that swap the GPUs
of one node change nothing, so a node's load fits if its dedicated GPUs and those that its shares
fill add up to no more than are paid for. With x_jnq (j runs as q on n) and r_jnqk (and is the
first to end there, k GPUs in use), (17), (18), (21) read r <= x, sum r = gamma_nk at a cost of
c_nk theta_jq r. Here x = f + sum_k r: the slack of r <= x is a column of its own, which spares the
J N Q rows r <= x; the bound is the same.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; n in N nodes; v in V_n types n may take, s_v GPUs
    q in Q_jv      configurations of j on the GPUs of v: k_q dedicated GPUs, or k_q = 0 and a share
                   of u_q units; dominated ones are left out (`Configurations`)
    theta_q, T_q   time and tardiness cost; P_j postponement cost; c_vk price of k GPUs in use
    K_v            the k beyond which c_v rises, and s_v
    w_rq, b_rm     rows r and patterns m of shares (`Shares`)

Variables, 0 or 1 but for y
    f_nvq          q runs on n, of type v, and is not charged for the node
    l_nvqk         q runs there and is charged until it ends, at most k in K_v GPUs in use
    y_nvm          GPUs filled with shares by pattern m, 0..s_v
    nu_nv          n is open, as type v

    min  sum_j P_j + sum (T_q - P_j) f_nvq + sum (T_q + c_vk theta_q - P_j) l_nvqk
    (cover)   sum_nv,q in Q_jv (f_nvq + sum_k l_nvqk) <= 1              for all j
    (shares)  sum_q w_rq (f_nvq + sum_k l_nvqk) <= sum_m b_rm y_nvm     for all n, v, r
    (gpus)    sum_q k_q f_nvq + sum_m y_nvm <= sum_qk (k - k_q) l_nvqk  for all n, v
    (leader)  sum_qk l_nvqk = nu_nv                                     for all n, v
    (link)    sum_q in Q_jv (f_nvq + sum_k l_nvqk) <= nu_nv             for all j, n, v
    (one)     sum_v nu_nv <= 1                     for all n that may take several types
    (count)   sum_nv nu_nv = required              open_nodes rsjs_eq, rsjs_eq_feasible

A leader that is not the first to end only costs more. (link) tightens. Nodes of a class are left
to the solver's own symmetry breaking: rows nu_n <= nu_(n-1) made HiGHS 20 to 40 % slower.

The data of the node-indexed RS-JS model, and the column order.

The node-indexed RS-JS model assembled without Pyomo.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.milp.matrix import Kind, MatrixModel, Rows
from rsjs.formulations.modes.modes import nodes_with_a_job, serve
from rsjs.formulations.rsjs.leader_follower import Crews
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData
    from pyomo.core.expr import LinearExpression


@dataclass(frozen=True, eq=False)
class NodeModel:
    """
    The model's data; a place is a node as one of its types. Column order: f, l, y, nu.

    Attributes
    ----------
    node : (P,) int, of each place
    required : int or None
        Nodes with a job; None = any number.
    """

    instance: Instance
    crews: Crews
    node: Ints
    required: int | None

    @staticmethod
    def of(instance: Instance) -> NodeModel:
        """The model of an instance; ValueError in one line if it is not served."""
        serve("rsjs_nodes", instance)
        node, node_type = np.nonzero(instance.cluster.allowed)
        crews = Crews.of(instance, node_type)
        return NodeModel(instance, crews, node, nodes_with_a_job(instance))

    @property
    def columns(self) -> int:
        """Number of columns."""
        return self.crews.columns + len(self.node)

    @cached_property
    def leads(self) -> Bools:
        """(F + L,) whether a column is a leader's."""
        return np.repeat([False, True], self.crews.sizes[:2])

    @cached_property
    def links(self) -> list[tuple[int, int]]:
        """(job, place) pairs with a column, in order."""
        job = self.crews.configurations.job[self.crews.member]
        pairs = np.unique(np.stack([job, self.crews.place], axis=1), axis=0)
        return [(j, p) for j, p in pairs.tolist()]

    @cached_property
    def place_of(self) -> dict[tuple[int, int], int]:
        """(node, node type) -> place."""
        pairs = zip(self.node.tolist(), self.crews.node_type.tolist(), strict=True)
        return {pair: p for p, pair in enumerate(pairs)}

    @cached_property
    def free_nodes(self) -> dict[int, list[int]]:
        """Nodes that may take several types, and their places."""
        places: dict[int, list[int]] = {}
        for p, n in enumerate(self.node.tolist()):
            places.setdefault(n, []).append(p)
        return {n: several for n, several in places.items() if len(several) > 1}


def arrays(data: NodeModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    crews, places = data.crews, np.arange(len(data.node))
    nu = crews.columns + places
    column, leader = np.arange(len(crews.member)), np.flatnonzero(data.leads)
    rows = Rows()
    _add_crews(rows, crews)
    rows.add(len(places), 0.0, 0.0, (crews.place[leader], leader, 1.0), (places, nu, -1.0))
    job, place = np.array(data.links).T
    link = np.full((len(data.instance.jobs), len(places)), -1)
    link[job, place] = np.arange(len(job))
    linked = link[crews.configurations.job[crews.member], crews.place]
    rows.add(len(job), -np.inf, 0.0, (linked, column, 1.0), (np.arange(len(job)), nu[place], -1.0))
    several = [(row, p) for row, of in enumerate(data.free_nodes.values()) for p in of]
    node_row, p = np.array(several, dtype=np.int64).reshape(-1, 2).T
    rows.add(len(data.free_nodes), -np.inf, 1.0, (node_row, nu[p], 1.0))
    if data.required is not None:
        required = float(data.required)
        rows.add(1, required, required, (np.zeros_like(places), nu, 1.0))
    return rows.model(
        cost=np.concatenate([crews.cost, np.zeros(len(places))]),
        upper=np.concatenate([crews.upper, np.ones(len(places))]),
        kind=np.full(data.columns, Kind.INTEGER, np.uint8),
        offset=crews.offset,
    )


def _add_crews(rows: Rows, crews: Crews) -> None:
    """Add (cover), (shares) and (gpus)."""
    q, member, place = crews.configurations, crews.member, crews.place
    column = np.arange(len(member))
    fill = len(member) + np.arange(len(crews.fill))
    rows.add(len(crews.instance.jobs), -np.inf, 1.0, (q.job[member], column, 1.0))
    if crews.share_rows:
        row_of = np.full((len(crews.node_type), crews.shares.weight.shape[1]), -1)
        at, r = np.array(crews.share_rows).T
        row_of[at, r] = np.arange(len(at))
        weight = crews.shares.weight[crews.gpu_type[place], :, q.units[member]].astype(float)
        room = crews.shares.room[crews.gpu_type[crews.fill_place], :, crews.fill].astype(float)
        taken, r = np.nonzero(weight)
        given, s = np.nonzero(room)
        rows.add(
            len(at),
            -np.inf,
            0.0,
            (row_of[place[taken], r], column[taken], weight[taken, r]),
            (row_of[crews.fill_place[given], s], fill[given], -room[given, s]),
        )
    uses, row_of_place = np.flatnonzero(crews.gpus), np.full(len(crews.node_type), -1)
    row_of_place[crews.divided] = np.arange(len(crews.divided))
    rows.add(
        len(crews.divided),
        -np.inf,
        0.0,
        (row_of_place[place[uses]], column[uses], crews.gpus[uses].astype(float)),
        (row_of_place[crews.fill_place], fill, 1.0),
    )


def build(data: NodeModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `NodeModel` are `columns(model)`."""
    import pyomo.core as pyo

    crews = data.crews
    m = _crews(crews)
    m.nu = pyo.Var(range(len(data.node)), domain=pyo.Binary)
    led = [[(-1, m.nu[p])] for p in m.nu]
    linked = {pair: [(-1, m.nu[pair[1]])] for pair in data.links}
    for variable, p, j, leads in zip(
        [*m.f.values(), *m.l.values()],
        crews.place.tolist(),
        crews.configurations.job[crews.member].tolist(),
        data.leads.tolist(),
        strict=True,
    ):
        linked[j, p].append((1, variable))
        if leads:
            led[p].append((1, variable))
    m.leader = pyo.Constraint(m.nu.index_set(), rule=lambda m, p: _weighted(led[p]) == 0)
    m.link = pyo.Constraint(data.links, rule=lambda m, j, p: _weighted(linked[j, p]) <= 0)
    m.one = pyo.Constraint(
        list(data.free_nodes),
        rule=lambda m, n: pyo.quicksum(m.nu[p] for p in data.free_nodes[n]) <= 1,
    )
    if data.required is not None:
        m.count = pyo.Constraint(expr=pyo.quicksum(m.nu.values()) == data.required)
    return m


def _crews(crews: Crews) -> ConcreteModel:
    """Build the model of f, l, y, their costs, (cover), (shares) and (gpus)."""
    import pyomo.core as pyo

    followers, leaders, fills = crews.sizes
    m = pyo.ConcreteModel(name="rsjs_nodes")
    m.f = pyo.Var(range(followers), domain=pyo.Binary)
    m.l = pyo.Var(range(leaders), domain=pyo.Binary)
    m.y = pyo.Var(range(fills), domain=pyo.NonNegativeIntegers)
    for column, p in zip(m.y.values(), crews.fill_place.tolist(), strict=True):
        column.setub(int(crews.capacity[p]))
    members = [*m.f.values(), *m.l.values()]
    q, shares = crews.configurations, crews.shares
    m.cost = pyo.Objective(
        expr=_weighted(zip(crews.cost.tolist(), members, strict=False), crews.offset)
    )
    cover: list[list[tuple[int, Any]]] = [[] for _ in crews.instance.jobs.id]
    gpus: dict[int, list[tuple[int, Any]]] = {p: [] for p in crews.divided.tolist()}
    share: dict[tuple[int, int], list[tuple[int, Any]]] = {row: [] for row in crews.share_rows}
    rows = zip(
        members,
        crews.place.tolist(),
        crews.member.tolist(),
        crews.gpus.tolist(),
        strict=True,
    )
    job, units, gpu_type = q.job.tolist(), q.units.tolist(), crews.gpu_type.tolist()
    for variable, p, config, taken in rows:
        cover[job[config]].append((1, variable))
        if taken:
            gpus[p].append((taken, variable))
        if units[config]:
            for r in range(int(shares.rows[gpu_type[p]])):
                weight = int(shares.weight[gpu_type[p], r, units[config]])
                share[p, r].append((weight, variable))
    fills_at = zip(m.y.values(), crews.fill_place.tolist(), crews.fill.tolist(), strict=True)
    for variable, p, pattern in fills_at:
        gpus[p].append((1, variable))
        for r in range(int(shares.rows[gpu_type[p]])):
            share[p, r].append((-int(shares.room[gpu_type[p], r, pattern]), variable))
    m.cover = pyo.Constraint(range(len(cover)), rule=lambda m, j: _weighted(cover[j]) <= 1)
    m.shares = pyo.Constraint(crews.share_rows, rule=lambda m, p, r: _weighted(share[p, r]) <= 0)
    m.gpus = pyo.Constraint(list(gpus), rule=lambda m, p: _weighted(gpus[p]) <= 0)
    return m


def _weighted(terms: Iterable[tuple[float, Any]], constant: float = 0.0) -> LinearExpression:
    """Return sum coefficient * variable without the zeros: quicker than adding up products."""
    from pyomo.core.expr import LinearExpression

    pairs = [pair for pair in terms if pair[0]]
    coefficients, variables = zip(*pairs, strict=True) if pairs else ((), ())
    return LinearExpression(constant=constant, linear_coefs=coefficients, linear_vars=variables)


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `NodeModel`."""
    parts = (model.f, model.l, model.y, model.nu)
    return [variable for part in parts for variable in part.values()]


def warm_start(data: NodeModel, solution: Solution) -> Floats:
    """
    The column vector of a feasible decision: on each node the first job to end leads.

    Dominated configurations are replaced, so that the vector never costs more than the decision.
    """
    crews, x = data.crews, np.zeros(data.columns)
    for n, members in crews.configurations.chosen(data.instance, solution).items():
        p = data.place_of[n, int(solution.node_type[n])]
        crews.put(x, p, members)
        x[crews.columns + p] = 1.0
    return x


def extract(data: NodeModel, x: Floats) -> Solution:
    """The decision in an integral column vector; nodes as `open_nodes` asks."""
    crews = data.crews
    chosen = np.flatnonzero(x[: len(crews.member)] > 0.5)
    place = crews.place[chosen]
    decision = crews.configurations.decision(
        data.instance, crews.member[chosen], data.node[place], crews.node_type[place]
    )
    return select_required_nodes(data.instance, decision)
