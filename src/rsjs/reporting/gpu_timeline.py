"""Jobs on the GPUs of their nodes over time: a decision names nodes, a picture needs GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rsjs.instances.schema import Workload
from rsjs.simulation.event_records import Record

Slot = tuple[int, int]  # a GPU, and a unit of it


@dataclass(frozen=True, kw_only=True)
class Stay:
    """A job on `width` GPUs (a fraction: a share) of a node from `start` on, begin to end [h]."""

    job: int
    node: int
    start: float
    width: float
    begin: float
    end: float


def stays(workload: Workload, records: Sequence[Record]) -> list[Stay]:
    """
    Every placement of every job, by begin; GPUs next to each other where that is possible.

    A job keeps its GPUs for as long as its placement holds. One whose GPUs are not next to each
    other makes several stays.
    """
    cluster = workload.cluster
    units = [max(1, gpu.units) for gpu in cluster.gpu_types]
    free: dict[int, dict[int, int]] = {}  # node -> GPU -> units left
    kind = [-1] * cluster.nodes
    placed: dict[int, tuple[float, int, list[tuple[int, int, int]]]] = {}
    found: list[Stay] = []

    def leave(job: int, time: float) -> None:
        if job not in placed:
            return
        begin, node, parts = placed.pop(job)
        whole = units[cluster.gpu_of_type[kind[node]]]
        for gpu, offset, taken in parts:
            free[node][gpu] += taken
            if time > begin:
                found.append(
                    Stay(
                        job=job,
                        node=node,
                        start=gpu + offset / whole,
                        width=taken / whole,
                        begin=begin,
                        end=time,
                    )
                )

    return found
