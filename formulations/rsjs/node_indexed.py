"""
RS-JS node by node (form B): the GPUs of a node are counted, not named; every energy is linear.

The problem (P1) of Filippini et al. 2024 as corrected in rsjs.md 2.2. Two jobs that swap the GPUs
of one node change nothing, so a node's load fits if its dedicated GPUs and those that its shares
fill add up to no more than are paid for. With x_jnq (j runs as q on n) and r_jnqk (and is the
first to end there, k GPUs in use), (17), (18), (21) read r <= x, sum r = gamma_nk at a cost of
c_nk theta_jq r. Here x = f + sum_k r: the slack of r <= x is a column of its own, which spares the
J N Q rows r <= x; the bound is the same.

Sets and data (rsjs.md 2.1; times relative to now; a place is a node n as a type v)
    j in J jobs; n in N nodes; v in V_n types n may take, s_v GPUs
    q in Q_jv      configurations of j on the GPUs of v: k_q dedicated GPUs, or k_q = 0 and a share
                   of u_q units; dominated ones are left out (`Modes`)
    theta_q, T_q   time and tardiness cost; P_j postponement cost; c_vk price of k GPUs in use
    m_nvq          cost of starting j, or of moving it there; 0 where it stays as in `current`
    K_v            the k beyond which c_v rises, and s_v
    w_rq, b_rm     rows r and patterns m of shares (`Shares`)

Variables, 0 or 1 but for y
    f_nvq          q runs on n, of type v, and is not charged for the node
    l_nvqk         q runs there and is charged until it ends, at most k in K_v GPUs in use
    y_nvm          GPUs filled with shares by pattern m, 0..s_v
    nu_nv          n is open, as type v

    min  sum_j P_j + sum (T_q + m_nvq - P_j) f_nvq + sum (T_q + m_nvq + c_vk theta_q - P_j) l_nvqk
    (cover)   sum_nv,q in Q_jv (f_nvq + sum_k l_nvqk) <= 1              for all j
    (shares)  sum_q w_rq (f_nvq + sum_k l_nvqk) <= sum_m b_rm y_nvm     for all n, v, r
    (gpus)    sum_q k_q f_nvq + sum_m y_nvm <= sum_qk (k - k_q) l_nvqk  for all n, v
    (leader)  sum_qk l_nvqk = nu_nv                                     for all n, v
    (link)    sum_q in Q_jv (f_nvq + sum_k l_nvqk) <= nu_nv             for all j, n, v
    (one)     sum_v nu_nv <= 1                     for all n that may take several types
    (count)   sum_nv nu_nv = required              open_nodes rsjs_eq, rsjs_eq_feasible

A leader that is not the first to end only costs more. (link) tightens. Nodes of a class are left
to the solver's own symmetry breaking: rows nu_n <= nu_(n-1) made HiGHS 20 to 40 % slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.first_ending.costs import limits
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
    "f": "nvjgu",
    "l": "nvjguq",
    "y": "nvm",
    "nu": "nv",
    "cover": "j",
    "shares": "pr",
    "gpus": "p",
    "leader": "nv",
    "link": "jp",
    "one": "n",
}


@dataclass(frozen=True, eq=False)
class NodeIndexedModel:
    """Places and columns f (followers), l (leaders), y (GPUs filled with shares), nu, in order."""

    instance: Instance
    modes: Modes
    shares: Shares
    # node, node_type: (P,) of each place
    node: Ints
    node_type: Ints
    # follower_place, follower: (F,) place and mode
    follower_place: Ints
    follower: Ints
    # leader_place, leader, paid: (L,) place, mode, and GPUs in use at most
    leader_place: Ints
    leader: Ints
    paid: Ints
    # fill_place, fill: (Y,) place and pattern
    fill_place: Ints
    fill: Ints

    @staticmethod
    def of(instance: Instance) -> NodeIndexedModel:
        """Return the model of an instance."""
        cluster = instance.cluster
        node, node_type = np.nonzero(cluster.allowed)
        q = Modes.of(instance, pareto=True)
        shares = Shares.of(cluster, q)
        gpu, size = cluster.gpu_of_type[node_type], cluster.gpus_of_type[node_type]
        # every mode at every place that offers its GPUs; steps: the numbers of GPUs in K_v
        place, mode = np.nonzero(
            (gpu[:, None] == q.gpu_type) & (np.maximum(q.gpus, 1) <= size[:, None])
        )
        follower = np.flatnonzero(q.gpus[mode] < size[place])
        steps = np.zeros((len(cluster.node_types), cluster.largest + 1), dtype=bool)
        for v, kind in enumerate(cluster.node_types):
            steps[v, limits(kind)] = True
        leader, paid = np.nonzero(
            steps[node_type[place]]
            & (np.arange(cluster.largest + 1) >= np.maximum(q.gpus[mode, None], 1))
        )
        # the patterns of shares, at places where a follower or leader takes one
        occupied = np.concatenate([place[follower], place[leader]])
        shared = q.units[np.concatenate([mode[follower], mode[leader]])] > 0
        patterns = np.zeros(len(node_type), dtype=np.int64)
        with_shares = np.unique(occupied[shared])
        patterns[with_shares] = shares.patterns[gpu[with_shares]]
        fill_place = np.repeat(np.arange(len(node_type)), patterns)
        fill = np.arange(len(fill_place)) - np.repeat(np.cumsum(patterns) - patterns, patterns)
        return NodeIndexedModel(
            instance,
            q,
            shares,
            node,
            node_type,
            place[follower],
            mode[follower],
            place[leader],
            mode[leader],
            paid,
            fill_place,
            fill,
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of columns f, l, y."""
        return len(self.follower), len(self.leader), len(self.fill)

    @cached_property
    def gpu_type(self) -> Ints:
        """(P,) GPU type of each place."""
        return self.instance.cluster.gpu_of_type[self.node_type]

    @cached_property
    def capacity(self) -> Ints:
        """(P,) number of GPUs of each place."""
        return self.instance.cluster.gpus_of_type[self.node_type]

    @cached_property
    def place(self) -> Ints:
        """(F + L,) place of followers and leaders."""
        return np.concatenate([self.follower_place, self.leader_place])

    @cached_property
    def mode(self) -> Ints:
        """(F + L,) mode of followers and leaders."""
        return np.concatenate([self.follower, self.leader])

    @cached_property
    def gpus(self) -> Ints:
        """(F + L,) k_q of a follower, k_q - k of a leader: what it takes from the GPUs at hand."""
        paid = np.concatenate([np.zeros_like(self.follower), self.paid])
        taken: Ints = self.modes.gpus[self.mode] - paid
        return taken

    @cached_property
    def divided(self) -> Ints:
        """Places whose GPUs somebody takes beside the leader, in order: those with a row."""
        return np.unique(np.concatenate([self.place[self.gpus != 0], self.fill_place]))

    @cached_property
    def share_rows(self) -> list[tuple[int, int]]:
        """(place, r) of the rows on shares."""
        used = np.unique(self.fill_place).tolist()
        return [(p, r) for p in used for r in range(int(self.shares.rows[self.gpu_type[p]]))]

    @cached_property
    def cost(self) -> Floats:
        """(F + L,) T_q + m_nvq - P_j, and c_vk theta_q for a leader [$]."""
        q = self.modes
        run = q.tardiness - cost_tables(self.instance).postponement[q.job]
        price = self.instance.cluster.cost_of_type[self.node_type[self.leader_place], self.paid]
        lead = run[self.leader] + price * q.hours[self.leader]
        change = q.change_costs(
            self.instance, self.mode, self.node[self.place], self.node_type[self.place]
        )
        return np.concatenate([run[self.follower], lead]) + change

    @cached_property
    def _columns(self) -> dict[tuple[int, ...], int]:
        """(place, mode) of followers, (place, mode, k) of leaders -> column."""
        followers = numbered(self.follower_place, self.follower)
        leaders = numbered(self.leader_place, self.leader, self.paid)
        return {key: column for column, key in enumerate([*followers, *leaders])}

    @cached_property
    def _first_fill(self) -> dict[int, int]:
        """Place -> column of its first pattern."""
        first = len(self.mode)
        return {p: first + i for i, p in reversed([*enumerate(self.fill_place.tolist())])}

    def put(self, x: Floats, place: int, members: list[int]) -> None:
        """Set the columns of jobs that share a node in these modes: the first to end leads."""
        q, leader = self.modes, self.modes.first_to_end(members)
        units = [int(u) for u in q.units[members] if u]
        used = int(q.gpus[members].sum())
        if units:
            filled = self.shares.filled(int(self.gpu_type[place]), units)
            used += len(filled)
            np.add.at(x, self._first_fill[place] + np.array(filled), 1.0)
        node_type = self.instance.cluster.node_types[self.node_type[place]]
        paid = next(k for k in limits(node_type) if k >= used)
        x[self._columns[place, leader, paid]] = 1.0
        x[[self._columns[place, member] for member in members if member != leader]] = 1.0
        x[sum(self.sizes) + place] = 1.0

    @cached_property
    def place_of(self) -> dict[tuple[int, ...], int]:
        """(node, node type) -> place."""
        return numbered(self.node, self.node_type)

    @property
    def free_nodes(self) -> list[int]:
        """Nodes that may take several types."""
        free: list[int] = np.flatnonzero(np.bincount(self.node) > 1).tolist()
        return free


