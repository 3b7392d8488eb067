"""
Nodes charged until their first job ends, as an exact pattern model with leaders.

One job per node, its leader, pays for the node: whoever leads, the charge c t is at least that of
the first job to end, and a minimum charges exactly that. This is reading (i) of Kiros 2020,
3.1.1, and ANDREAS 2021, (1): cost of the whole node, for the GPUs in use, until the leader ends.

Sets and data (times relative to now)
    j in J jobs, v in V node types, g GPUs, k node classes (nodes with the same allowed types),
    N_k nodes of class k
    q in Q_v       limits: the numbers of GPUs beyond which c_v rises, and s_v (flat: s_v alone)
    p in Pi_q      partitions of q, a_pg how often part g occurs in p; h a part of p
    T_jvg, t_jvg   tardiness cost and time of j on g GPUs of type v; P_j postponement cost
    c_vq           $/h of a node of type v with q GPUs in use

Variables
    l_jvqg in [0, 1]        j leads a node of type v charged for q GPUs, on g of them
    f_jvg in [0, 1]         j follows on g GPUs of a node of type v
    L_kvqph in {0, 1, ...}  nodes of class k, type v, charged for q GPUs, cut by p, led from part h
    L_kv0 in {0, 1, ...}    nodes selected without a job, v the smallest type (only jahani_eq)

    min  sum_j P_j + sum_jvqg (T_jvg + c_vq t_jvg - mu g - P_j) l_jvqg
         + sum_jvg (T_jvg - mu g - P_j) f_jvg + sum mu s_v L
    (cover)   sum_vqg l_jvqg + sum_vg f_jvg <= 1                   for all j
    (slots)   sum_j l_jvqg = sum_kp L_kvqpg                        for all v, q, g
              sum_j f_jvg <= sum_kqph (a_pg - [g = h]) L_kvqph     for all v, g
    (nodes)   sum L = min(J, N), the matching number, or <= N      open_nodes *_eq, _feasible, free
    (class)   sum_vqph L_kvqph <= N_k                              for all k, when several

Exact: a node whose jobs use u GPUs is padded with parts of one GPU to the least limit q >= u,
where c_vq = c_vu; the slots of a cut hold jobs of at most q GPUs. For fixed integer L, l and f
solve a transportation problem, so they may stay continuous. Left out, because some optimum does
without: followers with a gain >= 0 (they may as well wait: an empty slot costs nothing more),
and options, followers or leaders, no better than one on fewer GPUs g' < g of the same v and q
(the slot splits into g' and ones). A leader with a gain >= 0 stays: it may carry followers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.first_ending.costs import (
    empty_types,
    gains,
    leader_gains,
    limits,
    selected_nodes,
)
from rsjs.formulations.milp import solve
from rsjs.formulations.modes.modes import partitions
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

    from rsjs.core.method import Call, Report, SolveResult
    from rsjs.formulations.milp.from_pyomo import Term


class JobSlot(NamedTuple):
    """Room for one job: a leader on a node charged for `limit` GPUs; limit 0 = a follower."""

    node_type: int
    limit: int
    gpus: int


class Cut(NamedTuple):
    """
    A node's type, the GPUs it is charged for, and its slots.

    `leader` and `followers`, decreasing, add up to `limit`; all are empty on a node without jobs.
    """

    node_class: int
    node_type: int
    limit: int
    leader: int
    followers: tuple[int, ...]

    @property
    def slots(self) -> list[JobSlot]:
        """The leader's slot, then the followers'."""
        if not self.limit:
            return []
        leader = JobSlot(self.node_type, self.limit, self.leader)
        return [leader, *(JobSlot(self.node_type, 0, g) for g in self.followers)]


INDEX_LETTERS = {
    "l": "jvqg",
    "f": "jvqg",
    "L": "kvqgf",
    "cover": "j",
    "slots": "vqg",
    "classes": "k",
}


@dataclass(frozen=True, eq=False)
class LeaderModel:
    """
    The model's data; column order is the leader options, the follower options, the cuts.

    Attributes
    ----------
    job, slot : (n,) int, the options: a job in a slot of `slots`; leaders first
    gain : (n,) float, what an option changes against postponing the job [$]
    slots : list of JobSlot, leaders' first; those that some option uses
    cuts : list of Cut
    """

    instance: Instance
    job: Ints
    slot: Ints
    gain: Floats
    slots: list[JobSlot]
    cuts: list[Cut]

    @staticmethod
    def of(instance: Instance) -> LeaderModel:
        """Return slots, options and cuts of an instance."""
        slots: list[JobSlot] = []
        jobs: list[Ints] = []
        gain: list[Floats] = []
        for slot, kept, values in (*_leaders(instance), *_followers(instance)):
            if kept.any():
                slots.append(slot)
                jobs.append(np.flatnonzero(kept))
                gain.append(values[kept])
        return LeaderModel(
            instance,
            job=np.concatenate(jobs),
            slot=np.repeat(np.arange(len(slots)), [len(part) for part in jobs]),
            gain=np.concatenate(gain),
            slots=slots,
            cuts=list(_cuts(instance, {slot for slot in slots if slot.limit})),
        )

    @cached_property
    def leader_slots(self) -> int:
        """How many of `slots` are leaders'."""
        return sum(slot.limit > 0 for slot in self.slots)

    @cached_property
    def leader_options(self) -> int:
        """How many of the options are leaders."""
        return int(np.count_nonzero(self.slot < self.leader_slots))

    @property
    def offset(self) -> float:
        """Cost of postponing every job, sum_j P_j [$]."""
        return float(cost_tables(self.instance).postponement.sum())

    @cached_property
    def classes(self) -> list[int]:
        """The node classes that need a row: those with cuts, where there are several classes."""
        several = len(self.instance.cluster.class_sizes) > 1
        return sorted({cut.node_class for cut in self.cuts}) if several else []

    @cached_property
    def supply(self) -> list[tuple[int, int, int]]:
        """(slot, cut, how many of the slot the cut has)."""
        position = {slot: s for s, slot in enumerate(self.slots)}
        return [
            (position[slot], c, count)
            for c, cut in enumerate(self.cuts)
            for slot, count in Counter(cut.slots).items()
            if slot in position
        ]

    @cached_property
    def idle_cost(self) -> Floats:
        """(cuts,) cost of the idle GPUs of a node, mu s_v [$]."""
        mu, types = self.instance.objective.mu, self.instance.cluster.node_types
        return np.array([mu * types[cut.node_type].gpus for cut in self.cuts])


