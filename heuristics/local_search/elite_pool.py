"""The best schedules found, no two of them alike."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics.common.initial_solutions import Found
from rsjs.heuristics.local_search.arrays import Ints
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def configurations(instance: Instance, solution: Solution) -> Ints:
    """
    (J,) code of each job's configuration, see descent_tables; -1 = postponed.

    The node does not count, nor its size: nodes of a class are interchangeable.
    """
    cluster = instance.cluster
    columns = cluster.largest + 1 + instance.jobs.inflation.shape[2]
    runs, shared = solution.job_node >= 0, solution.job_level >= 0
    column = np.where(shared, cluster.largest + 1 + solution.job_level, solution.job_gpus)
    gpu = cluster.gpu_of_type[solution.node_type[solution.job_node]]
    code: Ints = np.where(runs, gpu * columns + column, -1)
    return code


class Elite:
    """A schedule of the pool: its cost [$], its configurations, and its number."""

    def __init__(self, found: Found, code: Ints, number: int) -> None:
        self.cost, self.solution = found
        self.code, self.number = code, number

    def distance(self, code: Ints) -> int:
        """Jobs with another configuration."""
        return int(np.count_nonzero(self.code != code))


class Pool:
    """
    At most `size` schedules, the best one first.

    A schedule gets in if it is better than all that differ from it in fewer than `least` jobs,
    which it replaces; of too many the worst one goes.
    """

    def __init__(self, instance: Instance, size: int, least: int) -> None:
        self._instance, self._size, self._least = instance, size, least
        self._numbers = 0
        self.members: list[Elite] = []

    def add(self, found: Found) -> bool:
        """Whether the schedule got in."""
        code = configurations(self._instance, found[1])
        near = [member for member in self.members if member.distance(code) < self._least]
        if any(member.cost <= found[0] for member in near):
            return False
        self._numbers += 1
        new = Elite(found, code, self._numbers)
        kept = [member for member in self.members if member not in near] + [new]
        self.members = sorted(kept, key=lambda member: (member.cost, member.number))[: self._size]
        return new in self.members
