"""
Nodes charged until their first job ends, as an exact pattern model with leaders.

One job per node, its leader, pays for the node: whoever leads, the charge c t is at least that of
the first job to end, and a minimum charges exactly that. This is reading (i) of Kiros 2020,
3.1.1, and ANDREAS 2021, (1): cost of the whole node, for the GPUs in use, until the leader ends.

Sets and data (times relative to now)
    j in J jobs, v in V node types, g GPUs, k node classes (nodes with the same allowed types),
    N_k nodes of class k
    r = 0..s_v - 1 GPUs of a node that its leader leaves to followers
    u = 1..s_v - 1 GPUs of a node that are already cut
    T_jvg, t_jvg   tardiness cost, with the cost of starting j, and time of j on g GPUs of type v
    P_j            postponement cost
    c_vq           $/h of a node of type v with q GPUs in use
    C_jvr = min over g = 1..s_v - r of T_jvg + c_v,r+g t_jvg - mu g        leading with r GPUs left

Variables
    l_jvr in [0, 1]         j leads a node of type v and leaves r GPUs
    f_jvg in [0, 1]         j follows on g GPUs of a node of type v
    L_kv in {0, 1, ...}     nodes of class k configured as v
    y_v,0,s_v-r in {0, 1, ...}  nodes of type v whose leader leaves r GPUs
    y_vug in {0, 1, ...}    nodes of type v with a follower's slot of g GPUs after the first u ones

    min  sum_j P_j + sum_jvr (C_jvr - P_j) l_jvr + sum_jvg (T_jvg - mu g - P_j) f_jvg
         + sum_kv mu s_v L_kv
    (cover)   sum_vr l_jvr + sum_vg f_jvg <= 1                     for all j
    (slots)   sum_j l_jvr = y_v,0,s_v-r                            for all v, r
              sum_j f_jvg <= sum_u y_vug                           for all v, g
    (source)  sum_r y_v,0,s_v-r <= sum_k L_kv, or =                for all v; = for rsjs_eq*
    (flow)    sum_g y_vug <= sum_g y_v,u-g,g                       for all v, 0 < u < s_v
    (nodes)   sum L = min(J, N), the matching number, or <= N      open_nodes *_eq, _feasible, free
    (class)   sum_v L_kv <= N_k                                    for all k, when several

Exact: the slots of a node are a path (see `arc_flow`) that begins with the leader and leaves at
most r GPUs to others; a node is charged for what its leader uses and r, which is at least what is
in use, and r may be exactly that. For fixed integer y, l and f solve a transportation problem, so
they may stay continuous. So there are as many options to lead as to follow, whatever prices rise
with. Left out, because some optimum does without: followers with a gain >= 0 (they may as well
wait: an empty slot costs nothing more), followers no better than on fewer GPUs g' < g (the slot
splits into g' and ones), and leaders that leave more GPUs for the same cost. A leader with a
gain >= 0 stays: it may carry followers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.first_ending.costs import empty_types, follower_gains, leader_gains
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes import arc_flow
from rsjs.formulations.modes.arc_flow import Arc, ArcFlowData
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


class NodeMode(NamedTuple):
    """How a job runs: as leader of a node that leaves `gpus` to followers, or as one, on `gpus`."""

    node_type: int
    leads: int  # 1 or 0
    gpus: int


INDEX_LETTERS = {
    "l": "jvlr",
    "f": "jvlg",
    "L": "kv",
    "y": "vug",
    "cover": "j",
    "slots": "vlg",
    "source": "v",
    "flow": "vu",
    "classes": "k",
}


Candidates = Iterator[tuple[NodeMode, Bools, Floats, Ints]]  # mode, jobs kept, gains, GPUs of each


def data_of(instance: Instance) -> ArcFlowData:
    """Return modes, options and arcs of an instance; leaders come first."""
    modes: list[NodeMode] = []
    parts: list[tuple[Ints, Floats, Ints]] = []
    for mode, kept, gain, gpus in (*_leaders(instance), *_followers(instance)):
        if kept.any():
            modes.append(mode)
            parts.append((np.flatnonzero(kept), gain[kept], gpus[kept]))
    position = {mode: q for q, mode in enumerate(modes)}
    sizes, arcs = instance.cluster.gpus_of_type, _arcs(instance, modes)
    # a node's first arc is its leader's
    offered = [NodeMode(v, int(u == 0), g if u else int(sizes[v]) - g) for v, u, g in arcs]
    job, gain, gpus = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ArcFlowData(
        instance,
        job=job,
        mode=np.repeat(np.arange(len(modes)), [len(jobs) for jobs, _, _ in parts]),
        gpus=gpus,
        gain=gain,
        modes=modes,
        arcs=arcs,
        arc_mode=np.array([position[mode] for mode in offered], dtype=np.int64),
        leader_modes=sum(mode.leads for mode in modes),
    )


def _leaders(instance: Instance) -> Candidates:
    for v in _offered(instance):
        gain, gpus = leader_gains(instance, v)
        more = np.column_stack([gain[:, 1:], np.full(len(gain), np.inf)])  # with one more GPU left
        for r in range(gain.shape[1]):
            yield NodeMode(v, 1, r), gain[:, r] < more[:, r], gain[:, r], gpus[:, r]


def _followers(instance: Instance) -> Candidates:
    for v in _offered(instance):
        gain = follower_gains(instance, v)
        least = np.minimum(0.0, np.minimum.accumulate(gain, axis=1))
        for g in range(1, gain.shape[1] - 1):  # one GPU is the leader's
            kept = gain[:, g] < least[:, g - 1]
            yield NodeMode(v, 0, g), kept, gain[:, g], np.full(len(gain), g)


def _offered(instance: Instance) -> list[int]:
    offered: list[int] = np.flatnonzero(instance.cluster.allowed_in_class.any(axis=0)).tolist()
    return offered


def _arcs(instance: Instance, modes: list[NodeMode]) -> list[Arc]:
    """Return the arcs of every node type: leaders' first, then followers'."""
    result = []
    for v in _offered(instance):
        size = int(instance.cluster.gpus_of_type[v])
        leaders = [Arc(v, 0, size - mode.gpus) for mode in modes if mode[:2] == (v, 1)]
        followers = [mode.gpus for mode in modes if mode[:2] == (v, 0)]
        result += arc_flow.arcs(v, size, followers, leaders)
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
        jobs = np.flatnonzero(solution.job_node == n)
        if not jobs.size:
            if required:
                x[column_of[k, smallest[k]]] += 1.0
            continue
        x[column_of[k, v]] += 1.0
        used = solution.job_gpus[jobs]
        first = int(hours[jobs, cluster.gpu_of_type[v], used].argmin())
        # followers take the smallest slot that is no worse, or wait
        follows, slots = follower_gains(instance, v), []
        for at in np.delete(np.arange(len(jobs)), first).tolist():
            j, g = int(jobs[at]), int(follows[jobs[at], : used[at] + 1].argmin())
            if follows[j, g] < 0:
                x[column_of[j, v, 0, g]] = 1.0
                slots.append(g)
        # the leader leaves room for them, or more at the same cost
        j, r = int(jobs[first]), sum(slots)
        while (j, v, 1, r) not in column_of:
            r += 1
        x[column_of[j, v, 1, r]] = 1.0
        leader = Arc(v, 0, int(cluster.gpus_of_type[v]) - r)
        for arc in (leader, *arc_flow.path(v, slots, leader.head)):
            x[data.column_of_arc[arc]] += 1.0
    return x
