"""Jobs on the GPUs of their nodes over time: a decision names nodes, a picture needs GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rsjs.instances.instance import Workload
from rsjs.reporting.gpu_slots import packed
from rsjs.simulation.event_records import Changes, Record


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
    Every placement of every job, in the order in which they end.

    A job keeps its GPUs while its placement holds, unless its node has to be laid out anew for
    another one: GPUs of a job are next to each other, shares of a job are of one GPU.
    """
    layout = _Layout(workload)
    for record in records:
        for job in record.completed:
            layout.leave(job, record.time)
        if record.changes is not None:
            layout.change(record.changes, record.time)
    if records:
        for job in list(layout.where):
            layout.leave(job, records[-1].time)
    return layout.found


class _Layout:
    """Where jobs are, in units of a GPU from the first GPU of their node on."""

    def __init__(self, workload: Workload) -> None:
        cluster = workload.cluster
        self.cluster = cluster
        self.kind = [-1] * cluster.nodes
        self.where: dict[int, tuple[int, int, int, float]] = {}  # node, start, units, begin
        self.found: list[Stay] = []

    def leave(self, job: int, time: float) -> None:
        """A job leaves its GPUs."""
        node, start, width, begin = self.where.pop(job)
        units = self._units(node)
        if time > begin:
            self.found.append(
                Stay(
                    job=job,
                    node=node,
                    start=start / units,
                    width=width / units,
                    begin=begin,
                    end=time,
                )
            )

    def change(self, changes: Changes, time: float) -> None:
        """A decision takes effect."""
        for job in changes.jobs.tolist():
            if job in self.where:
                self.leave(job, time)
        for node, kind in zip(changes.nodes.tolist(), changes.kind.tolist(), strict=True):
            self.kind[node] = kind
        new: dict[int, dict[int, int]] = {}
        columns = (changes.jobs, changes.node, changes.gpus, changes.level)
        for job, node, gpus, level in zip(*(c.tolist() for c in columns), strict=True):
            if node < 0:
                continue
            gpu = self.cluster.gpu_types[self.cluster.gpu_of_type[self.kind[node]]]
            width = gpus * gpu.units if level < 0 else gpu.levels[level].units
            new.setdefault(node, {})[job] = width
        for node, widths in new.items():
            self._join(node, widths, time)

    def _join(self, node: int, widths: dict[int, int], time: float) -> None:
        placed = {j: (at, width) for j, (n, at, width, _) in self.where.items() if n == node}
        units = self._units(node)
        size = units * self.cluster.node_types[self.kind[node]].gpus
        for job in sorted(widths, key=lambda j: (-widths[j], j)):
            gap = _gap(list(placed.values()), widths[job], units, size)
            if gap is None:
                break
            placed[job] = gap, widths[job]
        else:
            for job in widths:
                self.where[job] = (node, *placed[job], time)
            return
        here = {j: width for j, (n, _, width, _) in self.where.items() if n == node}
        for job in here:
            self.leave(job, time)
        for job, start in _anew(here | widths, units).items():
            self.where[job] = node, start, (here | widths)[job], time

    def _units(self, node: int) -> int:
        gpu = int(self.cluster.gpu_of_type[self.kind[node]])
        return self.cluster.gpu_types[gpu].units


def _gap(taken: list[tuple[int, int]], width: int, units: int, size: int) -> int | None:
    """Where a job fits: whole GPUs side by side, or a part of one; GPUs in use first for a part."""
    free = [True] * size
    for start, length in taken:
        free[start : start + length] = [False] * length
    if width >= units:
        starts = list(range(0, size - width + 1, units))
    else:
        starts = [at for at in range(size) if at % units + width <= units]
        starts.sort(key=lambda at: all(free[at - at % units : at - at % units + units]))
    return next((at for at in starts if all(free[at : at + width])), None)


def _anew(widths: dict[int, int], units: int) -> dict[int, int]:
    """Jobs of a node from its first GPU on: whole GPUs, then shares."""
    starts: dict[int, int] = {}
    end = 0
    for job in sorted((j for j in widths if widths[j] >= units), key=lambda j: (-widths[j], j)):
        starts[job] = end
        end += widths[job]
    shares = {job: width for job, width in widths.items() if width < units}
    for group in packed(shares, units):
        at = end
        for job in group:
            starts[job] = at
            at += shares[job]
        end += units
    return starts
