"""A trace at a glance: work and jobs submitted over time, run times, GPUs of a job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rsjs.instances.traces.quality_report import QualityReport, TraceTally

SIZE = 6.5, 5.6  # inches
MOST_BINS = 240  # over the whole trace
BINS = 8  # of run times, per factor of ten
MOST_MODELS = 5  # GPU types with a colour of their own
WIDTHS = (1, 6, 24, 168, 720)  # h, of a bin
TICKS = {"1 s": 1, "1 min": 60, "1 h": 3600, "1 d": 86400, "1 mo": 2.63e6}  # s
_LONG = 86400.0  # s, that the axis of run times shows at least
_BARS, _CAPACITY = figure_style.COLOURS[0], "0.35"
_DAY = 24


def trace_picture(report: QualityReport, path: str | Path) -> Path:
    """
    Draw a report: .png, .svg or .pdf.

    The work submitted in a bin over its length is the number of GPUs that would be busy if every
    job ran at once; the dotted line is the number of GPUs there are.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(report), path)


def _drawn(report: QualityReport) -> Figure:
    made = figure_style.figure(*SIZE, layout="constrained")
    grid = made.add_gridspec(3, 2)
    work = made.add_subplot(grid[0, :])
    jobs = made.add_subplot(grid[1, :], sharex=work)
    tally = report.tally
    hours = [*tally.submissions] or [0]
    first, last = min(hours), max(hours)
    width = next((w for w in WIDTHS if (last - first) / w <= MOST_BINS), WIDTHS[-1])
    _draw_work(work, report, first, last, width)
    counts = _binned(tally.submissions, first, last, width)
    jobs.bar(_middles(counts, width), counts, width=width / _DAY, color=_BARS)
    jobs.set(xlabel="days after the first submission", ylabel=f"jobs submitted\nin {width} h")
    _draw_run_times(made.add_subplot(grid[2, 0]), tally)
    _draw_gpus(made.add_subplot(grid[2, 1]), tally)
    work.set_title(f"{report.trace.format.title}: {tally.rows} rows, {tally.usable} with a load")
    for ax in made.axes:
        ax.set_axisbelow(True)
        ax.grid(axis="y", color="0.92", linewidth=0.6)
    return made


def _draw_work(ax: Axes, report: QualityReport, first: int, last: int, width: int) -> None:
    below = np.zeros((last - first) // width + 1)
    named = [load.model for load in report.loads]
    for i, model in enumerate(named[:MOST_MODELS]):
        members = {model} if i < MOST_MODELS - 1 else {*named[i:]}
        own: dict[int, float] = {}
        for (name, hour), amount in report.tally.gpu_seconds.items():
            if name in members:
                own[hour] = own.get(hour, 0.0) + amount
        busy = _binned(own, first, last, width) / (3600 * width)
        label = "other types" if len(members) > 1 else model or "type not recorded"
        ax.bar(
            _middles(busy, width),
            busy,
            bottom=below,
            width=width / _DAY,
            color=figure_style.COLOURS[i],
            label=label,
        )
        below += busy
    capacity = sum(group.gpus * group.count for group in report.nodes)
    if capacity:
        ax.axhline(capacity, color=_CAPACITY, linestyle=":", linewidth=1, label="GPUs there are")
    ax.set_ylabel("GPUs offered work")
    if named:
        ax.legend(loc="upper left", frameon=False, ncols=3)


def _draw_run_times(ax: Axes, tally: TraceTally) -> None:
    times = np.concatenate([*tally.run_times, []])
    edges, heights = np.unique(np.floor(BINS * np.log10(times)), return_counts=True)
    widths = 10 ** ((edges + 1) / BINS) - 10 ** (edges / BINS)
    ax.bar(10 ** (edges / BINS), heights, width=widths, align="edge", color=_BARS)
    ax.set_xscale("log")
    ax.minorticks_off()
    ax.set_xticks(list(TICKS.values()), list(TICKS))
    if len(edges):
        ax.set_xlim(min(10 ** (edges[0] / BINS), 1), max(10 ** ((edges[-1] + 1) / BINS), _LONG))
    ax.set(xlabel="run time", ylabel="jobs")


def _draw_gpus(ax: Axes, tally: TraceTally) -> None:
    counts = sorted(tally.gpus)
    labels = ["share" if count == 0 else str(count) for count in counts]
    ax.bar(range(len(counts)), [tally.gpus[count] for count in counts], color=_BARS)
    ax.set_xticks(range(len(counts)), labels, rotation=90 if len(counts) > 8 else 0)
    ax.set(xlabel="GPUs of a job", ylabel="jobs")


def _binned(by_hour: Mapping[int, float], first: int, last: int, width: int) -> np.ndarray:
    found = np.zeros((last - first) // width + 1)
    hours = np.fromiter(by_hour, dtype=np.int64, count=len(by_hour))
    amounts = np.fromiter(by_hour.values(), dtype=float, count=len(by_hour))
    np.add.at(found, (hours - first) // width, amounts)
    return found


def _middles(bins: np.ndarray, width: int) -> np.ndarray:
    return np.asarray((np.arange(len(bins)) + 0.5) * width / _DAY)
