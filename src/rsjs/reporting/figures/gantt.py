"""Bars over time on machines, drawn with matplotlib: GPUs, MIG units, memory slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rsjs.core.types import Floats, Ints
from rsjs.reporting.figures import figure_style

IN_TIME = ("#0072B2", "#56B4E9", "#009E73", "#999999")  # told apart, no other meaning
TOO_LATE, UNFINISHED = ("#D55E00", "#E69F00"), "#000000"
WIDTH, AROUND = 9.0, 1.0  # inches: of a figure, and of what is not time
SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))  # its corners
LETTER, LOWEST = 0.065, 0.08  # inches: width of a letter, least height of a bar with a name


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in units of the axes, with its name where that fits."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    name: str = ""
    is_pale: bool = False
    edge: float = 0.3  # points, white


@dataclass(frozen=True, kw_only=True)
class Gantt:
    """Bars over time, and what stands around them."""

    title: str
    bars: Sequence[Bar]
    size: tuple[float, float]  # inches
    x_ends: tuple[float, float]
    y_end: float  # from 0 on top
    x_title: str = ""
    y_title: str = ""
    ticks: Mapping[float, str]  # names at the left
    lines: Ints | Floats | Sequence[float] = ()  # that separate machines
    legend: Mapping[str, Sequence[str]]  # words -> colours
    has_axes: bool = True


def write(chart: Gantt, path: str | Path) -> Path:
    """Draw a chart and write it: .png, .svg or .pdf."""
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(chart), path)


def _drawn(chart: Gantt) -> Any:
    from matplotlib.collections import PolyCollection
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.patches import Patch

    made = figure_style.figure(*chart.size, layout="constrained")
    ax = made.subplots()
    for bars, alpha in (
        ([bar for bar in chart.bars if bar.is_pale], 0.35),
        ([bar for bar in chart.bars if not bar.is_pale], 1.0),
    ):
        corners = [
            [(bar.x + right * bar.width, bar.y + down * bar.height) for right, down in SQUARE]
            for bar in bars
        ]
        fills, edges = [bar.colour for bar in bars], [bar.edge for bar in bars]
        ax.add_collection(
            PolyCollection(corners, facecolors=fills, edgecolors="white", lw=edges, alpha=alpha)
        )
    across = (chart.size[0] - AROUND) / (chart.x_ends[1] - chart.x_ends[0])  # inches per unit
    down = (chart.size[1] - AROUND) / chart.y_end
    for bar in chart.bars:
        if bar.width * across > LETTER * (len(bar.name) + 1) and bar.height * down > LOWEST:
            dark = bar.colour in (IN_TIME[0], TOO_LATE[0], UNFINISHED)
            ax.text(
                bar.x + bar.width / 2,
                bar.y + bar.height / 2,
                bar.name,
                ha="center",
                va="center",
                fontsize=5,
                color="white" if dark else "black",
                clip_on=True,
            )
    for at in chart.lines:
        ax.axhline(at, color="0.85", linewidth=0.4, zorder=0)
    ax.set_yticks([*chart.ticks], [*chart.ticks.values()])
    ax.tick_params(axis="y", length=0, labelsize=7)
    ax.set(xlim=chart.x_ends, ylim=(chart.y_end, 0), xlabel=chart.x_title, ylabel=chart.y_title)
    if not chart.has_axes:
        ax.set_xticks([])
        ax.spines[:].set_visible(False)
    made.suptitle(chart.title, fontsize=9)
    made.legend(
        handles=[tuple(Patch(color=one) for one in colours) for colours in chart.legend.values()],
        labels=[*chart.legend],
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=max((len(colours) for colours in chart.legend.values()), default=1),
        loc="outside lower center",
        ncols=max(1, len(chart.legend)),
        frameon=False,
        fontsize=7,
    )
    return made
