"""Greedy by compiled kernels: the same decisions as greedy.py, prepared and made in one pass."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics import postprocessing
from rsjs.heuristics.decision_tables import Floats
from rsjs.heuristics.greedy_rules import RULES, cluster_tables
from rsjs.heuristics.kernels import greedy as kernel
from rsjs.heuristics.kernels.state import new_state
from rsjs.instances import costs
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution


def decide(instance: Instance, rule: str = "code") -> Solution:
    """The schedule of one decision by a rule of RULES, preparation included."""
    return decide_by_hours(instance, costs.tables(instance).hours, rule)


def decide_by_hours(instance: Instance, hours: Floats, rule: str) -> Solution:
    """
    The same where nothing else of the costs is known.

    Parameters
    ----------
    hours : (J, T, G + 1) float [h]
        To completion.
    """
    chosen, jobs = RULES[rule], len(instance.jobs)
    nodes = cluster_tables(instance.cluster, chosen).nodes
    state = new_state(nodes, jobs, listed=1)
    job_node, job_gpus = np.empty(jobs, dtype=np.int64), np.empty(jobs, dtype=np.int64)
    kernel.decide(
        nodes,
        np.ascontiguousarray(hours),
        np.ascontiguousarray(instance.jobs.due),
        float(instance.now),
        chosen.strict,
        chosen.give is postprocessing.give_on_each_node,
        state,
        job_node,
        job_gpus,
    )
    return Solution(
        job_node=job_node,
        job_gpus=job_gpus,
        job_level=np.full(jobs, -1),
        node_type=state.node_type,
    )