data_of = NodeIndexedModel.of
run = partial(solve, __name__)


def build(data: NodeIndexedModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are f, l, y, nu, as in `NodeIndexedModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, index_set, linear_sum, objective

    q, shares = data.modes, data.shares
    place, gpu_type = data.place.tolist(), data.gpu_type.tolist()
    places = list(zip(data.node.tolist(), data.node_type.tolist(), strict=True))
    jobs, units = q.job[data.mode].tolist(), q.units[data.mode].tolist()
    members = list(zip(jobs, q.gpus[data.mode].tolist(), units, strict=True))
    indices = [(*places[p], *member) for p, member in zip(place, members, strict=True)]
    followers, m = len(data.follower), pyo.ConcreteModel(name="rsjs_nodes")
    m.f = pyo.Var(index_set(indices[:followers]), domain=pyo.Binary)
    led = zip(indices[followers:], data.paid.tolist(), strict=True)
    m.l = pyo.Var(index_set((*index, paid) for index, paid in led), domain=pyo.Binary)
    fills = list(zip(data.fill_place.tolist(), data.fill.tolist(), strict=True))
    m.y = pyo.Var([(*places[p], fill) for p, fill in fills], domain=pyo.NonNegativeIntegers)
    m.nu = pyo.Var(places, domain=pyo.Binary)
    for (p, _), variable in zip(fills, m.y.values(), strict=True):
        variable.setub(int(data.capacity[p]))
    x, nu = [*m.f.values(), *m.l.values()], list(m.nu.values())
    m.cost = objective(data.instance, data.cost, x)
    # the terms of the rows, by their index
    cover, gpus = Rows(range(len(data.instance.jobs))), Rows(data.divided.tolist())
    share, leader, several = Rows(data.share_rows), Rows(places), Rows(data.free_nodes)
    link = Rows(sorted(set(zip(jobs, place, strict=True))))
    for (n, v), variable in m.nu.items():
        leader[n, v].append((-1, variable))
        if n in several:
            several[n].append((1, variable))
    for (_, p), terms in link.items():
        terms.append((-1, nu[p]))
    for i, (variable, p, j, taken) in enumerate(
        zip(x, place, jobs, data.gpus.tolist(), strict=True)
    ):
        cover[j].append((1, variable))
        link[j, p].append((1, variable))
        if i >= followers:
            leader[places[p]].append((1, variable))
        if taken:
            gpus[p].append((taken, variable))
        if units[i]:
            for r in range(int(shares.rows[gpu_type[p]])):
                share[p, r].append((int(shares.weight[gpu_type[p], r, units[i]]), variable))
    for (p, pattern), variable in zip(fills, m.y.values(), strict=True):
        gpus[p].append((1, variable))
        for r in range(int(shares.rows[gpu_type[p]])):
            share[p, r].append((-int(shares.room[gpu_type[p], r, pattern]), variable))
    m.cover, m.shares, m.gpus = cover.at_most(1), share.at_most(0), gpus.at_most(0)
    m.leader, m.link, m.one = leader.equal(0), link.at_most(0), several.at_most(1)
    required = nodes_with_a_job(data.instance)
    if required is not None:
        m.count = pyo.Constraint(expr=linear_sum((1, variable) for variable in nu) == required)
    return m


def warm_start(data: NodeIndexedModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution: on each node the first job to end leads.

    Dominated modes are replaced, so that the vector never costs more than the solution.
    """
    x = np.zeros(sum(data.sizes) + len(data.node))
    for n, members in data.modes.chosen(data.instance, solution).items():
        data.put(x, data.place_of[n, int(solution.node_type[n])], members)
    return x


def extract(data: NodeIndexedModel, x: Floats) -> Solution:
    """Return the solution in an integral column vector; nodes as `open_nodes` asks."""
    chosen = np.flatnonzero(x[: len(data.mode)] > 0.5)
    place = data.place[chosen]
    solution = data.modes.solution(
        data.instance, data.mode[chosen], data.node[place], data.node_type[place]
    )
    return select_required_nodes(data.instance, solution)