Candidates = Iterator[tuple[JobSlot, Bools, Floats]]  # slot, jobs kept, their gains


def _leaders(instance: Instance) -> Candidates:
    for v in _offered(instance):
        for q in limits(instance.cluster.node_types[v]):
            gain = leader_gains(instance, v, q)
            for g in range(1, q + 1):
                yield JobSlot(v, q, g), _beats_smaller(gain, g), gain[:, g]


def _followers(instance: Instance) -> Candidates:
    for v in _offered(instance):
        gain = gains(instance, v)
        for g in range(1, gain.shape[1] - 1):  # one GPU is the leader's
            yield JobSlot(v, 0, g), _beats_smaller(gain, g) & (gain[:, g] < 0), gain[:, g]


def _offered(instance: Instance) -> list[int]:
    offered: list[int] = np.flatnonzero(instance.cluster.allowed_in_class.any(axis=0)).tolist()
    return offered


def _beats_smaller(gain: Floats, g: int) -> Bools:
    beats: Bools = gain[:, g] < gain[:, :g].min(axis=1)
    return beats


def _cuts(instance: Instance, leaders: set[JobSlot]) -> Iterator[Cut]:
    """Yield every partition of every limit with each of its parts as the leader's."""
    cluster = instance.cluster
    for k, allowed in enumerate(cluster.allowed_in_class):
        for v in np.flatnonzero(allowed).tolist():
            for q in limits(cluster.node_types[v]):
                for parts in partitions(q):
                    for at, g in enumerate(parts):
                        if g not in parts[:at] and JobSlot(v, q, g) in leaders:
                            yield Cut(k, v, q, g, parts[:at] + parts[at + 1 :])
    for k, v in enumerate(empty_types(instance)):
        yield Cut(k, v, 0, 0, ())


