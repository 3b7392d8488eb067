"""Where the rows of an occupancy picture go: one column, or several for many nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log

from rsjs.reporting.formats import counted
from rsjs.reporting.gpu_slots import Shelf

FEW = 12  # nodes that get large rows and their type beside the name
SHAPE = 1.5  # width over height to come near to


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
    cell, row = (max(0.12, min(0.3, 3 / most)), 0.18) if grouped else (min(0.9, 6 / most), 0.42)
    names = [shelf.node if grouped else max(shelf.node, shelf.node_type, key=len) for shelf in on]
    label = 0.15 + max(map(len, names), default=0) * 0.6 * text / 72
    pitch = label + most * cell + 0.2
    columns = _columns(on, grouped, pitch / row)
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


def _columns(on: Sequence[Shelf], grouped: bool, wide: float) -> list[list[Shelf | str]]:
    """Lines by column; `wide` is the width of a column over the height of a line."""
    if not grouped:
        return [list(on)]
    tried = [_filled(on, -(-len(on) // number)) for number in range(1, len(on) + 1)]
    return min(
        tried,
        key=lambda columns: abs(log(len(columns) * wide / max(map(len, columns)) / SHAPE)),
    )


def _filled(on: Sequence[Shelf], lines: int) -> list[list[Shelf | str]]:
    """Columns of about `lines` nodes, each beginning with the heading of its first node."""
    columns: list[list[Shelf | str]] = [[]]
    for (name, gpus, gpu), shelves in groupby(on, lambda s: (s.node_type, s.gpus, s.gpu_type)):
        group = list(shelves)
        heading = f"{name}: {counted(len(group), 'node')} of {gpus} × {gpu}"
        if len(columns[-1]) >= lines:
            columns.append([])
        columns[-1].append(heading)
        for shelf in group:
            if len(columns[-1]) > lines:
                columns.append([f"{name}, continued"])
            columns[-1].append(shelf)
    return columns
