"""
Pattern models by arc flow: jobs take modes, which nodes offer that are cut from 0 to s_v GPUs.

A pattern, the GPU counts g_1 >= g_2 >= ... of the jobs on a node of type v, is a path of arcs
0 -> g_1 -> g_1 + g_2 -> ... that ends anywhere up to s_v. Nodes of one type share their arcs, so
the model grows with s_v^2 and not with the number of patterns, and its linear program has the
bound of the patterns' (Valério de Carvalho 1999).

    x_i in [0, 1]         option i, a job in a mode
    L_kv in {0, 1, ...}   nodes of class k configured as type v
    y_a in {0, 1, ...}    nodes of type v_a that are cut by arc a, from u_a to u_a + g_a

    (cover)   sum of the x of a job <= 1                               for all jobs
    (slots)   sum of the x in a mode <= sum of the y of its arcs, or = for modes of leaders
    (source)  sum of the y of the first arcs of v <= sum_k L_kv        for all v; = where each node
                                                                       needs a job
    (flow)    sum of the y from u <= sum of the y to u                 for all v, 0 < u < s_v
    (nodes)   sum_kv L_kv = as many as `open_nodes` asks for, or <= N
    (class)   sum_v L_kv <= N_k                                        for all k, when several

A leader's arc is a first arc: where r GPUs are left for followers it goes from 0 to s_v - r;
followers' arcs go on from where it ends. Where running jobs may stay, patterns of nodes that keep
them begin after the GPUs of those jobs, see `stays`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rsjs.core.types import Floats, Ints
from rsjs.formulations.modes import stays
from rsjs.formulations.modes.stays import NOBODY, Stays
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


SMALL = 1e-9  # flow that is rounding


class Arc(NamedTuple):
    """Arc of the flow model: `gpus` GPUs of a node of `node_type` after the first `tail` ones."""

    node_type: int
    tail: int
    gpus: int

    @property
    def head(self) -> int:
        """Position at which the next arc begins."""
        return self.tail + self.gpus


def arcs(
    node_type: int,
    size: int,
    gpus: Iterable[int],
    leaders: Iterable[Arc] = (),
    begins: Iterable[int] = (),
) -> list[Arc]:
    """
    Return the arcs of all patterns of a node type, by tail, the largest first.

    Parameters
    ----------
    size : int
        s_v.
    gpus : iterable of int
        GPU counts of modes without a leader.
    leaders : iterable of Arc
        First arcs, if nodes have leaders; otherwise patterns begin at 0.
    begins : iterable of int
        Positions at which patterns begin, too.
    """
    leaders, wanted = list(leaders), sorted(set(gpus), reverse=True)
    # most GPUs of a next slot from each position that some pattern reaches; slots do not grow
    largest = {arc.head: size for arc in leaders} if leaders else {0: size}
    largest |= dict.fromkeys(begins, size)
    result = leaders
    for tail in range(size):
        for g in wanted:
            if g <= min(largest.get(tail, 0), size - tail):
                result.append(Arc(node_type, tail, g))
                largest[tail + g] = max(largest.get(tail + g, 0), g)
    return result


def path(node_type: int, gpus: Iterable[int], tail: int = 0) -> list[Arc]:
    """Return the arcs that cut a node into these slots after `tail` GPUs, the largest first."""
    result = []
    for g in sorted(gpus, reverse=True):
        result.append(Arc(node_type, tail, g))
        tail = result[-1].head
    return result


@dataclass(frozen=True, eq=False)
class ArcFlowData:
    """Data of a model; column order is the options, the nodes, the arcs, then who stays."""

    instance: Instance
    # job, mode: (n,) the options: a job in a mode of `modes`
    job: Ints
    mode: Ints
    gpus: Ints  # (n,) GPUs the job runs on
    gain: Floats  # (n,) what an option changes against postponing the job [$]
    # node type first; those that some option uses, leaders' first
    modes: Sequence[tuple[int, ...]]
    arcs: Sequence[Arc]
    arc_mode: Ints  # (A,) position in `modes` of each arc
    leader_modes: int = 0  # how many of `modes` are leaders'
    stays: Stays = NOBODY

    @cached_property
    def options(self) -> list[tuple[int, ...]]:
        """(j, *mode) of the options."""
        pairs = zip(self.job.tolist(), self.mode.tolist(), strict=True)
        return [(j, *self.modes[q]) for j, q in pairs]

    @cached_property
    def nodes(self) -> list[tuple[int, int]]:
        """(k, v) of the columns L."""
        return nodes_of(self.instance.cluster)

    @cached_property
    def cost(self) -> Floats:
        """Cost of every column [$]; of a node, that of its GPUs as if they were idle."""
        sizes = self.instance.cluster.gpus_of_type[[v for _, v in self.nodes]]
        mu = self.instance.objective.mu
        return np.concatenate([self.gain, mu * sizes, np.zeros(len(self.arcs)), self.stays.cost])

    @cached_property
    def column_of(self) -> dict[tuple[int, ...], int]:
        """Column of an option (j, *mode) and of nodes (k, v)."""
        return {key: column for column, key in enumerate([*self.options, *self.nodes])}

    @cached_property
    def column_of_arc(self) -> dict[Arc, int]:
        """Column of an arc."""
        before = len(self.job) + len(self.nodes)
        return {arc: before + a for a, arc in enumerate(self.arcs)}


def nodes_of(cluster: Cluster) -> list[tuple[int, int]]:
    """Return (k, v) for each node class and each type that its nodes may take."""
    return [(k, v) for k, v in np.argwhere(cluster.allowed_in_class).tolist()]


def add_columns(m: ConcreteModel, data: ArcFlowData) -> None:
    """Add L and y to a Pyomo model, and z and w, if jobs may stay."""
    import pyomo.core as pyo

    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    most = int(selected_nodes(data.instance)[1])
    nodes = {kv: min(most, int(cluster.class_sizes[kv[0]])) for kv in data.nodes}
    available = np.zeros(len(cluster.node_types), dtype=np.int64)
    for (_, v), number in nodes.items():
        available[v] += number
    # a node has an arc once, and a slot that no job takes is not needed
    slots = {tuple(a): min(jobs, int(available[a.node_type])) for a in data.arcs}

    def upper(values: dict[Any, int]) -> Any:
        return lambda _, *index: (0, values[index])

    m.L = pyo.Var(list(nodes), domain=pyo.NonNegativeIntegers, bounds=upper(nodes))
    m.y = pyo.Var(list(slots), domain=pyo.NonNegativeIntegers, bounds=upper(slots))
    stays.add_columns(m, data.stays)


def add_rows(m: ConcreteModel, data: ArcFlowData, x: list[Any]) -> None:
    """Add objective and rows to a Pyomo model of the columns x, L, y."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, linear_sum, number_of_nodes, objective

    sizes = data.instance.cluster.class_sizes.tolist()
    L, y = m.L.values(), m.y.values()
    cover, classes, source, flow = Rows(), Rows(), Rows(), Rows()
    modes: list[list[Any]] = [[] for _ in data.modes]
    for j, q, variable in zip(data.job.tolist(), data.mode.tolist(), x, strict=True):
        cover[j].append((1, variable))
        modes[q].append((1, variable))
    for arc, q, variable in zip(data.arcs, data.arc_mode.tolist(), y, strict=True):
        v = arc.node_type
        modes[q].append((-1, variable))
        if arc.tail == 0:
            source[v].append((1, variable))
        else:
            flow[v, arc.tail].append((1, variable))
    for arc, variable in zip(data.arcs, m.y.values(), strict=True):
        if (arc.node_type, arc.head) in flow:
            flow[arc.node_type, arc.head].append((-1, variable))
    for n, v, u in data.stays.entries:
        source[v].append((1, m.w[n, u]))
        if (v, u) in flow:
            flow[v, u].append((-1, m.w[n, u]))
    for j in data.stays.job.tolist():
        cover[j].append((1, m.z[j]))
    for (k, v), variable in zip(data.nodes, L, strict=True):
        source[v].append((-1, variable))
        if len(sizes) > 1:
            classes[k].append((1, variable))
    position = {mode: q for q, mode in enumerate(data.modes)}

    def row(_: ConcreteModel, *mode: int) -> object:
        total = linear_sum(modes[position[mode]])
        return total == 0 if position[mode] < data.leader_modes else total <= 0

    columns = [*x, *m.L.values(), *m.y.values(), *stays.columns(m, data.stays)]
    m.cost = objective(data.instance, data.cost, columns)
    m.cover = cover.at_most(1)
    m.slots = pyo.Constraint(data.modes, rule=row)
    m.source = source.equal(0) if needs_jobs(data.instance) else source.at_most(0)
    m.flow = flow.at_most(0)
    stays.add_rows(m, data.instance, data.stays)
    m.nodes = number_of_nodes(data.instance, m.L.values())
    m.classes = pyo.Constraint(
        sorted(classes), rule=lambda m, k: linear_sum(classes[k]) <= sizes[k]
    )


