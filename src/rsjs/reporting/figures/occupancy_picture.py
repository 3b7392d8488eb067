"""A picture of which job sits on which GPU, coloured by time to completion."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.occupancy import (
    HEADING,
    Block,
    Layout,
    Shelf,
    laid_out,
    shelves,
    totals,
    without_prefix,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

TOP, BOTTOM, LEAST_WIDTH = 0.55, 0.6, 6.0  # inches
POINTS = 72.0
LARGEST_TEXT, SMALLEST_TEXT, LETTER = 8.0, 4.5, 0.62  # points; width of a letter / font size


def occupancy(instance: Instance, solution: Solution, path: str | Path) -> Path:
    """
    Draw the nodes that are on as rows of GPUs, the jobs on them as blocks.

    Idle GPUs are hatched, shared GPUs divided; many nodes are grouped by type and stand in
    several columns.

    Parameters
    ----------
    instance, solution
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        For another suffix, or a decision that cannot be laid out.
    """
    path = figure_style.checked(path)
    on = shelves(instance, solution)
    return figure_style.write(lambda: _drawn(instance, on), path)


def _drawn(instance: Instance, on: Sequence[Shelf]) -> Figure:
    on, prefix = without_prefix(on)
    layout = laid_out(on)
    width = max(LEAST_WIDTH, layout.width)
    made = figure_style.figure(width, TOP + layout.height + BOTTOM)
    ax = made.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(layout.height + BOTTOM, -TOP))  # inches, downwards
    ax.axis("off")
    ax.text(0.1, 0.15 - TOP, instance.name, fontsize=9, va="center")
    hatched = " (idle: hatched)" if any(shelf.idle for shelf in on) else ""
    shorter = f"; job ids without “{prefix}”" if prefix else ""
    told = wrap(totals(instance, on) + hatched + shorter, int(width * POINTS / 7 / LETTER))
    ax.text(0.1, 0.36 - TOP, "\n".join(told), fontsize=7, va="center", color="0.3")
    hours = [block.hours for shelf in on for block in shelf.blocks]
    colours = _colours(hours)
    for heading, x, y in layout.headings:
        ax.text(x, y + layout.row * 0.7, heading, fontsize=HEADING, va="center", color="0.2")
    for shelf, x, y in layout.shelves:
        _shelf(ax, shelf, x, y, layout, colours)
    if colours is not None:
        ends = min(hours), max(hours)
        _colour_bar(made, colours, ends, width, TOP + layout.height + BOTTOM)
    return made


def _shelf(
    ax: Axes, shelf: Shelf, x: float, y: float, layout: Layout, colours: ScalarMappable | None
) -> None:
    from matplotlib.patches import Rectangle

    high, cell = layout.row * 0.84, layout.cell
    label = shelf.node if layout.grouped else f"{shelf.node}\n{shelf.node_type}"
    ax.text(x - 0.06, y + high / 2, label, fontsize=layout.text, va="center", ha="right")
    for gpu in shelf.idle:
        ax.add_patch(
            Rectangle((x + gpu * cell, y), cell, high, fc="white", ec="0.75", hatch="/////", lw=0.4)
        )
    for block in shelf.blocks:
        assert colours is not None
        left, wide = x + block.start * cell, block.width * cell
        colour = colours.to_rgba(np.array([block.hours]))[0]
        ax.add_patch(Rectangle((left, y), wide, high, fc=colour, ec="white", lw=0.8))
        for gpu in range(1, round(block.width)):
            for begin, end in ((0, 0.2), (0.8, 1)):  # leaves the label free
                ends = [y + begin * high, y + end * high]
                ax.plot([left + gpu * cell] * 2, ends, color="white", lw=0.5)
        _label(ax, block, (left + wide / 2, y + high / 2), (wide, high), colour)
    for gpu in {block.gpu for block in shelf.blocks if block.shared}:
        ax.add_patch(Rectangle((x + gpu * cell, y), cell, high, fc="none", ec="black", lw=0.7))


def _label(
    ax: Axes, block: Block, at: tuple[float, float], room: tuple[float, float], colour: Any
) -> None:
    size = min(
        LARGEST_TEXT,
        (room[0] * POINTS - 2) / (LETTER * len(block.job)),
        0.7 * room[1] * POINTS,
    )
    if size < SMALLEST_TEXT:
        return
    red, green, blue, _ = (channel**2.2 for channel in colour)
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.18  # where white reads better
    ax.text(*at, block.job, fontsize=size, va="center", ha="center", color="w" if dark else "k")


def _colours(hours: Sequence[float]) -> ScalarMappable | None:
    """Time to completion -> colour: log scale if the times span a decade."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize

    if not hours:
        return None
    least, most = min(hours), max(hours)
    if least > 0 and most > 10 * least:
        return ScalarMappable(LogNorm(least, most), "viridis")
    margin = 0.05 * most if most == least else 0.0
    return ScalarMappable(Normalize(least - margin, most + margin), "viridis")


def _colour_bar(
    made: Figure, colours: ScalarMappable, hours: tuple[float, float], width: float, height: float
) -> None:
    long = 3.0
    ax = made.add_axes(((width - long) / 2 / width, 0.34 / height, long / width, 0.1 / height))
    bar = made.colorbar(colours, cax=ax, orientation="horizontal")
    ticks = _ticks(*hours)
    bar.set_ticks(ticks, labels=[f"{hours:.3g}" for hours in ticks])
    bar.minorticks_off()
    bar.outline.set_visible(False)
    bar.set_label("time to completion [h]", fontsize=7, labelpad=1)
    ax.tick_params(labelsize=6.5, pad=1.5, length=2)


def _ticks(least: float, most: float) -> list[float]:
    """The ends, and between them the powers of ten that are not close to one."""
    if least == most:
        return [least]
    if not most > 10 * least > 0:
        return [least, (least + most) / 2, most]
    powers = [10.0**power for power in range(ceil(log10(least)), floor(log10(most)) + 1)]
    return [least, *(tick for tick in powers if 2 * least < tick < most / 2), most]
