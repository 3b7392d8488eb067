"""
The picture of which job sits on which GPU, coloured by time to completion.

`scene` computes rectangles, words and a legend once, in pixels of 1/96 inch. A report page draws
them as SVG (template `instance`), `occupancy` with matplotlib as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.occupancy import (
    Block,
    Layout,
    Shelf,
    laid_out,
    shelves,
    totals,
    without_prefix,
)
from rsjs.reporting.figures.occupancy_lines import VIRIDIS
from rsjs.reporting.tables.formats import TIMES, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALE = 96.0  # pixels per inch
LETTER, LARGEST, SMALLEST = 0.62, 11.0, 6.0  # width by size of a letter; pixels
TOP, BOTTOM, LEAST_WIDTH, SWATCH = 52.0, 30.0, 576.0, 70.0  # of a file, pixels


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, with what it says; `ink` is the colour of the label."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    fill: str = ""
    label: str = ""
    size: float = 0.0
    ink: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Text at a place in pixels."""

    x: float
    y: float
    text: str
    anchor: str
    size: float


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A picture: its size in pixels, what it holds, its legend and its totals."""

    width: float
    height: float
    boxes: Sequence[Box]
    words: Sequence[Word]
    legend: Sequence[tuple[str, str]]
    told: str


def scene(instance: Instance, on: Sequence[Shelf]) -> Scene:
    """Return the nodes that are on as rows of GPUs, jobs as blocks."""
    told = totals(instance, on)
    on, prefix = without_prefix(on)
    layout = laid_out(on)
    hours = [block.hours for shelf in on for block in shelf.blocks]
    place = scale(hours)
    boxes: list[Box] = []
    words = [
        Word(x * SCALE, (y + 0.7 * layout.row) * SCALE, heading, "start", 9.0)
        for heading, x, y in layout.headings
    ]
    for shelf, x, y in layout.shelves:
        names = [shelf.node] if layout.grouped else [shelf.node, shelf.node_type]
        size = layout.text * SCALE / 72
        middle = (y + 0.42 * layout.row) * SCALE - 0.6 * size * (len(names) - 1)
        words += [
            Word((x - 0.06) * SCALE, middle + 1.2 * size * i, name, "end", size)
            for i, name in enumerate(names)
        ]
        boxes += _boxes(shelf, x, y, layout, place, prefix)
    return Scene(
        width=layout.width * SCALE,
        height=layout.height * SCALE,
        boxes=boxes,
        words=words,
        legend=_legend(hours, place),
        told=told + (f"; job ids without “{prefix}”" if prefix else ""),
    )


def scale(hours: Sequence[float]) -> Callable[[float], float]:
    """Return the place of a time in [0, 1], logarithmic if the times span a decade."""
    least, most = (min(hours), max(hours)) if hours else (0.0, 0.0)
    if most > 10 * least > 0:
        return lambda value: log(value / least) / log(most / least)
    return lambda value: (value - least) / (most - least) if most > least else 0.5


def colour(place: float) -> tuple[str, str]:
    """Return Viridis at a place in [0, 1], and the ink that reads on it."""
    step = min(len(VIRIDIS) - 2, int(place * (len(VIRIDIS) - 1)))
    part = place * (len(VIRIDIS) - 1) - step
    ends = [[int(VIRIDIS[step + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1)]
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(*ends, strict=True))
    linear = [(channel / 255) ** 2.2 for channel in (red, green, blue)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return f"#{red:02x}{green:02x}{blue:02x}", "#fff" if light < 0.18 else "#000"


def _boxes(
    shelf: Shelf, x: float, y: float, layout: Layout, place: Callable[[float], float], prefix: str
) -> Iterator[Box]:
    """Idle GPUs, jobs with the borders of their GPUs, and frames of GPUs that jobs share."""
    cell, high = layout.cell * SCALE, layout.row * 0.84 * SCALE
    left, top = x * SCALE, y * SCALE
    for gpu in shelf.idle:
        title = f"{shelf.node}: GPU {gpu} idle"
        yield Box(left + gpu * cell, top, cell, high, "idle", title=title)
    for block in shelf.blocks:
        fill, ink = colour(place(block.hours))
        begin, wide = left + block.start * cell, block.width * cell
        size = min(LARGEST, (wide - 3) / (LETTER * len(block.job)), 0.7 * high)
        label = block.job if size >= SMALLEST else ""
        title = _title(shelf, block, prefix)
        yield Box(begin, top, wide, high, "job", fill, label, size, ink, title)
        for gpu in range(1, round(block.width)):
            for at in (0.0, 0.8 * high):  # leaves the label free
                yield Box(begin + gpu * cell, top + at, 0.7, 0.2 * high, "border", "#fff")
    for gpu in sorted({block.gpu for block in shelf.blocks if block.shared}):
        yield Box(left + gpu * cell, top, cell, high, "frame")


def _title(shelf: Shelf, block: Block, prefix: str) -> str:
    share = "a share of 1" if block.shared else f"{block.width:g}"
    hours = significant(block.hours, 4)
    return f"{prefix}{block.job}: {share} {TIMES} {shelf.gpu_type} of {shelf.node}, {hours} h"


def _legend(hours: Sequence[float], place: Callable[[float], float]) -> list[tuple[str, str]]:
    """Colour and time at the ends, and of the jobs a third of the scale apart."""
    if not hours:
        return []
    marks = {round(3 * place(value)): value for value in sorted(hours)[1:-1]}
    ends = {0: min(hours), 3: max(hours)}
    return [
        (colour(place(value))[0], significant(value, 3))
        for _, value in sorted((marks | ends).items())
    ]


def occupancy(instance: Instance, solution: Solution, path: str | Path) -> Path:
    """
    Draw the nodes that are on as rows of GPUs, the jobs on them as blocks.

    Idle GPUs are hatched, shared GPUs framed; many nodes are grouped by type and stand in several
    columns.

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
    shown = scene(instance, shelves(instance, solution))
    return figure_style.write(lambda: _drawn(instance.name, shown), path)


