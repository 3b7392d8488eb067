"""Which job is on which GPU at what time, from the records of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.cluster import Cluster
from rsjs.reporting import canvas
from rsjs.reporting.gpu_timeline import Stay, stays
from rsjs.simulation.outcome import LATE, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    path = canvas.checked(path)
    return canvas.write(lambda: _drawn(outcome), path)


def _drawn(outcome: Outcome) -> Figure:
    cluster = outcome.workload.cluster
    size = np.where(cluster.allowed, cluster.gpus_of_type, 0).max(axis=1)
    first = np.concatenate([[0], np.cumsum(size)])
    height = min(MOST, max(LEAST, 1.2 + ROW * first[-1]))
    made = canvas.figure(WIDTH, height, layout="constrained")
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