def needs_jobs(instance: Instance) -> bool:
    """Return whether every selected node needs a job."""
    return instance.objective.open_nodes.startswith("rsjs_eq")


def paths(arcs: Sequence[Arc], flow: Floats | Ints) -> dict[int, list[tuple[tuple[int, ...], Any]]]:
    """
    Return, by node type, the paths that flows are made of: positions of their arcs, and nodes.

    Parameters
    ----------
    arcs : sequence of Arc
        Those with a tail <= 0 begin paths.
    flow : (A,) float or int
        y, feasible for (flow); integral flows have integral numbers of nodes.
    """
    ended: dict[tuple[int, int], list[tuple[tuple[int, ...], Any]]] = defaultdict(list)
    order = np.flatnonzero(flow > SMALL).tolist()
    # first arcs begin paths; the others, by tail, go on from where some path ends
    for a in sorted(order, key=lambda a: arcs[a].tail):
        arc, left = arcs[a], flow[a].item()
        here, there = (ended[arc.node_type, at] for at in (arc.tail, arc.head))
        if arc.tail <= 0:
            there.append(((a,), left))
        while arc.tail > 0 and left > SMALL and here:
            path, nodes = here.pop()
            if nodes > left + SMALL:
                here.append((path, nodes - left))
            there.append(((*path, a), min(nodes, left)))
            left -= min(nodes, left)
    result: dict[int, list[tuple[tuple[int, ...], Any]]] = defaultdict(list)
    for (v, _), some in ended.items():
        result[v] += some
    return result


