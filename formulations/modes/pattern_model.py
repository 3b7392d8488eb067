"""
Pattern models: jobs take modes, which nodes offer that are cut by patterns.

    x_i in [0, 1]       option i, a job in a mode
    L_p in {0, 1, ...}  nodes cut by pattern p, which offers a_pq of the modes q

    (cover)   sum of the x of a job <= 1                               for all jobs
    (slots)   sum of the x in a mode <= sum_p a_pq L_p, or = for the modes of leaders
    (nodes)   sum_p L_p = as many as `open_nodes` asks for, or <= N
    (class)   sum of the L of a node class <= N_k                      for all k, when several
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


@dataclass(frozen=True, eq=False)
class PatternData:
    """Data of a pattern model; column order is the options, then the patterns."""

    instance: Instance
    # job, mode: (n,) the options: a job in a mode of `modes`
    job: Ints
    mode: Ints
    gain: Floats  # (n,) what an option changes against postponing the job [$]
    # node type first, GPUs last; those that some option uses, leaders' first
    modes: Sequence[tuple[int, ...]]
    # `node_class` and `node_type` of a node, and the `modes` it offers, with repetitions
    patterns: Sequence[Any]
    leader_modes: int = 0  # how many of `modes` are leaders'

    @cached_property
    def options(self) -> list[tuple[int, ...]]:
        """(j, *mode) of the options."""
        pairs = zip(self.job.tolist(), self.mode.tolist(), strict=True)
        return [(j, *self.modes[q]) for j, q in pairs]

    @cached_property
    def supply(self) -> list[tuple[int, int, int]]:
        """(mode, pattern, how many of the mode the pattern offers)."""
        position = {mode: q for q, mode in enumerate(self.modes)}
        return [
            (position[mode], p, count)
            for p, pattern in enumerate(self.patterns)
            for mode, count in Counter(pattern.modes).items()
            if mode in position
        ]

    @cached_property
    def cost(self) -> Floats:
        """Cost of every column [$]; of a pattern, that of the idle GPUs of its node."""
        sizes = self.instance.cluster.gpus_of_type[[p.node_type for p in self.patterns]]
        return np.concatenate([self.gain, self.instance.objective.mu * sizes])


def add_rows(m: ConcreteModel, data: PatternData, x: list[Any], L: list[Any]) -> None:
    """Add objective and rows to a Pyomo model of the columns x, L."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, linear_sum, number_of_nodes, objective

    sizes = data.instance.cluster.class_sizes.tolist()
    cover, classes = Rows(), Rows()
    modes: list[list[Any]] = [[] for _ in data.modes]
    for j, q, variable in zip(data.job.tolist(), data.mode.tolist(), x, strict=True):
        cover[j].append((1, variable))
        modes[q].append((1, variable))
    for q, p, count in data.supply:
        modes[q].append((-count, L[p]))
    for pattern, variable in zip(data.patterns, L, strict=True):
        if len(sizes) > 1:
            classes[pattern.node_class].append((1, variable))
    position = {mode: q for q, mode in enumerate(data.modes)}

    def row(_: ConcreteModel, *mode: int) -> object:
        total = linear_sum(modes[position[mode]])
        return total == 0 if position[mode] < data.leader_modes else total <= 0

    m.cost = objective(data.instance, data.cost, [*x, *L])
    m.cover = cover.at_most(1)
    m.slots = pyo.Constraint(data.modes, rule=row)
    m.nodes = number_of_nodes(data.instance, L)
    m.classes = pyo.Constraint(
        sorted(classes), rule=lambda m, k: linear_sum(classes[k]) <= sizes[k]
    )


def extract(data: PatternData, x: Floats) -> Solution:
    """
    Return the solution in a column vector with integral L; fractional options are optimised again.

    It costs at most what the vector costs.
    """
    counts, taken = np.rint(x[len(data.job) :]), x[: len(data.job)]
    chosen = np.flatnonzero(taken > 0.5)
    if np.abs(taken - np.rint(taken)).max(initial=0.0) > 1e-6:
        chosen = _cheapest_options(data, counts)
    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    node_type = np.full(cluster.nodes, -1)
    free = [
        np.flatnonzero(cluster.class_of_node == k).tolist()[::-1]
        for k in range(len(cluster.class_sizes))
    ]
    # the nodes that offer each mode
    nodes: dict[tuple[int, ...], list[int]] = {}
    for pattern, count in zip(data.patterns, counts.astype(int).tolist(), strict=True):
        for _ in range(count):
            n = free[pattern.node_class].pop()
            node_type[n] = pattern.node_type
            for mode in pattern.modes:
                nodes.setdefault(mode, []).append(n)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    for i in chosen.tolist():
        j, mode = int(data.job[i]), data.modes[data.mode[i]]
        job_node[j], job_gpus[j] = nodes[mode].pop(0), mode[-1]
    if data.instance.objective.open_nodes == "free":
        node_type[np.bincount(job_node[job_node >= 0], minlength=cluster.nodes) == 0] = -1
    return Solution.of(job_node, job_gpus, node_type)


def _cheapest_options(data: PatternData, counts: Floats) -> Ints:
    """Return the cheapest options for fixed patterns: a transportation problem."""
    from scipy.optimize import LinearConstraint, milp

    options, modes = np.arange(len(data.job)), len(data.modes)
    one = np.ones(len(options))
    jobs, of_job = np.unique(data.job, return_inverse=True)
    mode, pattern, count = np.array(data.supply).T
    offered = np.bincount(mode, weights=count * counts[pattern], minlength=modes)
    least = np.where(np.arange(modes) < data.leader_modes, offered, -np.inf)
    result = milp(
        data.gain,
        integrality=one,
        bounds=(0, 1),
        constraints=[
            LinearConstraint(csr_array((one, (of_job, options))), ub=np.ones(len(jobs))),
            LinearConstraint(
                csr_array((one, (data.mode, options)), shape=(modes, len(options))), least, offered
            ),
        ],
    )
    chosen: Ints = np.flatnonzero(result.x > 0.5)
    return chosen
