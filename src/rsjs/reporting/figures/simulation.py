"""
Pictures of simulations: cost, queue and GPUs over time, and which job is on which GPU when.

Solutions name nodes and the second picture needs GPUs: each job gets GPUs of its node that are
free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from rsjs.core.errors import InputError, described
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Workload
from rsjs.reporting.figures.boxes import IN_TIME, TOO_LATE, UNFINISHED, Box, over_time
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.figures.occupancy import placed
from rsjs.simulation.outcome import LATE, LoggedEvent, Outcome


def course_figure(outcomes: Sequence[Outcome]) -> Figure:
    """
    Return cost so far and energy (dashed), jobs that wait, and GPUs in use by type over time.

    Each outcome is of a policy on the one workload.
    """
    if not outcomes:
        raise InputError("", described("no runs"), "at least one run to draw")
    cluster = outcomes[0].workload.cluster
    titles = ["cost [$],\nof it energy (- -)", "jobs waiting"]
    for i, gpu in enumerate(cluster.gpu_types):
        of_gpu = cluster.allowed & (cluster.gpu_of_type == i)
        most = np.where(of_gpu, cluster.gpus_of_type, 0).max(axis=1).sum()
        titles.append(f"{gpu.name} in use\nof {most}")
    series: list[list[Series]] = [[] for _ in titles]
    for outcome in outcomes:
        events, name = pd.DataFrame(outcome.records, columns=LoggedEvent._fields), outcome.policy
        time, energy, tardiness = (events[k].to_numpy() for k in ("time", "energy", "tardiness"))
        before = np.append(0.0, tardiness)[:-1]  # is due at completions
        both = np.column_stack([energy + before, energy + tardiness]).ravel()
        series[0] += [
            Series(name=name, x=np.repeat(time, 2), y=both, marked=[]),
            Series(name="", style=name, x=time, y=energy, look="dashed", marked=[]),
        ]
        in_use = np.reshape(events["in_use"].tolist(), (-1, len(cluster.gpu_types))).T
        for own, y in zip(series[1:], [events["waiting"].to_numpy(), *in_use], strict=True):
            own.append(Series(name=name, x=time, y=y, kind="steps", marked=[]))
    panels = [
        Panel(
            series=own,
            x=Axis(title="time [h]"),
            y=Axis(title=title, ends=(0, None), is_count=i > 0),
        )
        for i, (title, own) in enumerate(zip(titles, series, strict=True))
    ]
    return Figure(
        name="course",
        title="Cost, queue and GPUs over time",
        panels=panels,
        heading=outcomes[0].workload.name,
        size=(7.0, 1.4),
        columns=1,
        is_shared=(True, False),
    )


class Stay(NamedTuple):
    """A job on `width` GPUs (a fraction: a share) of a node from `start` on, begin to end [h]."""

    job: int
    node: int
    start: float
    width: float
    begin: float
    end: float


def stays(workload: Workload, records: Sequence[LoggedEvent]) -> list[Stay]:
    """
    Return every placement of every job, in the order in which they end.

    A job keeps its GPUs while its placement holds, unless its node has to be laid out anew for
    another one: GPUs of a job are next to each other, shares of a job are of one GPU.
    """
    layout = _Layout(workload)
    for record in records:
        layout.change(record)
    for job in list(layout.where):
        layout.leave(job, records[-1].time)
    return layout.stays


class _Layout:
    """Where jobs are, in units of a GPU from the first GPU of their node on."""

    def __init__(self, workload: Workload) -> None:
        self.position = {name: j for j, name in enumerate(workload.jobs.id)}
        self.types = {kind.name: kind for kind in workload.cluster.node_types}
        self.gpus = {gpu.name: gpu for gpu in workload.cluster.gpu_types}
        self.kind: dict[int, str] = {}  # node type of each node
        self.where: dict[int, tuple[int, int, int, float]] = {}  # node, start, units, begin
        self.stays: list[Stay] = []

    def leave(self, job: int, time: float) -> None:
        """A job leaves its GPUs."""
        node, start, width, begin = self.where.pop(job)
        units = self.gpus[self.types[self.kind[node]].gpu_type].units
        if time > begin:
            self.stays.append(Stay(job, node, start / units, width / units, begin, time))

    def change(self, record: LoggedEvent) -> None:
        """Jobs complete, and a decision takes effect."""
        for name in (*record.completed, *record.wait, *record.run):
            if self.position[name] in self.where:
                self.leave(self.position[name], record.time)
        self.kind |= {int(node): kind for node, kind in record.nodes.items() if kind is not None}
        joining: dict[int, dict[int, int]] = {}
        for name, (node, gpus, level) in record.run.items():
            gpu = self.gpus[self.types[self.kind[node]].gpu_type]
            width = gpus * gpu.units if level < 0 else gpu.levels[level].units
            joining.setdefault(node, {})[self.position[name]] = width
        for node, widths in joining.items():
            self._join(node, widths, record.time)

    def _join(self, node: int, widths: dict[int, int], time: float) -> None:
        """Place jobs beside those on a node, which move only if there is no other way."""
        kind = self.types[self.kind[node]]
        units = self.gpus[kind.gpu_type].units
        here = {j: width for j, (n, _, width, _) in self.where.items() if n == node}
        start = {j: self.where[j][1] for j in here}
        free = [True] * (units * kind.gpus)
        for j, at in start.items():
            free[at : at + here[j]] = [False] * here[j]
        for job in sorted(widths, key=lambda j: (-widths[j], j)):
            gap = _gap(free, widths[job], units)
            if gap is None:
                for other in here:
                    self.leave(other, time)
                widths = here | widths
                start = placed(widths, units)
                break
            start[job] = gap
            free[gap : gap + widths[job]] = [False] * widths[job]
        for job, width in widths.items():
            self.where[job] = node, start[job], width, time


def _gap(free: Sequence[bool], width: int, units: int) -> int | None:
    """Return where a job fits: whole GPUs, or a part of one; GPUs in use first for a part."""
    gaps = (
        at
        for at in range(len(free) - width + 1)
        if (at % units == 0 or at % units + width <= units) and all(free[at : at + width])
    )
    return min(gaps, key=lambda at: all(free[at // units * units :][:units]), default=None)


ROW, LEAST, MOST = 0.09, 1.0, 13.0  # inches: height of a GPU, of the panel
LINE = 0.12  # inches: between two names of nodes
BETWEEN = 0.3  # GPUs: between two nodes
LEGEND = {
    "in time": IN_TIME,
    "more than a minute late": TOO_LATE,
    "not finished": (UNFINISHED,),
}


def gantt_figure(outcome: Outcome) -> Figure:
    """Return every GPU as a row, the jobs on it as bars from start to end."""
    cluster, jobs, records = outcome.workload.cluster, outcome.workload.jobs, outcome.records
    size = cluster.largest_of_class[cluster.class_of_node]
    end = np.cumsum(size + BETWEEN)
    first = end - size - BETWEEN
    height = min(MOST, max(LEAST, ROW * end[-1]))
    found = []
    for stay in stays(outcome.workload, records):
        middle, lasts = first[stay.node] + stay.start + stay.width / 2, stay.end - stay.begin
        word, colour = _word(outcome, stay.job)
        found.append(Box(stay.begin, lasts, middle, stay.width, word, colour, jobs.id[stay.job]))
    ticks: dict[float, str] = {}
    for n, middle in enumerate((first + size / 2).tolist()):
        if not ticks or (middle - max(ticks)) * height / end[-1] >= LINE:
            ticks[middle] = _label(cluster, n)
    times = [record.time for record in records] or [0.0, 1.0]
    title = f"{outcome.workload.name}\n{outcome.policy}"
    return over_time(
        found,
        LEGEND,
        unit="h",
        height=height,
        ends=(times[0], max(times[-1], times[0] + 1e-9)),
        y=Axis(ticks=ticks, ends=(end[-1], -BETWEEN)),
        name="gantt",
        title=title,
        heading=title,
    )


def _label(cluster: Cluster, node: int) -> str:
    """Its name; of a node of one type, its GPUs too."""
    name, kinds = cluster.node_names[node], np.flatnonzero(cluster.allowed[node])
    kind = cluster.node_types[kinds[0]]
    return name if len(kinds) > 1 else f"{name}: {kind.gpus} {kind.gpu_type}"


def _word(outcome: Outcome, job: int) -> tuple[str, str]:
    """How a job ended, in the words of the legend, and its colour."""
    end = outcome.completed_at[job]
    words = [*LEGEND]
    word = words[2 if np.isnan(end) else int(end > outcome.workload.jobs.due[job] + LATE)]
    return word, LEGEND[word][job % len(LEGEND[word])]
