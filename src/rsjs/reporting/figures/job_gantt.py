"""
The picture of which job is on which GPU at what time, from the records of a simulation.

Solutions name nodes and a picture needs GPUs: each job gets GPUs of its node that are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Workload
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.occupancy import packed
from rsjs.simulation.events import Changes, Record
from rsjs.simulation.outcome import LATE, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


IN_TIME = ("#0072B2", "#56B4E9", "#009E73", "#999999")  # told apart, no other meaning
TOO_LATE, UNFINISHED = ("#D55E00", "#E69F00"), "#000000"
WIDTH, ROW, LEAST, MOST = 9.0, 0.09, 2.2, 14.0  # inches
LETTER, LINE = 0.07, 0.12  # inches: width of a letter, height of a line


def job_gantt(outcome: Outcome, path: str | Path) -> Path:
    """
    Draw every GPU as a row, the jobs on it as bars from start to end.

    Parameters
    ----------
    outcome : Outcome
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(outcome), path)


def _drawn(outcome: Outcome) -> Figure:
    cluster = outcome.workload.cluster
    size = np.where(cluster.allowed, cluster.gpus_of_type, 0).max(axis=1)
    first = np.concatenate([[0], np.cumsum(size)])
    height = min(MOST, max(LEAST, 1.2 + ROW * first[-1]))
    made = figure_style.figure(WIDTH, height, layout="constrained")
    ax = made.subplots()
    drawn = stays(outcome.workload, outcome.records)
    _bars(ax, outcome, drawn, first, (height - 1.2) / first[-1])
    for n in range(1, cluster.nodes):
        ax.axhline(first[n], color="0.85", linewidth=0.4, zorder=0)
    middle = (first[:-1] + first[1:]) / 2
    shown = _apart(middle * (height - 1.2) / first[-1])
    ax.set_yticks(middle[shown], [_label(cluster, n) for n in shown])
    begin = outcome.records[0].time if outcome.records else 0.0
    end = outcome.records[-1].time if outcome.records else 1.0
    ax.set(xlim=(begin, max(end, begin + 1e-9)), ylim=(first[-1], 0), xlabel="time [h]")
    ax.tick_params(axis="y", length=0)
    made.suptitle(f"{outcome.workload.name}\n{outcome.policy}", fontsize=9)
    _legend(made)
    return made


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


def _bars(ax: Axes, outcome: Outcome, drawn: Sequence[Stay], first: Ints, row: float) -> None:
    from matplotlib.collections import PolyCollection

    corners, colours = [], []
    for stay in drawn:
        low = first[stay.node] + stay.start
        high = low + stay.width
        corners.append([(stay.begin, low), (stay.end, low), (stay.end, high), (stay.begin, high)])
        colours.append(_colour(outcome, stay.job))
    ax.add_collection(PolyCollection(corners, facecolors=colours, edgecolors="white", lw=0.3))
    if not drawn:
        return
    hours = outcome.records[-1].time - outcome.records[0].time
    for stay, colour in zip(drawn, colours, strict=True):
        name = outcome.workload.jobs.id[stay.job]
        room = (stay.end - stay.begin) / hours * (WIDTH - 1)
        if room > LETTER * (len(name) + 1) and stay.width * row > 0.08:
            middle = (stay.begin + stay.end) / 2, first[stay.node] + stay.start + stay.width / 2
            dark = colour in (IN_TIME[0], TOO_LATE[0], UNFINISHED)
            ax.text(
                *middle,
                name,
                ha="center",
                va="center",
                fontsize=5,
                color="white" if dark else "black",
                clip_on=True,
            )


def _colour(outcome: Outcome, job: int) -> str:
    end = outcome.completed_at[job]
    if np.isnan(end):
        return UNFINISHED
    if end > outcome.workload.jobs.due[job] + LATE:
        return TOO_LATE[job % len(TOO_LATE)]
    return IN_TIME[job % len(IN_TIME)]


def _legend(made: Figure) -> None:
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.patches import Patch

    kinds = {
        "in time": IN_TIME,
        "more than a minute late": TOO_LATE,
        "not finished": (UNFINISHED,),
    }
    made.legend(
        handles=[tuple(Patch(color=colour) for colour in colours) for colours in kinds.values()],
        labels=[*kinds],
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=4,
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=7,
    )