def data_of(instance: Instance, _options: solve.Options) -> LeaderModel:
    """Return the model's data."""
    return LeaderModel.of(instance)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the model."""
    return solve.solve(__name__, instance, call, report)


def build(data: LeaderModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are l, f, L, as in `LeaderModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import index_set, linear_sum

    m = pyo.ConcreteModel(name="first_ending_patterns")
    job, slot = data.job.tolist(), [data.slots[s] for s in data.slot.tolist()]
    options = [(j, *s) for j, s in zip(job, slot, strict=True)]
    m.l = pyo.Var(options[: data.leader_options], bounds=(0, 1))
    m.f = pyo.Var(options[data.leader_options :], bounds=(0, 1))
    least, most = selected_nodes(data.instance)
    cuts = index_set((*cut[:-1], *cut.followers) for cut in data.cuts)
    m.L = pyo.Var(cuts, domain=pyo.NonNegativeIntegers, bounds=(0, most))
    m.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    for part in (m.l, m.f):
        m.implied_integer.set_value(part, True, expand=False)
    x, L = [*m.l.values(), *m.f.values()], list(m.L.values())
    costs = [*zip(data.gain.tolist(), x, strict=True)]
    costs += zip(data.idle_cost.tolist(), L, strict=True)
    m.cost = pyo.Objective(expr=linear_sum(costs, data.offset))
    # the terms of the rows: of a job, of a slot, of a node class
    cover: dict[int, list[Term]] = {}
    slots: dict[JobSlot, list[Term]] = {s: [] for s in data.slots}
    classes: dict[int, list[Term]] = {k: [] for k in data.classes}
    for j, s, variable in zip(job, slot, x, strict=True):
        cover.setdefault(j, []).append((1, variable))
        slots[s].append((1, variable))
    for s, c, count in data.supply:
        slots[data.slots[s]].append((-count, L[c]))
    for cut, variable in zip(data.cuts, L, strict=True):
        if classes:
            classes[cut.node_class].append((1, variable))
    m.cover = pyo.Constraint(list(cover), rule=lambda m, j: linear_sum(cover[j]) <= 1)

    def row(_: ConcreteModel, v: int, limit: int, g: int) -> object:
        total = linear_sum(slots[JobSlot(v, limit, g)])
        return total == 0 if limit else total <= 0

    m.slots = pyo.Constraint(data.slots, rule=row)
    total = linear_sum((1, variable) for variable in L)
    m.nodes = pyo.Constraint(expr=total <= most if least < most else total == most)
    sizes = data.instance.cluster.class_sizes.tolist()
    m.classes = pyo.Constraint(list(classes), rule=lambda m, k: linear_sum(classes[k]) <= sizes[k])
    return m


def warm_start(data: LeaderModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution: on each node the first job to end leads.

    A job whose option was left out takes the smaller slot that is no worse, or, as a follower,
    is postponed; nodes without a job are as small as they may be, and off where they need not
    be on: the vector never costs more than the decision.
    """
    instance, hours = data.instance, cost_tables(data.instance).hours
    cluster = instance.cluster
    position = {slot: s for s, slot in enumerate(data.slots)}
    keys = zip(data.job.tolist(), data.slot.tolist(), strict=True)
    option = {key: i for i, key in enumerate(keys)}
    cut = {key: len(data.job) + c for c, key in enumerate(data.cuts)}
    empty = {k: c for (k, _, limit, _, _), c in cut.items() if not limit}
    x = np.zeros(len(data.job) + len(data.cuts))
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, k = int(solution.node_type[n]), int(cluster.class_of_node[n])
        jobs = np.flatnonzero(solution.job_node == n)
        if not jobs.size:
            if k in empty:
                x[empty[k]] += 1.0
            continue
        used = solution.job_gpus[jobs]
        first = int(hours[jobs, cluster.gpu_of_type[v], used].argmin())
        # followers take the smallest slot that is no worse, or wait
        follows, parts = gains(instance, v), []
        for at in np.delete(np.arange(len(jobs)), first).tolist():
            j, g = int(jobs[at]), int(follows[jobs[at], : used[at] + 1].argmin())
            if follows[j, g] < 0:
                x[option[j, position[JobSlot(v, 0, g)]]] = 1.0
                parts.append(g)
        # the leader is charged for the smallest limit that holds its slot and the followers'
        j, most = int(jobs[first]), int(used[first])
        q = next(q for q in limits(cluster.node_types[v]) if q >= most + sum(parts))
        g = int(leader_gains(instance, v, q)[j, : most + 1].argmin())
        x[option[j, position[JobSlot(v, q, g)]]] = 1.0
        parts += [1] * (q - g - sum(parts))
        x[cut[Cut(k, v, q, g, tuple(sorted(parts, reverse=True)))]] += 1.0
    return x


