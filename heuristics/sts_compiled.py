"""STS by compiled kernels: the same decisions as sts.py, made in one pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.decision_tables import settled
from rsjs.heuristics.greedy_rules import RULES, cluster_tables
from rsjs.heuristics.kernels import sts as kernel
from rsjs.heuristics.kernels.rooms import Rooms
from rsjs.heuristics.kernels.sts_choices import Queued
from rsjs.heuristics.power_model import JobData
from rsjs.instances.cluster import Cluster
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

Ints = NDArray[np.int64]


class Placed(NamedTuple):
    """A decision before loads are moved to where their jobs were; see `sts.Decision`."""

    solution: Solution
    change: NDArray[np.float64]
    wanted: Ints


def decide(
    instance: Instance,
    floor: Ints,
    data: JobData,
    *,
    monotone: bool,
    fallback: bool,
    gives: bool,
    margin: float,
    spacing: float,
) -> Placed:
    """
    One decision; the keywords are those of `sts.Rule`, the margin in hours.

    Parameters
    ----------
    floor : (J,) int
        k_0 of each job.
    data : JobData
        Of the jobs.
    """
    (model, steps), jobs = data, instance.jobs
    nodes = cluster_tables(instance.cluster, RULES["code"]).nodes
    rooms, number = _empty(instance.cluster), len(jobs)
    node, gpu, count, shared, wanted = np.empty((5, number), dtype=np.int64)
    made = kernel.Decided(node, gpu, count, shared, wanted, np.empty(number))
    kernel.decide(
        nodes,
        settled(
            Queued(
                rate=model.rate,
                power=model.power,
                units=model.units,
                time=jobs.due - instance.now - margin,
                due=jobs.due,
                weight=jobs.weight,
                floor=np.array(floor) if monotone else np.zeros_like(floor),
                kept=np.array(floor),
            )
        ),
        settled(steps),
        float(instance.now),
        spacing,
        fallback,
        gives,
        rooms,
        made,
    )
    opened = nodes.opened_as[rooms.node_gpu, nodes.class_of_node]
    solution = Solution(
        job_node=node,
        job_gpus=count,
        job_level=np.where(shared >= 0, model.level[np.arange(number), gpu], -1),
        node_type=np.where(rooms.node_gpu >= 0, opened, -1),
    )
    return Placed(solution, made.change, wanted)


def _empty(cluster: Cluster) -> Rooms:
    """All of a cluster, closed."""
    nodes, gpus = cluster.nodes, cluster.nodes * cluster.largest
    node, jobs, left = np.zeros((3, gpus), dtype=np.int64)
    return Rooms(
        node_gpu=np.full(nodes, -1),
        idle=np.zeros(nodes, dtype=np.int64),
        gpu_node=node,
        gpu_jobs=jobs,
        gpu_left=left,
        free=np.array([nodes, 0, 0]),
        shared=np.zeros(1, dtype=np.int64),
        units=np.array([gpu.units for gpu in cluster.gpu_types]),
    )
