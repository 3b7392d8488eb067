"""Where the rows of an occupancy picture go: one column, or several for many nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, log

from rsjs.reporting.formats import TIMES, counted
from rsjs.reporting.gpu_slots import Shelf

FEW = 12  # nodes that get large rows and their type beside the name
SHAPE, MOST_COLUMNS = 1.5, 12  # width over height to come near to
HEADING, WIDEST_CELL = 6.5, 0.9  # points, inches

Line = Shelf | str


@dataclass(frozen=True, kw_only=True)
class Layout:
    """
    Places in inches, from the upper left corner.

    Attributes
    ----------
    grouped : bool
        Whether node types stand above their nodes, not beside each.
    cell, row : float
        Width of a GPU, height of a node.
    text : float
        Points of the node names.
    width, height : float
    shelves : tuple of (Shelf, x, y)
        x is where the GPUs begin.
    headings : tuple of (str, x, y)
    """

    grouped: bool
    cell: float
    row: float
    text: float
    width: float
    height: float
    shelves: tuple[tuple[Shelf, float, float], ...]
    headings: tuple[tuple[str, float, float], ...]


def laid_out(on: Sequence[Shelf]) -> Layout:
    """Rows for few nodes; for many, as many columns as bring the picture near its shape."""
    grouped = len(on) > FEW
    most = max((shelf.gpus for shelf in on), default=1)
    text = 6.0 if grouped else 7.5
    cell, row = (
        (max(0.12, min(0.3, 3 / most)), 0.18) if grouped else (min(WIDEST_CELL, 6 / most), 0.42)
    )
    names = [shelf.node if grouped else max(shelf.node, shelf.node_type, key=len) for shelf in on]
    label = 0.15 + max(map(len, names), default=0) * 0.6 * text / 72
    pitch = label + most * cell + 0.2
    columns: list[list[Line]] = [list(on)]
    if grouped:
        headings_in = (line for line in balanced(on, 1)[0] if isinstance(line, str))
        pitch = max(pitch, 0.3 + max(map(len, headings_in)) * 0.6 * HEADING / 72)
        cell = min(WIDEST_CELL, (pitch - label - 0.2) / most)
        columns = _shaped(on, pitch / row)
    shelves: list[tuple[Shelf, float, float]] = []
    headings: list[tuple[str, float, float]] = []
    for i, column in enumerate(columns):
        for j, line in enumerate(column):
            if isinstance(line, str):
                headings.append((line, i * pitch + 0.1, j * row))
            else:
                shelves.append((line, i * pitch + label, j * row))
    return Layout(
        grouped=grouped,
        cell=cell,
        row=row,
        text=text,
        width=len(columns) * pitch,
        height=max(map(len, columns)) * row,
        shelves=tuple(shelves),
        headings=tuple(headings),
    )


def balanced(on: Sequence[Shelf], number: int) -> list[list[Line]]:
    """At most `number` columns, as short as they can be: headings and nodes under them."""
    lines = max(1, ceil(len(on) / number))
    while len(columns := _filled(on, lines)) > number:
        lines += 1
    return columns


def _shaped(on: Sequence[Shelf], wide: float) -> list[list[Line]]:
    """The number of columns by shape; `wide` is a column's width over a line's height."""
    tried = [balanced(on, number) for number in range(1, min(MOST_COLUMNS, len(on)) + 1)]
    return min(
        tried,
        key=lambda columns: abs(log(len(columns) * wide / max(map(len, columns)) / SHAPE)),
    )


def _filled(on: Sequence[Shelf], lines: int) -> list[list[Line]]:
    """Columns of a heading and up to `lines` more, each beginning with a heading."""
    columns: list[list[Line]] = [[]]
    for (name, gpus, gpu), shelves in groupby(on, lambda s: (s.node_type, s.gpus, s.gpu_type)):
        group = list(shelves)
        if len(columns[-1]) >= lines:
            columns.append([])
        columns[-1].append(f"{name}: {counted(len(group), 'node')} of {gpus} {TIMES} {gpu}")
        for shelf in group:
            if len(columns[-1]) > lines:
                columns.append([f"{name} (continued)"])
            columns[-1].append(shelf)
    return columns