def extract(data: LeaderModel, x: Floats) -> Solution:
    """
    Return the solution in a column vector with integral L; fractional options are optimised again.

    It costs at most what the vector costs: a node is charged until its first job ends, whoever
    leads, and for the GPUs in use.
    """
    counts = np.rint(x[len(data.job) :])
    taken = x[: len(data.job)]
    chosen = np.flatnonzero(taken > 0.5)
    if np.abs(taken - np.rint(taken)).max(initial=0.0) > 1e-6:
        chosen = _best_options(data, counts)
    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    free = [
        np.flatnonzero(cluster.class_of_node == k).tolist()[::-1]
        for k in range(len(cluster.class_sizes))
    ]
    node_type = np.full(cluster.nodes, -1)
    nodes: dict[JobSlot, list[int]] = {}
    for cut, count in zip(data.cuts, counts.astype(int).tolist(), strict=True):
        for _ in range(count):
            n = free[cut.node_class].pop()
            node_type[n] = cut.node_type
            for slot in cut.slots:
                nodes.setdefault(slot, []).append(n)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    for i in chosen.tolist():
        j, slot = int(data.job[i]), data.slots[data.slot[i]]
        job_node[j], job_gpus[j] = nodes[slot].pop(0), slot.gpus
    return Solution.of(job_node, job_gpus, node_type)


def _best_options(data: LeaderModel, counts: Floats) -> Ints:
    """Return the cheapest options for fixed cuts: a transportation problem."""
    from scipy.optimize import LinearConstraint, milp

    options, slots = np.arange(len(data.job)), len(data.slots)
    one = np.ones(len(options))
    jobs, of_job = np.unique(data.job, return_inverse=True)
    slot, cut, count = np.array(data.supply).T
    offered = np.bincount(slot, weights=count * counts[cut], minlength=slots)
    least = np.where(np.arange(slots) < data.leader_slots, offered, -np.inf)
    chosen_options = milp(
        data.gain,
        integrality=one,
        bounds=(0, 1),
        constraints=[
            LinearConstraint(csr_array((one, (of_job, options))), ub=np.ones(len(jobs))),
            LinearConstraint(
                csr_array((one, (data.slot, options)), shape=(slots, len(options))), least, offered
            ),
        ],
    )
    chosen: Ints = np.flatnonzero(chosen_options.x > 0.5)
    return chosen
