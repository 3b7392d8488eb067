"""Figures of boxes: jobs on GPUs and on MIG instances, in lines side by side or over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import Any, NamedTuple

from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.rows.select import group_by

IN_TIME = ("#0072B2", "#56B4E9", "#009E73", "#999999")  # told apart, no other meaning
TOO_LATE, UNFINISHED = ("#D55E00", "#E69F00"), "#000000"
COLOUR = "#404040"  # of words
PALE = "#ededed"  # GPUs, memory or slices without a job
WIDTH, LINE, LETTER, AROUND = 9.0, 0.2, 0.07, 0.6  # inches: figure, line, letter, rest of a panel
SHAPE = 1.4  # width over height to come near to
HIGH = 0.86  # of a box in its line

Legend = Mapping[str, Sequence[str]]  # words -> colours, those behind first


class Box(NamedTuple):
    """A rectangle around the height `y`, with its text where that fits."""

    x: float
    length: float
    y: float
    height: float
    name: str  # its words in the legend
    colour: str
    text: str = ""
    tip: str = ""  # what a page tells under the pointer


def boxes(found: Iterable[Box], legend: Legend) -> list[Series]:
    """Return bars of each name and colour of a legend, in its order."""
    groups = group_by(found, lambda box: (box.name, box.colour))
    return [
        Series(
            name=name,
            kind="bars",
            colour=colour,
            x=[box.length for box in own],
            y=[box.y for box in own],
            base=[box.x for box in own],
            width=[box.height for box in own],
            texts=[box.text for box in own],
            tips=[box.tip for box in own if box.tip],
        )
        for name, colours in legend.items()
        for colour in colours
        for own in [groups.get((name, colour), [])]
    ]


def over_time(
    found: Iterable[Box],
    legend: Legend,
    *,
    unit: str,
    height: float,
    ends: tuple[float, float],
    y: Axis,
    **more: Any,
) -> Figure:
    """Return boxes over time between its ends; `height` is that of the panel [inch]."""
    x = Axis(title=f"time [{unit}]", ends=ends)
    panels = [Panel(series=boxes(found, legend), x=x, y=y)]
    return Figure(panels=panels, size=(WIDTH, height), **more)


def in_columns(
    lines: Sequence[tuple[str, Sequence[Box]]],
    legend: Legend,
    *,
    unit: tuple[str, int, float],
    columns: int = 0,
    **more: Any,
) -> Figure:
    """
    Return lines of boxes by name, one without boxes as a heading; `more` are fields of `Figure`.

    `unit` is what a line consists of, how many of it at most, and the width of one [inch]; by
    default there are as many columns as bring the figure near `SHAPE`.
    """
    noun, most, cell = unit
    names, heads = ([len(name) for name, line in lines if bool(line) is of] for of in (True, False))
    wide = AROUND + cell * most + LETTER * max(names, default=0)
    wide = max(wide, LETTER * max(heads, default=0))
    columns = columns or max(1, round(sqrt(SHAPE * LINE * len(lines) / wide)))
    high = max(1, ceil(len(lines) / columns))
    panels: list[Panel] = []
    rest = [*lines]
    while rest or not panels:
        size = high - 1 if len(rest) > high > 1 and not rest[high - 1][1] else high
        column, rest = list(enumerate(rest[:size])), rest[size:]
        words = {i: name for i, (name, line) in column if not line}
        above = Series(
            name="",
            kind="words",
            colour=COLOUR,
            x=[0.0] * len(words),
            y=[*words],
            texts=[*words.values()],
        )
        found = [box._replace(y=i) for i, (_, line) in column for box in line]
        ticks = {float(i): name for i, (name, line) in column if line} or {-1.0: ""}
        panel = Panel(
            series=[*boxes(found, legend), above],
            x=Axis(title=noun, ends=(0, most), is_count=True),
            y=Axis(ticks=ticks, ends=(high - 0.4, -0.6)),
        )
        panels.append(panel)
    more |= {"size": (wide, LINE * (high + 1)), "is_shared": (True, False)}
    return Figure(panels=panels, columns=len(panels), **more)
