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

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.first_ending.costs import empty_types, gains, leader_gains, limits
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes import pattern_model
from rsjs.formulations.modes.modes import partitions
from rsjs.formulations.modes.pattern_model import PatternData
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


class LeaderMode(NamedTuple):
    """How a job runs: as leader of a node charged for `limit` GPUs; limit 0 = as a follower."""

    node_type: int
    limit: int
    gpus: int


class LeaderPattern(NamedTuple):
    """
    A node's type, the GPUs it is charged for, and the GPUs of its jobs.

    `leader` and `followers`, decreasing, add up to `limit`; all are empty on a node without jobs.
    """

    node_class: int
    node_type: int
    limit: int
    leader: int
    followers: tuple[int, ...]

    @property
    def modes(self) -> list[LeaderMode]:
        """The leader's mode, then the followers'."""
        if not self.limit:
            return []
        leader = LeaderMode(self.node_type, self.limit, self.leader)
        return [leader, *(LeaderMode(self.node_type, 0, g) for g in self.followers)]


INDEX_LETTERS = {
    "l": "jvqg",
    "f": "jvqg",
    "L": "kvqgf",
    "cover": "j",
    "slots": "vqg",
    "classes": "k",
}


Candidates = Iterator[tuple[LeaderMode, Bools, Floats]]  # mode, jobs kept, their gains


def data_of(instance: Instance) -> PatternData:
    """Return modes, options and patterns of an instance; leaders come first."""
    modes: list[LeaderMode] = []
    jobs: list[Ints] = []
    gain: list[Floats] = []
    for mode, kept, values in (*_leaders(instance), *_followers(instance)):
        if kept.any():
            modes.append(mode)
            jobs.append(np.flatnonzero(kept))
            gain.append(values[kept])
    leaders = {mode for mode in modes if mode.limit}
    return PatternData(
        instance,
        job=np.concatenate(jobs),
        mode=np.repeat(np.arange(len(modes)), [len(part) for part in jobs]),
        gain=np.concatenate(gain),
        modes=modes,
        patterns=list(_patterns(instance, leaders)),
        leader_modes=len(leaders),
    )


def _leaders(instance: Instance) -> Candidates:
    for v in _offered(instance):
        for q in limits(instance.cluster.node_types[v]):
            gain = leader_gains(instance, v, q)
            for g in range(1, q + 1):
                yield LeaderMode(v, q, g), _beats_smaller(gain, g), gain[:, g]


def _followers(instance: Instance) -> Candidates:
    for v in _offered(instance):
        gain = gains(instance, v)
        for g in range(1, gain.shape[1] - 1):  # one GPU is the leader's
            yield LeaderMode(v, 0, g), _beats_smaller(gain, g) & (gain[:, g] < 0), gain[:, g]


def _offered(instance: Instance) -> list[int]:
    offered: list[int] = np.flatnonzero(instance.cluster.allowed_in_class.any(axis=0)).tolist()
    return offered


def _beats_smaller(gain: Floats, g: int) -> Bools:
    beats: Bools = gain[:, g] < gain[:, :g].min(axis=1)
    return beats


def _patterns(instance: Instance, leaders: set[LeaderMode]) -> Iterator[LeaderPattern]:
    """Yield every partition of every limit with each of its parts as the leader's."""
    cluster = instance.cluster
    for k, allowed in enumerate(cluster.allowed_in_class):
        for v in np.flatnonzero(allowed).tolist():
            for q in limits(cluster.node_types[v]):
                for parts in partitions(q):
                    for at, g in enumerate(parts):
                        if g not in parts[:at] and LeaderMode(v, q, g) in leaders:
                            yield LeaderPattern(k, v, q, g, parts[:at] + parts[at + 1 :])
    for k, v in enumerate(empty_types(instance)):
        yield LeaderPattern(k, v, 0, 0, ())


extract = pattern_model.extract
run = partial(solve, __name__)


def build(data: PatternData) -> ConcreteModel:
    """Build the Pyomo model; its columns are l, f, L."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import implied_integers, index_set

    m = pyo.ConcreteModel(name="first_ending_patterns")
    leaders = int(np.count_nonzero(data.mode < data.leader_modes))
    m.l = pyo.Var(data.options[:leaders], bounds=(0, 1))
    m.f = pyo.Var(data.options[leaders:], bounds=(0, 1))
    _, most = selected_nodes(data.instance)
    patterns = index_set((*pattern[:-1], *pattern.followers) for pattern in data.patterns)
    m.L = pyo.Var(patterns, domain=pyo.NonNegativeIntegers, bounds=(0, most))
    m.implied_integer = implied_integers(m.l, m.f)
    pattern_model.add_rows(m, data, [*m.l.values(), *m.f.values()], list(m.L.values()))
    return m


def warm_start(data: PatternData, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution: on each node the first job to end leads.

    A job whose option was left out takes the smaller slot that is no worse, or, as a follower,
    is postponed; nodes without a job are as small as they may be, and off where they need not
    be on: the vector never costs more than the decision.
    """
    instance, hours = data.instance, cost_tables(data.instance).hours
    cluster = instance.cluster
    option = {key: i for i, key in enumerate(data.options)}
    pattern = {key: len(data.job) + p for p, key in enumerate(data.patterns)}
    empty = {k: column for (k, _, limit, _, _), column in pattern.items() if not limit}
    x = np.zeros(len(data.cost))
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
                x[option[j, v, 0, g]] = 1.0
                parts.append(g)
        # the leader is charged for the smallest limit that holds its slot and the followers'
        j, most = int(jobs[first]), int(used[first])
        q = next(q for q in limits(cluster.node_types[v]) if q >= most + sum(parts))
        g = int(leader_gains(instance, v, q)[j, : most + 1].argmin())
        x[option[j, v, q, g]] = 1.0
        parts += [1] * (q - g - sum(parts))
        x[pattern[LeaderPattern(k, v, q, g, tuple(sorted(parts, reverse=True)))]] += 1.0
    return x
