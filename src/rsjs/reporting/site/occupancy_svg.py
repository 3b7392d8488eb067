"""Which job sits on which GPU, as an SVG in the page: the picture of `occupancy_picture`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

from rsjs.instances.instance import Instance
from rsjs.reporting.figures.occupancy import Block, Layout, Shelf, laid_out, totals, without_prefix
from rsjs.reporting.figures.occupancy_lines import VIRIDIS
from rsjs.reporting.tables.formats import TIMES, significant

SCALE = 96.0  # pixels per inch
LETTER, LARGEST, SMALLEST = 0.62, 11.0, 6.0  # width by size of a letter; pixels


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
class Occupancy:
    """A picture: its size in pixels, what it holds, its legend and its totals."""

    width: float
    height: float
    boxes: Sequence[Box]
    words: Sequence[Word]
    legend: Sequence[tuple[str, str]]
    told: str


def cluster_svg(instance: Instance, on: Sequence[Shelf]) -> Occupancy:
    """The nodes that are on as rows of GPUs, jobs as blocks coloured by time to completion."""
    told = totals(instance, on)
    on, prefix = without_prefix(on)
    layout = laid_out(on)
    hours = [block.hours for shelf in on for block in shelf.blocks]
    place = scale(hours)
    boxes, words = [], []
    for heading, x, y in layout.headings:
        words.append(Word(x * SCALE, (y + 0.7 * layout.row) * SCALE, heading, "start", 9.5))
    for shelf, x, y in layout.shelves:
        name = shelf.node if layout.grouped else f"{shelf.node} {shelf.node_type}"
        middle = (y + 0.42 * layout.row) * SCALE
        words.append(Word((x - 0.06) * SCALE, middle, name, "end", layout.text * 4 / 3))
        boxes += _boxes(shelf, x, y, layout, place, prefix)
    left = min((word.x - _width(word) for word in words if word.anchor == "end"), default=0.0)
    shift = max(0.0, -left)
    return Occupancy(
        width=layout.width * SCALE + shift,
        height=layout.height * SCALE,
        boxes=[_moved(box, shift) for box in boxes],
        words=[Word(word.x + shift, word.y, word.text, word.anchor, word.size) for word in words],
        legend=_legend(hours, place),
        told=told + (f"; job ids without “{prefix}”" if prefix else ""),
    )


def scale(hours: Sequence[float]) -> Callable[[float], float]:
    """Place of a time in [0, 1]: on a logarithmic scale if the times span a decade."""
    least, most = (min(hours), max(hours)) if hours else (0.0, 0.0)
    if most > 10 * least > 0:
        return lambda value: log(value / least) / log(most / least)
    return lambda value: (value - least) / (most - least) if most > least else 0.5


def colour(place: float) -> tuple[str, str]:
    """Viridis at a place in [0, 1], and the ink that reads on it."""
    step = min(len(VIRIDIS) - 2, int(place * (len(VIRIDIS) - 1)))
    part = place * (len(VIRIDIS) - 1) - step
    ends = [[int(VIRIDIS[step + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1)]
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(*ends, strict=True))
    linear = [(channel / 255) ** 2.2 for channel in (red, green, blue)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return f"#{red:02x}{green:02x}{blue:02x}", "#fff" if light < 0.18 else "#000"


def _boxes(
    shelf: Shelf, x: float, y: float, layout: Layout, place: Callable[[float], float], prefix: str
) -> list[Box]:
    cell, high = layout.cell * SCALE, layout.row * 0.84 * SCALE
    left, top = x * SCALE, y * SCALE
    boxes = [
        Box(left + gpu * cell, top, cell, high, "idle", title=f"{shelf.node}: GPU {gpu} idle")
        for gpu in shelf.idle
    ]
    for block in shelf.blocks:
        fill, ink = colour(place(block.hours))
        wide = block.width * cell
        size = min(LARGEST, (wide - 3) / (LETTER * len(block.job)), 0.7 * high)
        boxes.append(
            Box(
                left + block.start * cell,
                top,
                wide,
                high,
                "job",
                fill=fill,
                label=block.job if size >= SMALLEST else "",
                size=size,
                ink=ink,
                title=_title(shelf, block, prefix),
            )
        )
    return boxes


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
        (colour(place(value))[0], f"{significant(value, 3)} h")
        for _, value in sorted((marks | ends).items())
    ]


def _width(word: Word) -> float:
    return LETTER * word.size * len(word.text)


def _moved(box: Box, by: float) -> Box:
    return Box(box.x + by, *(getattr(box, name) for name in Box.__slots__[1:]))
