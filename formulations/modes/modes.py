"""Modes of the jobs, the ways to run a job on a GPU type, as flat arrays (the index q of RS-JS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


@dataclass(frozen=True, eq=False)
class Modes:
    """The modes q of all jobs."""

    # job, gpu_type: (n,)
    job: Ints
    gpu_type: Ints
    gpus: Ints  # (n,) k_q dedicated GPUs; 0 = a share of one GPU
    # level, units: (n,) share level and its units u_q; -1 and 0 = dedicated
    level: Ints
    units: Ints
    # hours, tardiness: (n,) theta_q and T_q [h], [$]
    hours: Floats
    tardiness: Floats
    on_gpus: Ints  # (J, T, G + 1) the mode that stands for k dedicated GPUs; -1 = none
    on_level: Ints  # (J, T, L) the one that stands for a share level

    @staticmethod
    def of(instance: Instance, *, pareto: bool) -> Modes:
        """
        Return all admissible modes; `pareto` leaves out those that a smaller one dominates.

        Shares are smaller than GPUs. What ends no later on less room costs no more: it fits
        wherever the other does, and both tardiness and a node's charge grow with time. A job that
        ran keeps all its modes where it costs to move it: it pays nothing in the one it has.
        """
        table, cluster = cost_tables(instance), instance.cluster
        types, levels = len(cluster.gpu_types), table.shared_hours.shape[2]
        units = np.zeros((types, levels), dtype=np.int64)
        for row, gpu in zip(units, cluster.gpu_types, strict=True):
            row[: len(gpu.levels)] = [share.units for share in gpu.levels]
        level = np.argsort(units, axis=1, kind="stable")  # levels a GPU lacks have no hours
        k = np.broadcast_to(np.arange(1, cluster.largest + 1), (types, cluster.largest))

        # sizes: share levels by units, then dedicated GPUs
        hours, late = (
            np.concatenate([np.take_along_axis(shared, level[None], 2), whole[:, :, 1:]], axis=2)
            for shared, whole in (
                (table.shared_hours, table.hours),
                (table.shared_tardiness, table.tardiness),
            )
        )
        keep = np.isfinite(hours)
        if pareto:
            least = np.minimum.accumulate(hours, axis=2)
            stays = (instance.objective.migration > 0) & (change_costs(instance).node >= 0)
            keep[:, :, 1:] &= (hours[:, :, 1:] < least[:, :, :-1]) | stays[:, None, None]
        number = np.where(keep, np.cumsum(keep).reshape(keep.shape) - 1, -1)
        if pareto:
            number = np.maximum.accumulate(number, axis=2)
        on_gpus, on_level = np.full(table.hours.shape, -1), np.full(table.shared_hours.shape, -1)
        on_gpus[:, :, 1:] = number[:, :, levels:]
        np.put_along_axis(on_level, level[None], number[:, :, :levels], axis=2)
        job, *kind = np.nonzero(keep)
        return Modes(
            job=job,
            gpu_type=kind[0],
            gpus=np.hstack([np.zeros_like(level), k])[*kind],
            level=np.hstack([level, np.full_like(k, -1)])[*kind],
            units=np.hstack([np.take_along_axis(units, level, 1), np.zeros_like(k)])[*kind],
            hours=hours[keep],
            tardiness=late[keep],
            on_gpus=on_gpus,
            on_level=on_level,
        )

    def __len__(self) -> int:
        return len(self.job)

    def change_costs(self, instance: Instance, mode: Ints, node: Ints, node_type: Ints) -> Floats:
        """Return what it costs to start or move the jobs of these modes on these nodes [$]."""
        job, gpus, level = self.job[mode], self.gpus[mode], self.level[mode]
        return change_costs(instance).of(job, node, node_type, gpus, level)

    def chosen(self, instance: Instance, solution: Solution) -> dict[int, list[int]]:
        """Return the modes that stand for what runs on each node."""
        result: dict[int, list[int]] = {}
        for j in np.flatnonzero(solution.job_node >= 0).tolist():
            n, level = int(solution.job_node[j]), int(solution.job_level[j])
            gpu = int(instance.cluster.gpu_of_type[solution.node_type[n]])
            same = self.on_gpus[j, gpu, solution.job_gpus[j]]
            q = int(same if level < 0 else self.on_level[j, gpu, level])
            result.setdefault(n, []).append(q)
        return result

    def first_to_end(self, members: list[int]) -> int:
        """Return, of modes that share a node, the one that leads; ties: the first."""
        return min(members, key=lambda q: (self.hours[q], q))

    def solution(self, instance: Instance, chosen: Ints, node: Ints, node_type: Ints) -> Solution:
        """Return the solution that runs the modes `chosen`, each on a node of a type."""
        jobs, nodes = len(instance.jobs), instance.cluster.nodes
        job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
        job_level, types = np.full(jobs, -1), np.full(nodes, -1)
        job = self.job[chosen]
        job_node[job], job_gpus[job], job_level[job] = node, self.gpus[chosen], self.level[chosen]
        types[node] = node_type
        return Solution.of(job_node, job_gpus, types, job_level)


def numbered(*columns: Ints) -> dict[tuple[int, ...], int]:
    """Return the position of each row of arrays side by side."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {row: position for position, row in enumerate(rows)}
