"""
Greedy: the most pressing job first, on its best configuration that finds room.

Kiros 2020, 3.1.3. Each job, by decreasing pressure Delta_j = now + min t_j - d_j, takes the first
of its candidates (v, g) that fits, in time by cost, then late by time. A type of VM v comes with
different numbers of GPUs: it is a GPU type.

    (a) on an open node of type v with at least g idle GPUs, the fullest one (best fit);
    (b) else on a node that is opened for it, as the VM of type v with the most GPUs;
    (c) else the next candidate is tried (suboptimal configurations); a job without any waits.

Afterwards nodes with idle GPUs become smaller, equivalent ones, and jobs get what stays idle.

Where all nodes may take all types a closed node serves any candidate, so suboptimal candidates are
tried on open nodes only, as printed. On fixed nodes (b) fails if no closed node fits the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics import candidates
from rsjs.heuristics.best_fit import Assignment, Ints, Pool, assign
from rsjs.heuristics.compiled import smallest
from rsjs.heuristics.engines import choose_engine
from rsjs.heuristics.greedy_rules import RULES, Rule, cluster_tables
from rsjs.heuristics.outcome import choose_rule, finished
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult

Array = NDArray[np.float64]
KERNELS = "rsjs.heuristics.kernels.greedy"


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
    chosen = RULES[rule]
    tables = cluster_tables(instance.cluster, chosen)
    hours = costs.tables(instance).hours
    return Prepared(
        rule=chosen,
        cluster=instance.cluster,
        hours=hours,
        queue=candidates.by_pressure(instance).tolist(),
        candidates=candidates.ranked(instance, hours, tables.nodes.price, strict=chosen.strict),
        pool=tables.pool,
        equivalents=tables.equivalents,
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
    if _engine(call) == "numba":
        from rsjs.heuristics import greedy_compiled

        with report.phase("solve"):
            solution = greedy_compiled.decide(instance, rule)
        return finished(instance, solution, report)
    with report.phase("prepare"):
        prepared = prepare(instance, rule)
    with report.phase("solve"):
        solution = decide(prepared)
    return finished(instance, solution, report)


def prepare_engine(_method: Method, call: Call, _jobs: int) -> None:
    """Compile or load what the engine of a call needs."""
    if _engine(call) == "numba":
        compile_kernels()


def compile_kernels() -> None:
    """Compile or load the kernels of a decision."""
    from rsjs.heuristics import greedy_compiled

    greedy_compiled.decide(smallest())


def _engine(call: Call) -> str:
    return choose_engine(call.options.get("engine", "auto"), KERNELS)
