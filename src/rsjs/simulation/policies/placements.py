"""Placements that go on: jobs that run are left alone, others are placed beside them."""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.solution import Solution
from rsjs.simulation.state import State


def kept(state: State) -> Solution:
    """The current placement, nodes without a job switched off."""
    current = state.current
    return Solution(
        job_node=current.job_node,
        job_gpus=current.job_gpus,
        job_level=current.job_level,
        node_type=np.where(state.used > 0, current.node_type, -1),
    )


def beside(placement: Solution, jobs: Ints, new: Solution) -> Solution:
    """
    A placement and another one of jobs that wait in it, on nodes or GPUs that are free in it.

    Parameters
    ----------
    jobs : (W,) int
        Where the jobs of `new` stand in `placement`.
    """
    node, gpus = placement.job_node.copy(), placement.job_gpus.copy()
    level = placement.job_level.copy()
    node[jobs], gpus[jobs], level[jobs] = new.job_node, new.job_gpus, new.job_level
    kind = np.where(placement.node_type >= 0, placement.node_type, new.node_type)
    return Solution(job_node=node, job_gpus=gpus, job_level=level, node_type=kind)
