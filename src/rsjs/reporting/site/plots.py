"""Interactive figures as plain data for plotly.js: traces, axes, and where points lead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.figure import MOST_SERIES, Axis, Figure, Series

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


def figure_plot(figure: Figure, styles: Styles, **more: Any) -> Plot:
    """
    Return the first panel of a figure for a page; `more` are fields of `Plot`.

    Lines of methods beyond the first `MOST_SERIES` are there when asked for in the legend.
    """
    panel = figure.panels[0]
    lines = [one.style or one.name for one in panel.series if one.kind in ("line", "steps")]
    hidden = list(dict.fromkeys(lines))[MOST_SERIES:]
    data, named = [], set()
    for series in panel.series:
        trace = _trace(series, styles)
        trace |= {"showlegend": series.name not in named, "legendgroup": series.name}
        named.add(series.name)
        if (series.style or series.name) in hidden:
            trace["visible"] = "legendonly"
        data.append(trace)
    layout = {"xaxis": _axis(panel.x), "yaxis": _axis(panel.y)}
    layout |= {} if figure.has_legend else {"meta": {"legend": False}}
    rows = len(panel.y.ticks)  # of bars and intervals, a line each
    more = {"id": figure.name, "height": 110 + 30 * rows if rows else 420, **more}
    note = f"{figure.note} {more.pop('note', '')}".strip()
    return Plot(
        title=figure.title, data=data, layout=layout | {"barmode": "stack"}, note=note, **more
    )


def _trace(series: Series, styles: Styles) -> Trace:
    """A series as plotly draws it, curves thinned to `MOST_POINTS`."""
    style = styles.get(series.style or series.name, {"dash": "solid", "symbol": "circle"})
    colour = series.colour or style["color"]
    bars = series.kind in ("bars", "columns")
    kept = range(len(series.x)) if bars else places(len(series.x))
    made: Trace = {
        "name": series.name,
        "x": [series.x[i] for i in kept],
        "y": [series.y[i] for i in kept],
    }
    if bars:
        made |= {"type": "bar", "marker": {"color": colour}, "textangle": 0}
        made |= {"base": series.base, "orientation": "h" if series.kind == "bars" else "v"}
        made |= {"width": series.width} if series.base else {}
    elif series.kind == "words":
        made |= {"type": "scatter", "mode": "text", "textposition": "middle right"}
        made |= {"hoverinfo": "skip"}
    elif series.kind == "points" or len(series.x) == 1:
        symbol = style["symbol"] + ("-open" if series.look == "hollow" else "")
        made |= {"type": "scatter", "mode": "markers"}
        made |= {"marker": {"color": colour, "symbol": symbol, "size": 9}}
    else:
        line = {"color": colour, "dash": "dash" if series.look == "dashed" else style["dash"]}
        line |= {"shape": "hv" if series.kind == "steps" else "linear"}
        made |= {"type": "scatter", "mode": "lines"}
        made |= {"line": line | {"width": 1 if series.look else 2}}
    for axis, values, interval in (
        ("x", series.x, series.x_interval),
        ("y", series.y, series.y_interval),
    ):
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
        made["text"] = list(series.texts)
    if series.tips:
        tips = list(series.tips) if len(series.tips) > 1 else list(series.tips) * len(kept)
        curve = "" if bars or series.x_interval else "%{x:.3g}: %{y:.6g}<br>"
        made |= {"hovertext": tips, "hovertemplate": curve + "%{hovertext}<extra></extra>"}
    if series.links:
        links = list(series.links)
        made["customdata"] = links if len(links) > 1 else links * len(kept)
    return made


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


def axes(x: str, y: str, **more: Any) -> dict[str, Any]:
    """Titles; `x_log=True` and the like for logarithms, other options by plotly's names."""
    made: dict[str, Any] = {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}
    for axis in "xy":
        if more.pop(f"{axis}_log", False):
            made[f"{axis}axis"] |= {"type": "log", "exponentformat": "power"}
    return made | more


def thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most `MOST_POINTS` of the points, evenly spread, the ends among them."""
    return [points[place] for place in places(len(points))]


def places(count: int) -> list[int]:
    """At most `MOST_POINTS` of so many places, evenly spread, the ends among them."""
    if count <= MOST_POINTS:
        return [*range(count)]
    found: list[int] = np.linspace(0, count - 1, MOST_POINTS).round().astype(int).tolist()
    return found


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
