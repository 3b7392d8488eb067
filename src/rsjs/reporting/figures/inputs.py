"""Figures of what methods are given: epoch distributions, speed profiles, library sets, traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.library.features import Features
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.figure import Axis, Figure, Mark, Panel, Series
from rsjs.reporting.figures.figure_style import COLOURS

if TYPE_CHECKING:
    from rsjs.heuristics.sts.job_profiles import JobProfile
    from rsjs.instances.epoch_distribution import EpochDistribution
    from rsjs.instances.traces.quality_report import QualityReport

GREY = "0.45"
NARROWEST = 1 / 300  # of the axis: what still shows of a bar


def distribution_picture(
    distribution: EpochDistribution, path: str | Path, *, title: str = ""
) -> Path:
    """Draw a distribution of epochs from w = 0 on: bars P(W = w) below the steps P(W > w)."""
    end = 1.02 * distribution.last + 1
    steps = np.concatenate([[0], distribution.epochs, [end]])
    left = Series(name="P(W > w)", x=steps, y=distribution.survival(steps), kind="steps", marked=[])
    mass = Series(
        name="P(W = w)",
        x=distribution.epochs,
        y=distribution.pmf,
        kind="columns",
        width=max(0.8, NARROWEST * end),
    )
    epochs = Axis(title="epochs w", ends=(0, end))
    mean = [Mark(at=distribution.mean, axis="x")]
    moments = f"mean {distribution.mean:.1f} (dotted)"
    moments += f", standard deviation {distribution.deviation:.1f}"
    panels = [
        Panel(
            series=[left],
            x=Axis(ends=(0, end)),
            y=Axis(title="P(W > w)", ends=(0, 1.05)),
            title="\n".join(filter(None, [title, moments])),
            marks=mean,
        ),
        Panel(series=[mass], x=epochs, y=Axis(title="P(W = w)"), marks=mean),
    ]
    return write(_stacked("epochs", title, panels, (4.5, 1.5)), path)


def _stacked(
    name: str,
    title: str,
    panels: Sequence[Panel],
    size: tuple[float, float],
    *,
    heights: Sequence[float] = (),
    has_legend: bool = False,
) -> Figure:
    """Panels one below the other over a common horizontal axis."""
    return Figure(
        name=name,
        title=title,
        panels=panels,
        size=size,
        columns=1,
        heights=heights,
        is_shared=(True, False),
        has_legend=has_legend,
    )


def profile_picture(
    profiles: Sequence[JobProfile],
    distribution: EpochDistribution,
    path: str | Path,
    *,
    done: float,
    time: float,
    title: str = "",
) -> Path:
    """
    Draw P(W > w | W > done), the GPUs of each profile, and the hours they take until epoch w.

    Parameters
    ----------
    profiles : sequence of JobProfile
    distribution : EpochDistribution
        Of the job's epochs.
    done : float
        Epochs done.
    time : float [h]
        Until the due date.
    """
    points = np.concatenate([[done], distribution.epochs[distribution.epochs > done]])
    left = distribution.survival(points) / distribution.survival([done])
    gpus, hours = [], []
    for own in profiles:
        label = f"{own.gpu_type}: {own.status}, {own.energy:.4g} $"
        epochs = [done, *(row.ends for row in own.used if row.ends is not None)]
        counts = [float(row.gpus) for row in own.used]
        spent = np.cumsum([0.0, *(row.hours for row in own.used)]).tolist()
        gpus.append(Series(name=label, x=epochs, y=[*counts, counts[-1]], kind="steps", marked=[]))
        hours.append(Series(name=label, x=epochs, y=spent, marked=[]))
    marks = [] if time < 0 else [Mark(at=time, axis="y", name="due date")]
    overdue = f"due {-time:.4g} h ago" if time < 0 else ""
    survival = Series(name="", x=points, y=left, kind="steps", colour=GREY, marked=[])
    condition = f" | W > {done:.12g}" if done else ""
    panels = [
        Panel(
            series=[survival],
            x=Axis(),
            y=Axis(title=f"P(W > w{condition})", ends=(0, 1.05)),
            title="\n".join(filter(None, [title, overdue])),
        ),
        Panel(series=gpus, x=Axis(), y=Axis(title="GPUs", ends=(0, None))),
        Panel(
            series=hours,
            x=Axis(title="epochs w", ends=(done, None)),
            y=Axis(title="hours from now", ends=(0, None)),
            marks=marks,
        ),
    ]
    made = _stacked("profile", title, panels, (4.8, 1.6), heights=(1, 2, 2), has_legend=True)
    return write(made, path)


PANELS = (("load", "tightness"), ("heterogeneity", "sharing"))
LABELS = {
    "load": "load: work per GPU [h]",
    "tightness": "tightness: shortest time over time left",
    "heterogeneity": "heterogeneity: slowest over fastest GPU type",
    "sharing": "sharing: jobs that a GPU may hold",
}


@dataclass(frozen=True, kw_only=True)
class Point:
    """A set of the library, or a subject beside it."""

    name: str
    group: str
    features: Features


def set_picture(
    points: Sequence[Point], path: str | Path, *, others: Mapping[str, Features]
) -> Path:
    """
    Draw load against tightness, and heterogeneity against sharing.

    Parameters
    ----------
    points : sequence of Point
        A colour per group.
    path : path
        .png, .svg or .pdf.
    others : mapping
        Name -> features, drawn as numbered stars.
    """
    groups: dict[str, list[Features]] = {}
    for point in points:
        groups.setdefault(point.group, []).append(point.features)
    panels = []
    for x, y in PANELS:
        series = [
            Series(
                name=group,
                x=[getattr(found, x) for found in own],
                y=[getattr(found, y) for found in own],
                kind="points",
            )
            for group, own in groups.items()
        ]
        series += [
            Series(
                name=f"{i}  {name}",
                x=[getattr(found, x)],
                y=[getattr(found, y)],
                kind="points",
                colour="#000000",
                look="star",
                texts=[str(i)],
            )
            for i, (name, found) in enumerate(others.items(), start=1)
        ]
        axes = (Axis(title=LABELS[key], is_log=True) for key in (x, y))
        panels.append(Panel(series=series, x=next(axes), y=next(axes)))
    made = Figure(
        name="sets",
        title="Sets of the library",
        panels=panels,
        size=(3.7, 3.0),
        is_shared=(False, False),
    )
    return write(made, path)


MOST_BINS = 240  # over the whole trace
BINS = 8  # of run times, per factor of ten
MOST_MODELS = 5  # GPU types with a colour of their own
WIDTHS = (1, 6, 24, 168, 720)  # h, of a bin
TICKS = {"1 s": 1, "1 min": 60, "1 h": 3600, "1 d": 86400, "1 mo": 2.63e6}  # s
LONG = 86400.0  # s, that the axis of run times shows at least
DAY = 24


def trace_picture(report: QualityReport, path: str | Path) -> Path:
    """
    Draw a trace at a glance: work and jobs submitted over time, run times, GPUs of a job.

    The work submitted in a bin over its length is the number of GPUs that would be busy if every
    job ran at once; the dotted line is the number of GPUs there are.
    """
    tally = report.tally
    hours = [*tally.submissions] or [0]
    first, last = min(hours), max(hours)
    width = next((w for w in WIDTHS if (last - first) / w <= MOST_BINS), WIDTHS[-1])
    days = (np.arange((last - first) // width + 1) + 0.5) * width / DAY

    def binned(by_hour: Mapping[int, float]) -> Floats:
        found = np.zeros(len(days))
        for hour, amount in by_hour.items():
            found[(hour - first) // width] += amount
        return found

    def columns(name: str, heights: Floats, base: Floats, colour: str) -> Series:
        return Series(
            name=name,
            x=days,
            y=heights,
            kind="columns",
            base=base,
            width=width / DAY,
            colour=colour,
        )

    named = [load.model for load in report.loads]
    below, work = np.zeros(len(days)), []
    for i, model in enumerate(named[:MOST_MODELS]):
        members = {model} if i < MOST_MODELS - 1 else {*named[i:]}
        own: dict[int, float] = {}
        for (name, hour), amount in tally.gpu_seconds.items():
            if name in members:
                own[hour] = own.get(hour, 0.0) + amount
        busy = binned(own) / (3600 * width)
        label = "other types" if len(members) > 1 else model or "type not recorded"
        work.append(columns(label, busy, below, COLOURS[i]))
        below = below + busy
    capacity = sum(group.gpus * group.count for group in report.nodes)
    submitted = columns("", binned(tally.submissions), np.zeros(len(days)), COLOURS[0])
    panels = [
        Panel(
            series=work,
            x=Axis(),
            y=Axis(title="GPUs offered work"),
            title=f"{report.trace.format.title}: {tally.rows} rows, {tally.usable} with a load",
            marks=[Mark(at=capacity, axis="y", name="GPUs there are")] if capacity else [],
        ),
        Panel(
            series=[submitted],
            x=Axis(title="days after the first submission"),
            y=Axis(title=f"jobs submitted\nin {width} h"),
        ),
        _run_times(np.concatenate([*tally.run_times, []])),
        _gpus_of_jobs(tally.gpus),
    ]
    made = Figure(
        name="trace",
        title="A trace at a glance",
        panels=panels,
        mosaic="AA;BB;CD",
        size=(3.25, 1.8),
        columns=2,
        is_shared=(False, False),
    )
    return write(made, path)


def _run_times(times: Floats) -> Panel:
    """A histogram over a logarithmic axis."""
    edges, heights = np.unique(np.floor(BINS * np.log10(times)), return_counts=True)
    low, high = 10 ** (edges / BINS), 10 ** ((edges + 1) / BINS)
    bars = Series(
        name="",
        x=(low + high) / 2,
        y=heights,
        kind="columns",
        width=high - low,
        colour=COLOURS[0],
    )
    ends = (min(low[0], 1.0), max(high[-1], LONG)) if len(edges) else (None, None)
    ticks = {float(at): words for words, at in TICKS.items()}
    return Panel(
        series=[bars],
        x=Axis(title="run time", is_log=True, ticks=ticks, ends=ends),
        y=Axis(title="jobs"),
    )


def _gpus_of_jobs(gpus: Mapping[int, int]) -> Panel:
    """A column for each number of GPUs."""
    counts = sorted(gpus)
    places = [float(i) for i in range(len(counts))]
    names = ["share" if count == 0 else str(count) for count in counts]
    bars = Series(
        name="",
        x=places,
        y=[gpus[count] for count in counts],
        kind="columns",
        colour=COLOURS[0],
    )
    ticks = dict(zip(places, names, strict=True))
    return Panel(series=[bars], x=Axis(title="GPUs of a job", ticks=ticks), y=Axis(title="jobs"))
