"""Interactive figures as plain data for plotly.js: traces, axes, and where points lead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.distributions import Distributions
from rsjs.reporting.figures.methods import MOST_SERIES

Trace = dict[str, Any]
Styles = Mapping[str, Mapping[str, Any]]

DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "x", "cross")
MOST_POINTS = 120  # of a curve
DIGITS = 6  # significant, of a coordinate


@dataclass(frozen=True, kw_only=True)
class Plot:
    """
    Attributes
    ----------
    id, title, note : str
    data : list of Trace
    layout : mapping
        Axes; `plots.js` adds fonts and colours.
    height : int
        Pixels.
    pdf : str
        Path of the same figure as PDF, "" without one.
    is_shared : bool
        Whether seconds of shared timing are drawn.
    """

    id: str
    title: str
    data: list[Trace]
    layout: Mapping[str, Any]
    note: str = ""
    height: int = 420
    pdf: str = ""
    is_shared: bool = False

    @property
    def text(self) -> str:
        """The figure as JSON that may stand in a page."""
        return embedded({"data": self.data, "layout": {**self.layout, "height": self.height}})


def embedded(value: Any) -> str:
    """JSON that may stand in a page, coordinates with `DIGITS` digits."""
    return harmless(_short(value))


def harmless(value: Any) -> str:
    """JSON in which nothing can be taken for HTML."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def method_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """A colour, a dash and a symbol for each method, the colours as in all pictures."""
    distinct = list(dict.fromkeys(names))
    return {
        name: {
            "color": style["color"],
            "dash": DASHES[i // len(figure_style.COLOURS) % len(DASHES)],
            "symbol": SYMBOLS[i % len(SYMBOLS)],
        }
        for i, (name, style) in enumerate(figure_style.styles(distinct).items())
    }


def line(name: str, points: Sequence[tuple[float, float]], style: Mapping[str, Any]) -> Trace:
    """A step function, thinned to `MOST_POINTS`."""
    kept = thinned(points)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [x for x, _ in kept],
        "y": [y for _, y in kept],
        "line": {"shape": "hv", "color": style["color"], "dash": style["dash"], "width": 2},
    }


def distributions(data: Distributions, styles: Styles) -> list[Trace]:
    """Return a step function for each method, the first `MOST_SERIES` of them shown at once."""
    made = []
    for i, name in enumerate(data.values.columns):
        trace = line(name, list(zip(*data.curve(name), strict=True)), styles[name])
        made.append(trace | ({"visible": "legendonly"} if i >= MOST_SERIES else {}))
    return made


def distribution_plot(name: str, data: Distributions, styles: Styles, **more: Any) -> Plot:
    """Return the figure of distribution functions; `more` are fields of `Plot`."""
    layout = axes(data.axis, f"share of {data.counted}", x_log=True)
    layout["yaxis"] |= {"range": [0, 1.02], "tickformat": ".0%"}
    note = f"{data.note} {more.pop('note', '')}".strip()
    return Plot(
        id=name,
        title=data.title,
        data=distributions(data, styles),
        layout=layout,
        note=note,
        **more,
    )


def axes(x: str, y: str, **more: Any) -> dict[str, Any]:
    """Titles; `x_log=True` and the like for logarithms, other options by plotly's names."""
    made: dict[str, Any] = {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}
    for axis in "xy":
        if more.pop(f"{axis}_log", False):
            made[f"{axis}axis"] |= {"type": "log", "exponentformat": "power"}
    return made | more


def thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most `MOST_POINTS` of the points, evenly spread, the ends among them."""
    if len(points) <= MOST_POINTS:
        return points
    places = np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int)
    return [points[place] for place in places.tolist()]


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _short(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_short(entry) for entry in value]
    if hasattr(value, "item"):  # a scalar of numpy
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    return value