def extract(data: ArcFlowData, x: Floats) -> Solution:
    """
    Return the solution in a column vector with integral L, y; fractional options are optimised
    again.

    It costs at most what the vector costs.
    """
    who = data.stays
    ends = np.cumsum([len(data.job), len(data.nodes), len(data.arcs), len(who.job)])
    taken, *others = np.split(x, ends)
    number, counts, stay, keep = (np.rint(values).astype(np.int64) for values in others)
    stay = np.flatnonzero(stay)
    chosen = np.flatnonzero(taken > 0.5)
    if np.abs(taken - np.rint(taken)).max(initial=0.0) > 1e-6:
        chosen = _cheapest_options(data, counts, who.job[stay])
    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    node_type = np.full(cluster.nodes, -1)
    kept = [entry for entry, keeps in zip(who.entries, keep.tolist(), strict=True) if keeps]
    node_type[[entry.node for entry in kept]] = [entry.node_type for entry in kept]
    selected: dict[int, list[int]] = defaultdict(list)  # nodes by type that keep no job
    for (k, v), n in zip(data.nodes, number.tolist(), strict=True):
        free = np.flatnonzero((cluster.class_of_node == k) & (node_type < 0))
        same = (cluster.class_of_node == k) & (node_type == v)
        mine = free[: n - int(same.sum())]
        node_type[mine] = v
        selected[v].extend(mine.tolist())
    # paths begin at 0 on nodes that keep no job, and after the GPUs of jobs that stay
    begun = [*data.arcs, *(Arc(v, -1, u + 1) for _, v, u in kept)]
    nodes: dict[int, list[int]] = defaultdict(list)  # nodes that offer each mode
    counts = np.append(counts, np.ones(len(kept), dtype=np.int64))
    for v, of_type in paths(begun, counts).items():
        for path in (path for path, number in of_type for _ in range(number)):
            keeps = path[0] - len(data.arcs)
            n = kept[keeps].node if keeps >= 0 else selected[v].pop()
            for a in path[keeps >= 0 :]:
                nodes[int(data.arc_mode[a])].append(n)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    job_node[who.job[stay]], job_gpus[who.job[stay]] = who.node[stay], who.gpus[stay]
    for i in chosen.tolist():
        j, q = int(data.job[i]), int(data.mode[i])
        job_node[j], job_gpus[j] = nodes[q].pop(0), data.gpus[i]
    if data.instance.objective.open_nodes == "free":
        node_type[np.bincount(job_node[job_node >= 0], minlength=cluster.nodes) == 0] = -1
    return Solution.of(job_node, job_gpus, node_type)


def _cheapest_options(data: ArcFlowData, counts: Ints, stay: Ints) -> Ints:
    """Return the cheapest options of jobs that do not stay, for fixed flows: transportation."""
    from scipy.optimize import LinearConstraint, milp

    options, modes = np.arange(len(data.job)), len(data.modes)
    one = np.ones(len(options))
    jobs, of_job = np.unique(data.job, return_inverse=True)
    offered = np.bincount(data.arc_mode, weights=counts, minlength=modes)
    least = np.where(np.arange(modes) < data.leader_modes, offered, -np.inf)
    result = milp(
        data.gain,
        integrality=one,
        bounds=(0, 1),
        constraints=[
            LinearConstraint(csr_array((one, (of_job, options))), ub=1.0 * ~np.isin(jobs, stay)),
            LinearConstraint(
                csr_array((one, (data.mode, options)), shape=(modes, len(options))), least, offered
            ),
        ],
    )
    chosen: Ints = np.flatnonzero(result.x > 0.5)
    return chosen