def _drawn(name: str, shown: Scene) -> Figure:
    from matplotlib.patches import Rectangle

    width, height = max(LEAST_WIDTH, shown.width), TOP + shown.height + BOTTOM
    made = figure_style.figure(width / SCALE, height / SCALE)
    ax = made.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(height - TOP, -TOP))  # pixels, downwards
    ax.axis("off")
    looks: dict[str, dict[str, Any]] = {
        "idle": {"fc": "white", "ec": "0.75", "hatch": "/////", "lw": 0.4},
        "job": {"ec": "white", "lw": 0.8},
        "border": {"ec": "none"},
        "frame": {"fc": "none", "ec": "black", "lw": 0.7},
    }
    for box in shown.boxes:
        look = {**looks[box.kind], **({"fc": box.fill} if box.fill else {})}
        ax.add_patch(Rectangle((box.x, box.y), box.width, box.height, **look))

    def text(x: float, y: float, words: str, size: float, **more: Any) -> None:
        ax.text(x, y, words, fontsize=size * 72 / SCALE, va="center", **more)

    for box in shown.boxes:
        if box.label:
            at = box.x + box.width / 2, box.y + box.height / 2
            text(*at, box.label, box.size, ha="center", color=box.ink)
    for word in shown.words:
        sides = {"start": "left", "end": "right"}
        text(word.x, word.y, word.text, word.size, ha=sides[word.anchor], color="0.2")
    hatched = " (idle: hatched)" if any(box.kind == "idle" for box in shown.boxes) else ""
    text(10, 14 - TOP, name, 12)
    told = wrap(shown.told + hatched, int(width / 9.3 / LETTER))
    text(10, 35 - TOP, "\n".join(told), 9.3, color="0.3")
    if shown.legend:
        text(10, shown.height + 14, "time to completion [h]", 9.3, color="0.3")
    for i, (fill, hours) in enumerate(shown.legend):
        x, y = 125 + i * SWATCH, shown.height + 9
        ax.add_patch(Rectangle((x, y), 16, 10, fc=fill, ec="none"))
        text(x + 20, y + 5, hours, 9.3, color="0.3")
    return made
