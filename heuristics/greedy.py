"""
Greedy: the most pressing job first, on its best configuration that finds room.

Kiros 2020, 3.1.3. Each job, by decreasing pressure Delta_j = now + min t_j - d_j, takes the first
of its candidates (v, g) that fits, in time by cost, then late by time:

    (a) on an open compatible node with at least g idle GPUs, the fullest one (best fit);
    (b) else on a node that is opened for it;
    (c) else the next candidate is tried (suboptimal configurations); a job without any waits.

Afterwards nodes with idle GPUs become smaller, equivalent ones, and jobs get what stays idle.

Where all nodes may take all types a closed node serves any candidate, so suboptimal candidates are
tried on open nodes only, as printed. On fixed nodes (b) fails if no closed node fits the candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics import candidates, postprocessing
from rsjs.heuristics.best_fit import (
    Assignment,
    Ints,
    Pool,
    assign,
    pool_by_gpu_type,
    pool_by_node_type,
)
from rsjs.heuristics.outcome import choose_rule, finished
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    One reading of the algorithm.

    Attributes
    ----------
    pool : which nodes are compatible, and what a node is opened as
    hours, price : times and prices of the configurations (v, g)
    strict : whether a job that ends at its due date is late
    equivalents : what a node with idle GPUs becomes
    give : who gets GPUs that stay idle
    """

    pool: Callable[[Cluster], Pool]
    hours: Callable[[Instance], Array]
    price: Callable[[Cluster], Array]
    strict: bool
    equivalents: Callable[[Cluster], Ints]
    give: Callable[[Ints, Ints, Ints, Array, Array], Ints]


RULES = {
    # the authors' program: v is a GPU type, a new node the largest VM with it, and a
    # configuration costs as much as the cheapest whole VM that has g GPUs
    "code": Rule(
        pool=pool_by_gpu_type,
        hours=candidates.hours_by_gpu_type,
        price=candidates.full_price_by_gpu_type,
        strict=False,
        equivalents=postprocessing.cheaper_equivalents,
        give=postprocessing.give_to_one_job,
    ),
    # as printed: v is a VM type, with s_v GPUs, and a configuration costs g / s_v of it
    "paper": Rule(
        pool=pool_by_node_type,
        hours=candidates.hours_by_node_type,
        price=candidates.share_price_by_node_type,
        strict=True,
        equivalents=postprocessing.smaller_equivalents,
        give=postprocessing.give_on_each_node,
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """All that one decision needs: queue, ordered candidates, nodes and tables."""

    rule: Rule
    cluster: Cluster
    hours: Array
    queue: list[int]
    candidates: list[list[int]]
    pool: Pool
    equivalents: Ints


def prepare(instance: Instance, rule: str = "code") -> Prepared:
    """Order the queue and each job's candidates by a rule of RULES."""
    chosen, cluster = RULES[rule], instance.cluster
    return Prepared(
        rule=chosen,
        cluster=cluster,
        hours=costs.tables(instance).hours,
        queue=candidates.by_pressure(instance).tolist(),
        candidates=candidates.ranked(
            instance, chosen.hours(instance), chosen.price(cluster), strict=chosen.strict
        ),
        pool=chosen.pool(cluster),
        equivalents=chosen.equivalents(cluster),
    )


def decide(prepared: Prepared) -> Solution:
    """The schedule of one decision."""
    assignment = assign(prepared.queue, prepared.candidates, prepared.pool)
    return postprocess(prepared, assignment)


def postprocess(prepared: Prepared, assignment: Assignment) -> Solution:
    """Smaller nodes for what is in use, then GPUs that stay idle for jobs that gain from them."""
    cluster = prepared.cluster
    running = np.flatnonzero(assignment.job_node >= 0)
    node, gpus = assignment.job_node[running], assignment.job_gpus[running]
    used = np.bincount(node, gpus, minlength=cluster.nodes).astype(np.int64)
    node_type = prepared.equivalents[cluster.class_of_node, assignment.node_type, used]
    node_type[used == 0] = -1
    idle = (cluster.gpus_of_type[node_type] - used)[node]
    some = np.flatnonzero(idle)
    job_gpus = assignment.job_gpus.copy()
    if some.size:
        jobs, node, gpus, idle = running[some], node[some], gpus[some], idle[some]
        gpu = cluster.gpu_of_type[node_type[node]]
        before, after = (prepared.hours[jobs, gpu, g] for g in (gpus, gpus + idle))
        job_gpus[jobs] = prepared.rule.give(gpus, node, idle, before, after)
    return Solution.of(assignment.job_node, job_gpus, node_type)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Greedy as a method."""
    rule = choose_rule("greedy", call.rule, RULES)
    with report.phase("prepare"):
        prepared = prepare(instance, rule)
    with report.phase("solve"):
        solution = decide(prepared)
    return finished(instance, solution, report)
