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

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.greedy import kernels as kernel
from rsjs.heuristics.greedy.kernels_placement import new_state
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def decide(instance: Instance, rule: str = "code") -> Solution:
    """Return the solution of one decision by a rule of RULES."""
    return decide_by_hours(instance, costs.cost_tables(instance).hours, rule)


def decide_by_hours(instance: Instance, hours: Floats, rule: str) -> Solution:
    """
    Return the solution of one decision where only the running times of the jobs are known.

    Parameters
    ----------
    hours : (J, T, G + 1) float [h]
        To completion.
    """
    chosen, jobs = GREEDY_RULES[rule], len(instance.jobs)
    nodes = cluster_tables(instance.cluster, chosen).nodes
    state = new_state(nodes, jobs, listed=1)
    job_node, job_gpus = np.empty(jobs, dtype=np.int64), np.empty(jobs, dtype=np.int64)
    tables = kernel.GreedyJobs(
        hours=np.ascontiguousarray(hours),
        due=np.ascontiguousarray(instance.jobs.due),
        now=float(instance.now),
    )
    kernel.decide(nodes, tables, state, job_node, job_gpus, chosen.strict, chosen.each_node)
    return Solution(
        job_node=job_node,
        job_gpus=job_gpus,
        job_level=np.full(jobs, -1),
        node_type=state.node_type,
    )


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by greedy."""
    assert call.rule is not None
    with report.phase("solve"):
        solution = decide(instance, call.rule)
    return finished(instance, solution, report)


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernels."""
    compile_kernels()


def compile_kernels() -> None:
    """Compile or load the kernels of a decision."""
    decide(smallest())
