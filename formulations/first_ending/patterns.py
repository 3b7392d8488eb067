"""
Nodes charged until their first job ends, as an exact pattern model with leaders.

One job per node, its leader, pays for the node: whoever leads, the charge c t is at least that of
the first job to end, and a minimum charges exactly that. This is reading (i) of Kiros 2020,
3.1.1, and ANDREAS 2021, (1): cost of the whole node, for the GPUs in use, until the leader ends.

Sets and data (times relative to now)
    j in J jobs, v in V node types, g GPUs, k node classes (nodes with the same allowed types),
    N_k nodes of class k
    q in Q_v       limits: the numbers of GPUs beyond which c_v rises, and s_v (flat: s_v alone)
    u = 0..s_v - 1 GPUs of a node that are already cut
    T_jvg, t_jvg   tardiness cost and time of j on g GPUs of type v; P_j postponement cost
    c_vq           $/h of a node of type v with q GPUs in use

Variables
    l_jvqg in [0, 1]        j leads a node of type v charged for q GPUs, on g of them
    f_jvg in [0, 1]         j follows on g GPUs of a node of type v
    L_kv in {0, 1, ...}     nodes of class k configured as v
    y_vqg in {0, 1, ...}    nodes of type v charged for q GPUs whose leader has a slot of g GPUs
    y_vug in {0, 1, ...}    nodes of type v with a follower's slot of g GPUs after the first u ones

    min  sum_j P_j + sum_jvqg (T_jvg + c_vq t_jvg - mu g - P_j) l_jvqg
         + sum_jvg (T_jvg - mu g - P_j) f_jvg + sum_kv mu s_v L_kv
    (cover)   sum_vqg l_jvqg + sum_vg f_jvg <= 1                   for all j
    (slots)   sum_j l_jvqg = y_vqg                                 for all v, q, g
              sum_j f_jvg <= sum_u y_vug                           for all v, g
    (source)  sum_qg y_vqg <= sum_k L_kv, or =                     for all v; = for rsjs_eq*
    (flow)    sum_g y_vug <= sum_g y_v,u-g,g + sum_q y_v,q,u+q-s_v for all v, 0 < u < s_v
    (nodes)   sum L = min(J, N), the matching number, or <= N      open_nodes *_eq, _feasible, free
    (class)   sum_v L_kv <= N_k                                    for all k, when several

Exact: the slots of a node are a path (see `arc_flow`) that begins with s_v - q GPUs that are not
charged for and the leader's slot; a node whose jobs use u GPUs is charged for the least limit
q >= u, where c_vq = c_vu. For fixed integer y, l and f solve a transportation problem, so they
may stay continuous. Left out, because some optimum does
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
from rsjs.formulations.modes import arc_flow
from rsjs.formulations.modes.arc_flow import Arc, ArcFlowData
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


class LeaderMode(NamedTuple):
    """How a job runs: as leader of a node charged for `limit` GPUs; limit 0 = as a follower."""

    node_type: int
    limit: int
    gpus: int


INDEX_LETTERS = {
    "l": "jvqg",
    "f": "jvqg",
    "L": "kv",
    "y": "vqug",
    "cover": "j",
    "slots": "vqg",
    "source": "v",
    "flow": "vu",
    "classes": "k",
}


Candidates = Iterator[tuple[LeaderMode, Bools, Floats]]  # mode, jobs kept, their gains


def data_of(instance: Instance) -> ArcFlowData:
    """Return modes, options and arcs of an instance; leaders come first."""
    modes: list[LeaderMode] = []
    jobs: list[Ints] = []
    gain: list[Floats] = []
    for mode, kept, values in (*_leaders(instance), *_followers(instance)):
        if kept.any():
            modes.append(mode)
            jobs.append(np.flatnonzero(kept))
            gain.append(values[kept])
    position = {mode: q for q, mode in enumerate(modes)}
    arcs = _arcs(instance, modes)
    return ArcFlowData(
        instance,
        job=np.concatenate(jobs),
        mode=np.repeat(np.arange(len(modes)), [len(part) for part in jobs]),
        gain=np.concatenate(gain),
        modes=modes,
        arcs=arcs,
        arc_mode=np.array([position[LeaderMode(v, q, g)] for v, q, _, g in arcs], dtype=np.int64),
        leader_modes=sum(mode.limit > 0 for mode in modes),
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


def _arcs(instance: Instance, modes: list[LeaderMode]) -> list[Arc]:
    """Return the arcs of every node type: leaders' first, then followers'."""
    result = []
    for v in _offered(instance):
        size = instance.cluster.node_types[v].gpus
        leaders = [Arc(v, q, size - q, g) for u, q, g in modes if u == v and q]
        result += arc_flow.arcs(v, size, [g for u, q, g in modes if u == v and not q], leaders)
    return result


extract = arc_flow.extract
run = partial(solve, __name__)


def build(data: ArcFlowData) -> ConcreteModel:
    """Build the Pyomo model; its columns are l, f, L, y."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import implied_integers

    m = pyo.ConcreteModel(name="first_ending_patterns")
    leaders = int(np.count_nonzero(data.mode < data.leader_modes))
    m.l = pyo.Var(data.options[:leaders], bounds=(0, 1))
    m.f = pyo.Var(data.options[leaders:], bounds=(0, 1))
    m.implied_integer = implied_integers(m.l, m.f)
    arc_flow.add_columns(m, data)
    arc_flow.add_rows(m, data, [*m.l.values(), *m.f.values()])
    return m


def warm_start(data: ArcFlowData, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution: on each node the first job to end leads.

    A job whose option was left out takes the smaller slot that is no worse, or, as a follower,
    is postponed; nodes without a job are as small as they may be, and off where they need not
    be on: the vector never costs more than the solution.
    """
    instance, hours = data.instance, cost_tables(data.instance).hours
    cluster, column_of = instance.cluster, data.column_of
    smallest, required = empty_types(instance), instance.objective.open_nodes == "jahani_eq"
    x = np.zeros(len(data.cost))
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, k = int(solution.node_type[n]), int(cluster.class_of_node[n])
        size = int(cluster.gpus_of_type[v])
        jobs = np.flatnonzero(solution.job_node == n)
        if not jobs.size:
            if required:
                x[column_of[k, smallest[k]]] += 1.0
            continue
        x[column_of[k, v]] += 1.0
        used = solution.job_gpus[jobs]
        first = int(hours[jobs, cluster.gpu_of_type[v], used].argmin())
        # followers take the smallest slot that is no worse, or wait
        follows, slots = gains(instance, v), []
        for at in np.delete(np.arange(len(jobs)), first).tolist():
            j, g = int(jobs[at]), int(follows[jobs[at], : used[at] + 1].argmin())
            if follows[j, g] < 0:
                x[column_of[j, v, 0, g]] = 1.0
                slots.append(g)
        # the leader is charged for the smallest limit that holds its slot and the followers'
        j, most = int(jobs[first]), int(used[first])
        q = next(q for q in limits(cluster.node_types[v]) if q >= most + sum(slots))
        g = int(leader_gains(instance, v, q)[j, : most + 1].argmin())
        x[column_of[j, v, q, g]] = 1.0
        leader = Arc(v, q, size - q, g)
        for arc in (leader, *arc_flow.path(v, slots, leader.head)):
            x[data.column_of_arc[arc]] += 1.0
    return x
