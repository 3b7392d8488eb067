"""
Pictures of simulations: cost, queue and GPUs over time, and which job is on which GPU when.

Solutions name nodes and the second picture needs GPUs: each job gets GPUs of its node that are
free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Workload
from rsjs.reporting.figures import draw
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.figures.gantt import IN_TIME, TOO_LATE, UNFINISHED, WIDTH, Bar, Gantt, write
from rsjs.reporting.figures.occupancy import placed
from rsjs.simulation.events import Changes, Record
from rsjs.simulation.outcome import LATE, Outcome


def cluster_course(outcomes: Sequence[Outcome], path: str | Path) -> Path:
    """Draw `course_figure`: .png, .svg or .pdf."""
    return draw.write(course_figure(outcomes), path)


def course_figure(outcomes: Sequence[Outcome]) -> Figure:
    """
    Return cost so far and energy (dashed), jobs that wait, and GPUs in use by type over time.

    Each outcome is of a policy on the one workload.
    """
    if not outcomes:
        raise InputError("", described("no runs"), "at least one run to draw")
    cluster = outcomes[0].workload.cluster
    cost: list[Series] = []
    waiting: list[Series] = []
    in_use: list[list[Series]] = [[] for _ in cluster.gpu_types]
    for outcome in outcomes:
        time = np.array([record.time for record in outcome.records])
        energy = np.array([record.energy for record in outcome.records])
        tardiness = np.array([record.tardiness for record in outcome.records])
        before = np.concatenate([[0.0], tardiness[:-1]])  # is due at completions
        both = np.column_stack([energy + before, energy + tardiness]).ravel()
        name = outcome.policy
        cost.append(Series(name=name, x=np.repeat(time, 2), y=both, marked=[]))
        energies = Series(name="", style=name, x=time, y=energy, look="dashed", marked=[])
        cost.append(energies)
        queue = [record.waiting for record in outcome.records]
        waiting.append(Series(name=name, x=time, y=queue, kind="steps", marked=[]))
        for i, series in enumerate(in_use):
            used = [record.in_use[i] for record in outcome.records]
            series.append(Series(name=name, x=time, y=used, kind="steps", marked=[]))
    x, y = Axis(title="time [h]"), Axis(title="cost [$],\nof it energy (- -)", ends=(0, None))
    panels = [Panel(series=cost, x=x, y=y)]
    titles = [
        f"{gpu.name} in use\nof {_gpus(cluster, i)}" for i, gpu in enumerate(cluster.gpu_types)
    ]
    for title, series in zip(["jobs waiting", *titles], [waiting, *in_use], strict=True):
        y = Axis(title=title, ends=(0, None), is_count=True)
        panels.append(Panel(series=series, x=x, y=y))
    return Figure(
        name="course",
        title="Cost, queue and GPUs over time",
        panels=panels,
        heading=outcomes[0].workload.name,
        size=(7.0, 1.4),
        columns=1,
        is_shared=(True, False),
    )


def _gpus(cluster: Cluster, gpu: int) -> int:
    """GPUs of a type that the cluster has at most."""
    of_gpu = cluster.allowed_in_class & (cluster.gpu_of_type == gpu)
    size = np.where(of_gpu, cluster.gpus_of_type, 0).max(axis=1)
    return int(size @ cluster.class_sizes)


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
            at, wide = start / units, width / units
            self.found.append(Stay(job=job, node=node, start=at, width=wide, begin=begin, end=time))

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
        taken = {j: (at, width) for j, (n, at, width, _) in self.where.items() if n == node}
        units = self._units(node)
        size = units * self.cluster.node_types[self.kind[node]].gpus
        for job in sorted(widths, key=lambda j: (-widths[j], j)):
            gap = _gap(list(taken.values()), widths[job], units, size)
            if gap is None:
                break
            taken[job] = gap, widths[job]
        else:
            for job in widths:
                self.where[job] = (node, *taken[job], time)
            return
        here = {j: width for j, (n, _, width, _) in self.where.items() if n == node}
        for job in here:
            self.leave(job, time)
        for job, start in placed(here | widths, units).items():
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


ROW, LEAST, MOST = 0.09, 2.2, 14.0  # inches: height of a GPU, of the figure
LINE = 0.12  # inches: between two names of nodes


def job_gantt(outcome: Outcome, path: str | Path) -> Path:
    """Draw every GPU as a row, the jobs on it as bars from start to end: .png, .svg or .pdf."""
    cluster, jobs = outcome.workload.cluster, outcome.workload.jobs
    size = np.where(cluster.allowed, cluster.gpus_of_type, 0).max(axis=1)
    first = np.concatenate([[0], np.cumsum(size)])
    height = min(MOST, max(LEAST, 1.2 + ROW * first[-1]))
    bars = [
        Bar(
            stay.begin,
            first[stay.node] + stay.start,
            stay.end - stay.begin,
            stay.width,
            _colour(outcome, stay.job),
            jobs.id[stay.job],
        )
        for stay in stays(outcome.workload, outcome.records)
    ]
    middle = (first[:-1] + first[1:]) / 2
    shown = _apart(middle * (height - 1.2) / first[-1])
    begin = outcome.records[0].time if outcome.records else 0.0
    end = outcome.records[-1].time if outcome.records else 1.0
    chart = Gantt(
        title=f"{outcome.workload.name}\n{outcome.policy}",
        bars=bars,
        size=(WIDTH, height),
        x_ends=(begin, max(end, begin + 1e-9)),
        y_end=first[-1],
        x_title="time [h]",
        ticks={middle[n]: _label(cluster, n) for n in shown},
        lines=first[1:-1],
        legend={
            "in time": IN_TIME,
            "more than a minute late": TOO_LATE,
            "not finished": (UNFINISHED,),
        },
    )
    return write(chart, path)


def _apart(places: Floats) -> list[int]:
    """The labels, from the first one on, that are far enough from the one before."""
    shown: list[int] = []
    for n, place in enumerate(places.tolist()):
        if not shown or place - places[shown[-1]] >= LINE:
            shown.append(n)
    return shown


def _label(cluster: Cluster, node: int) -> str:
    """Its name; of a node of one type, its GPUs too."""
    kinds = np.flatnonzero(cluster.allowed[node])
    if len(kinds) > 1:
        return cluster.node_names[node]
    v = cluster.node_types[kinds[0]]
    return f"{cluster.node_names[node]}: {v.gpus} {v.gpu_type}"


def _colour(outcome: Outcome, job: int) -> str:
    end = outcome.completed_at[job]
    if np.isnan(end):
        return UNFINISHED
    if end > outcome.workload.jobs.due[job] + LATE:
        return TOO_LATE[job % len(TOO_LATE)]
    return IN_TIME[job % len(IN_TIME)]
