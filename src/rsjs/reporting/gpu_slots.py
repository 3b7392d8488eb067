"""Which job sits on which GPUs: a decision laid out node by node, GPU by GPU."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import ceil

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


@dataclass(frozen=True, kw_only=True)
class Block:
    """A job on `width` GPUs (a fraction: a share) from position `start` of its node."""

    job: str
    start: float
    width: float
    hours: float

    @property
    def gpu(self) -> int:
        """Position of its (first) GPU."""
        return int(self.start + 1e-9)

    @property
    def shared(self) -> bool:
        """Whether it leaves part of its GPU to others."""
        return self.width < 1


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """A node that is on, its GPUs side by side."""

    node: str
    node_type: str
    gpu_type: str
    gpus: int
    blocks: tuple[Block, ...]

    @property
    def by_gpu(self) -> dict[int, list[Block]]:
        """Jobs by their first GPU; several share it."""
        found: dict[int, list[Block]] = {}
        for block in self.blocks:
            found.setdefault(block.gpu, []).append(block)
        return found

    @property
    def idle(self) -> list[int]:
        """GPUs without a job."""
        used = {block.gpu + step for block in self.blocks for step in range(ceil(block.width))}
        return [gpu for gpu in range(self.gpus) if gpu not in used]


def shelves(instance: Instance, solution: Solution) -> list[Shelf]:
    """
    The nodes that are on, by node type and then by position, with their jobs.

    On a node: whole GPUs first, the job with most GPUs first; then shares, packed as the
    checker counts them.

    Raises
    ------
    InputError
        If the decision cannot be laid out because it breaks a constraint.
    """
    verdict = check(instance, solution)
    if verdict.terms is None:
        raise InputError(
            "", described(f"a decision that fails: {verdict.violations[0]}"), "one that fits"
        )
    placement = costs.execution(instance, solution)
    hours = dict(zip(placement.running.tolist(), placement.hours.tolist(), strict=True))
    jobs_on: dict[int, list[int]] = {}
    for job, node in zip(placement.running.tolist(), placement.node.tolist(), strict=True):
        jobs_on.setdefault(node, []).append(job)
    on = np.flatnonzero(solution.node_type >= 0)
    order = on[np.argsort(solution.node_type[on], kind="stable")]
    return [
        _shelf(instance, solution, node, jobs_on.get(node, []), hours) for node in order.tolist()
    ]


def _shelf(
    instance: Instance, solution: Solution, node: int, jobs: list[int], hours: dict[int, float]
) -> Shelf:
    cluster, names = instance.cluster, instance.jobs.id
    v = int(solution.node_type[node])
    gpu = cluster.gpu_types[cluster.gpu_of_type[v]]
    whole = {job: int(solution.job_gpus[job]) for job in jobs if solution.job_gpus[job]}
    shares = {job: gpu.levels[solution.job_level[job]].units for job in jobs if job not in whole}
    blocks = []
    start = 0
    for job in sorted(whole, key=lambda job: -whole[job]):
        blocks.append(Block(job=names[job], start=start, width=whole[job], hours=hours[job]))
        start += whole[job]
    for at, group in enumerate(packed(shares, gpu.units), start=start):
        begins = accumulate((shares[job] for job in group), initial=0)
        blocks += [
            Block(
                job=names[job],
                start=at + begin / gpu.units,
                width=shares[job] / gpu.units,
                hours=hours[job],
            )
            for job, begin in zip(group, begins, strict=False)
        ]
    return Shelf(
        node=cluster.node_names[node],
        node_type=cluster.node_types[v].name,
        gpu_type=gpu.name,
        gpus=cluster.node_types[v].gpus,
        blocks=tuple(blocks),
    )


def packed(shares: dict[int, int], units: int) -> list[list[int]]:
    """
    Jobs by GPU, on as few GPUs of `units` units as `gpus_for_shares` says.

    >>> packed({1: 2, 2: 3, 3: 2, 4: 1}, 4)
    [[2, 4], [1, 3]]
    """
    order = sorted(shares, key=lambda job: (-shares[job], job))
    bins: list[list[int]] = [[] for _ in range(gpus_for_shares(shares.values(), units))]
    room = [units] * len(bins)

    def place(position: int) -> bool:
        if position == len(order):
            return True
        job = order[position]
        tried = set()
        for at, group in enumerate(bins):
            if room[at] < shares[job] or room[at] in tried:
                continue
            tried.add(room[at])  # GPUs with the same room left are the same
            group.append(job)
            room[at] -= shares[job]
            if place(position + 1):
                return True
            group.remove(job)
            room[at] += shares[job]
        return False

    place(0)
    return bins
