"""Figures of what methods are given: epoch distributions, speed profiles, traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Floats
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.figure import Axis, Figure, Mark, Panel, Series, Values
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
    epochs, end = distribution.epochs, 1.02 * distribution.last + 1
    steps = np.concatenate([[0], epochs, [end]])
    left = Series(name="P(W > w)", x=steps, y=distribution.survival(steps), kind="steps", marked=[])
    wide = max(0.8, NARROWEST * end)
    mass = Series(name="P(W = w)", x=epochs, y=distribution.pmf, kind="columns", width=wide)
    x, mean = Axis(title="epochs w", ends=(0, end)), [Mark(at=distribution.mean, axis="x")]
    told = f"mean {distribution.mean:.1f} (dotted), standard deviation {distribution.deviation:.1f}"
    told = "\n".join(filter(None, [title, told]))
    survival = Axis(title="P(W > w)", ends=(0, 1.05))
    panels = [
        Panel(series=[left], x=x, y=survival, title=told, marks=mean),
        Panel(series=[mass], x=x, y=Axis(title="P(W = w)"), marks=mean),
    ]
    return write(_stacked(title, panels, size=(4.5, 1.5), has_legend=False), path)


def _stacked(title: str, panels: Sequence[Panel], **more: Any) -> Figure:
    """Panels one below the other over a common horizontal axis."""
    shared = (True, False)
    return Figure(name="epochs", title=title, panels=panels, columns=1, is_shared=shared, **more)


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

    The job with this distribution has run `done` epochs, and is due in `time` h.
    """
    points = np.concatenate([[done], distribution.epochs[distribution.epochs > done]])
    left = distribution.survival(points) / distribution.survival([done])
    gpus, hours = [], []
    for own in profiles:
        label = f"{own.gpu_type}: {own.status}, {own.energy:.4g} $"
        epochs = [done, *(row.ends for row in own.used if row.ends is not None)]
        counts = [float(row.gpus) for row in own.used]
        spent = np.cumsum([0.0, *(row.hours for row in own.used)])
        gpus.append(Series(name=label, x=epochs, y=[*counts, counts[-1]], kind="steps", marked=[]))
        hours.append(Series(name=label, x=epochs, y=spent, marked=[]))
    marks = [] if time < 0 else [Mark(at=time, axis="y", name="due date")]
    told = "\n".join(filter(None, [title, f"due {-time:.4g} h ago" if time < 0 else ""]))
    survival = Series(name="", x=points, y=left, kind="steps", colour=GREY, marked=[])
    condition = f" | W > {done:.12g}" if done else ""
    x = Axis(title="epochs w", ends=(done, None))
    up = [f"P(W > w{condition})", "GPUs", "hours from now"]
    y = [Axis(title=one, ends=(0, end)) for one, end in zip(up, (1.05, None, None), strict=True)]
    panels = [
        Panel(series=[survival], x=x, y=y[0], title=told),
        Panel(series=gpus, x=x, y=y[1]),
        Panel(series=hours, x=x, y=y[2], marks=marks),
    ]
    return write(_stacked(title, panels, size=(4.8, 1.6), heights=(1, 2, 2)), path)


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

    def binned(by_hour: Iterable[tuple[int, float]]) -> Floats:
        total = np.zeros(len(days))
        for hour, amount in by_hour:
            total[(hour - first) // width] += amount
        return total

    columns = partial(Series, x=days, kind="columns", width=width / DAY)
    named = [load.model for load in report.loads]
    below, work = np.zeros(len(days)), []
    for i, model in enumerate(named[:MOST_MODELS]):
        members = {model} if i < MOST_MODELS - 1 else {*named[i:]}
        seconds = tally.gpu_seconds.items()
        busy = binned((hour, amount) for (name, hour), amount in seconds if name in members)
        busy = busy / (3600 * width)
        label = "other types" if len(members) > 1 else model or "type not recorded"
        work.append(columns(name=label, y=busy, base=below, colour=COLOURS[i]))
        below = below + busy
    capacity = sum(group.gpus * group.count for group in report.nodes)
    submitted = columns(name="", y=binned(tally.submissions.items()), colour=COLOURS[0])
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
    """Return a histogram of run times [s] over a logarithmic axis."""
    edges, counts = np.unique(np.floor(BINS * np.log10(times)), return_counts=True)
    low, high = 10 ** (edges / BINS), 10 ** ((edges + 1) / BINS)
    ends = (min(low[0], 1.0), max(high[-1], LONG)) if len(edges) else (None, None)
    ticks = {float(at): words for words, at in TICKS.items()}
    x = Axis(title="run time", is_log=True, ticks=ticks, ends=ends)
    return _jobs(x, (low + high) / 2, counts, high - low)


def _gpus_of_jobs(gpus: Mapping[int, int]) -> Panel:
    """Return a column for each number of GPUs."""
    counts = sorted(gpus)
    ticks = {float(i): "share" if n == 0 else str(n) for i, n in enumerate(counts)}
    return _jobs(Axis(title="GPUs of a job", ticks=ticks), [*ticks], [gpus[n] for n in counts])


def _jobs(x: Axis, at: Values, counts: Values, width: float | Values = 0.75) -> Panel:
    """Columns of numbers of jobs."""
    bars = Series(name="", x=at, y=counts, kind="columns", width=width, colour=COLOURS[0])
    return Panel(series=[bars], x=x, y=Axis(title="jobs"))
