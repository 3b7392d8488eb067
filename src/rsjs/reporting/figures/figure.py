"""
What a figure shows, without how: series in panels with axes, computed once from rows.

Files draw it with matplotlib (`figures.draw`), report pages with plotly (`site.plots`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rsjs.core.types import Floats, Ints

MOST_SERIES = 8  # lines in a panel; a page shows the others when asked for in the legend

Kind = Literal["line", "steps", "points", "bars", "columns", "words"]
Values = Sequence[float] | Floats | Ints
Interval = tuple[Values, Values]  # lower and upper ends


@dataclass(frozen=True, kw_only=True)
class Series:
    """The values of a method or a quantity in a panel."""

    name: str  # in the legend, where each name stands once; "" = not there
    x: Values
    y: Values
    kind: Kind = "line"  # bars lie, columns stand, words are its texts at their places
    style: str = ""  # the name whose colour and marker it has, by default its own
    colour: str = ""  # instead of that of the style
    look: Literal["", "thin", "dashed", "hollow", "tick", "star"] = ""
    marked: Sequence[int] | None = None  # points with a marker; None: all of a line, the last step
    x_interval: Interval | None = None
    y_interval: Interval | None = None
    base: Values = ()  # where bars and columns begin, by default at 0
    width: float | Values = 0.75  # of bars and columns, across their length
    texts: Sequence[str] = ()  # beside points, in bars
    tips: Sequence[str] = ()  # of each point, or one of all: what a page tells under the pointer
    links: Sequence[str] = ()  # of each point, or one of all: where it leads in a page


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis of a panel."""

    title: str = ""
    is_log: bool = False
    is_share: bool = False  # in [0, 1]: pages write it in percent
    is_count: bool = False  # whole numbers
    ends: tuple[float | None, float | None] = (None, None)  # falling: upside down
    ticks: Mapping[float, str] = field(default_factory=dict)  # place -> words, if not by itself
    floor: float | None = None  # lesser values are drawn here, marked as <=


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A straight line across a panel, dotted."""

    at: float
    axis: Literal["x", "y"]
    name: str = ""  # in the legend


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Series on one pair of axes."""

    series: Sequence[Series]
    x: Axis
    y: Axis
    title: str = ""
    marks: Sequence[Mark] = ()
    has_diagonal: bool = False  # of two axes of one quantity, drawn as a square


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Panels with a common legend."""

    name: str  # of its file, and on its page
    title: str
    panels: Sequence[Panel]
    note: str = ""
    heading: str = ""  # above the panels of a file
    size: tuple[float, float] = (3.0, 2.3)  # inches of a panel
    columns: int = 0  # of panels; 0: by their number
    mosaic: str = ""  # panels A, B, ... of unlike width, in the words of matplotlib: "AA;BC"
    heights: Sequence[float] = ()  # of the lines of panels, relative
    is_shared: tuple[bool, bool] = (True, True)  # whether panels have one x axis, one y axis
    has_legend: bool = True
    legend_title: str = ""
