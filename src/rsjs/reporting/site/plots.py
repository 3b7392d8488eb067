"""Described figures as plain data for plotly.js: traces, axes, and where points lead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rsjs.reporting.figures.draw import Styles, has_edge
from rsjs.reporting.figures.figure import MOST_SERIES, Axis, Figure, Series

Trace = dict[str, Any]

SYMBOLS = {  # marker of matplotlib -> symbol of plotly
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "X": "x",
    "<": "triangle-left",
    ">": "triangle-right",
    "h": "hexagon",
    "*": "star",
}
MOST_POINTS = 120  # of a curve
DIGITS = 6  # significant, of a coordinate
BAR, AROUND = 26, 100  # pixels: height of a line of bars or intervals, room for the axis


@dataclass(frozen=True, kw_only=True)
class Plot:
    """An interactive figure of a page."""

    id: str
    title: str
    data: list[Trace]
    layout: Mapping[str, Any]  # axes; `plots.js` adds fonts and colours
    note: str = ""
    height: int = 420  # pixels
    pdf: str = ""  # path of the same figure, "" without one
    is_shared: bool = False  # whether seconds of shared timing are drawn

    @property
    def text(self) -> str:
        """The figure as JSON that may stand in a page."""
        return embedded({"data": self.data, "layout": {**self.layout, "height": self.height}})


def embedded(value: Any) -> str:
    """Return JSON that may stand in a page, coordinates with `DIGITS` digits."""
    return harmless(_short(value))


def harmless(value: Any) -> str:
    """Return JSON in which nothing can be taken for HTML."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


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


def figure_plot(figure: Figure, styles: Styles, **more: Any) -> Plot:
    """
    Return the first panel of a figure for a page; `more` are fields of `Plot`.

    Lines of methods beyond the first `MOST_SERIES` are there when asked for in the legend.
    """
    panel = figure.panels[0]
    curves = [one for one in panel.series if one.kind in ("line", "steps") and len(one.x) > 1]
    hidden = list(dict.fromkeys(one.style or one.name for one in curves))[MOST_SERIES:]
    asked_for = {"visible": "legendonly"}
    data = [
        _trace(one, styles) | (asked_for if (one.style or one.name) in hidden else {})
        for one in panel.series
    ]
    layout: dict[str, Any] = {"xaxis": _axis(panel.x), "yaxis": _axis(panel.y)}
    layout["barmode"] = "overlay" if any(one.base for one in panel.series) else "stack"
    layout |= {} if figure.has_legend else {"meta": {"legend": False}}
    rows = len(panel.y.ticks)  # of bars and intervals, a line each
    more = {"id": figure.name, "height": AROUND + BAR * rows if rows else 420, **more}
    note = f"{figure.note} {more.pop('note', '')}".strip()
    return Plot(title=figure.title, data=data, layout=layout, note=note, **more)


def _trace(series: Series, styles: Styles) -> Trace:
    """A series as plotly draws it, curves thinned to `MOST_POINTS`."""
    style: Mapping[str, Any] = styles.get(series.style or series.name, {})
    colour = series.colour or style["color"]
    bars = series.kind in ("bars", "columns")
    kept = [*range(len(series.x))] if bars else places(len(series.x))
    x, y = ([values[i] for i in kept] for values in (series.x, series.y))
    made: Trace = {"name": series.name, "x": x, "y": y}
    if bars:
        made |= {"type": "bar", "textangle": 0, "textposition": "inside"}
        made |= {"marker": {"color": colour}, "insidetextanchor": "middle"}
        made |= {"base": series.base, "orientation": "h" if series.kind == "bars" else "v"}
        made |= {"width": series.width} if series.base else {}
        if series.kind == "bars":
            made["marker"]["line"] = {"color": "#fff", "width": has_edge(series).tolist()}
    elif series.kind == "words":
        made |= {"type": "scatter", "mode": "text", "textposition": "middle right"}
        made |= {"hoverinfo": "skip", "cliponaxis": False}
    elif series.kind == "points" or len(kept) == 1:
        symbol = SYMBOLS[style.get("marker", "o")] + ("-open" if series.look == "hollow" else "")
        marker = {"color": colour, "symbol": symbol, "size": 9, "opacity": 0.8}
        made |= {"type": "scatter", "mode": "markers", "marker": marker}
    else:
        solid = style.get("linestyle", "-") == "-"
        dash = "dash" if series.look == "dashed" else "solid" if solid else "dashdot"
        shape = "hv" if series.kind == "steps" else "linear"
        line = {"color": colour, "dash": dash, "shape": shape, "width": 1 if series.look else 2}
        made |= {"type": "scatter", "mode": "lines", "line": line}
    intervals = (("x", series.x, series.x_interval), ("y", series.y, series.y_interval))
    for axis, values, interval in intervals:
        if interval:
            low, high = interval
            made[f"error_{axis}"] = {
                "type": "data",
                "symmetric": False,
                "array": [b - a for a, b in zip(values, high, strict=True)],
                "arrayminus": [a - b for a, b in zip(values, low, strict=True)],
                "color": colour,
                "thickness": 2,
            }
    if series.texts:
        made["text"] = [escape(text) for text in series.texts]
    if series.tips:
        curve = "" if bars or series.x_interval else "%{x:.3g}: %{y:.6g}<br>"
        made |= {"hovertext": _of_each(series.tips, kept)}
        made |= {"hovertemplate": f"{curve}%{{hovertext}}<extra></extra>"}
    if series.links:
        made["customdata"] = _of_each(series.links, kept)
    return made


def _of_each(words: Sequence[str], kept: Sequence[int]) -> list[str]:
    return [words[i] for i in kept] if len(words) > 1 else [*words] * len(kept)


def _axis(axis: Axis) -> dict[str, Any]:
    made: dict[str, Any] = {"title": {"text": axis.title}}
    low, high = axis.ends
    if axis.is_log:
        made |= {"type": "log", "exponentformat": "power"}
    elif None not in axis.ends:
        made["range"] = [low, 1.02 if axis.is_share and high == 1.0 else high]
    if axis.is_share:
        made["tickformat"] = ".0%"
    if axis.ticks:
        words = [escape(text).replace("\n", "<br>") for text in axis.ticks.values()]
        made |= {"tickvals": [*axis.ticks], "ticktext": words, "showgrid": False}
    return made


def places(count: int) -> list[int]:
    """Return at most `MOST_POINTS` of so many places, evenly spread, the ends among them."""
    if count <= MOST_POINTS:
        return [*range(count)]
    found: list[int] = np.linspace(0, count - 1, MOST_POINTS).round().astype(int).tolist()
    return found
