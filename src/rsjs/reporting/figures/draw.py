"""A described figure drawn with matplotlib and written as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.types import Floats
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.figure import MOST_SERIES, Axis, Figure, Panel, Series
from rsjs.reporting.tables.formats import folded
from rsjs.rows.select import group_by

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes

Styles = Mapping[str, Mapping[str, Any]]  # name -> color, marker, linestyle

LONGEST_LABEL = 36  # characters of a line of the legend
LINE, AROUND = 0.15, 0.5  # inches: height of a legend's line, room for titles of axes
HANDLE, LETTER = 0.6, 0.07  # inches: width of a sign and of a letter in a legend
SMALLEST = 4.2  # inches: width of a figure
WIDEST, FINEST = 2.2, 1.0  # points: a line that lies on another one leaves its edges to see
FEW_DECADES = 1000.0  # below this ratio of the ends, ticks stand between the powers of ten
NARROW = 0.003  # of all bars: a bar without an edge
LIGHT = 0.46  # luminance: black reads on it
TINY, LETTER_OF_FONT = 4.5, 0.66  # points; width of a letter over its size
DASHED = (0, (3, 2))
PALE, GREY, SMALL = "0.92", "0.35", 7


def write(figure: Figure, path: str | Path, styles: Styles | None = None) -> Path:
    """
    Draw a figure and write it: .png, .svg or .pdf.

    `styles` of each name, see `figure_style.styles`, give it one colour in several figures.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: draw(figure, styles), path)


def draw(
    figure: Figure,
    styles: Styles | None = None,
    canvas: Callable[..., mpl.Figure] = figure_style.figure,
) -> mpl.Figure:
    """
    Return the figure drawn, with the lines of the first `MOST_SERIES` names that have some.

    `canvas` makes the empty figure, see `figure_style.figure`.
    """
    from matplotlib.legend_handler import HandlerTuple

    own = styles or figure_style.styles(
        series.style or series.name
        for panel in figure.panels
        for series in panel.series
        if not series.colour
    )
    shown, few = _cut(figure)
    legend = _legend(figure, shown, own) if figure.has_legend else {}
    count = len(figure.panels)
    columns = min(figure.columns or (2 if count == 4 else 3), count)
    lines = figure.mosaic.count(";") + 1 if figure.mosaic else ceil(count / columns)
    width = max(SMALLEST, figure.size[0] * columns)
    longest = max((len(line) for label in legend for line in label.split("\n")), default=0)
    beside = max(1, int(width / (HANDLE + LETTER * longest)))  # columns of the legend
    tallest = max((label.count("\n") + 1 for label in legend), default=0)
    under = ceil(len(legend) / beside) * tallest + bool(few)
    lines_above = figure.heading.split("\n") if figure.heading else []
    heading = [part for line in lines_above for part in folded(line, int(width / LETTER))]
    above = max(panel.title.count("\n") for panel in figure.panels)
    height = (figure.size[1] + LINE * above) * lines + AROUND
    height += LINE * (under + len(heading) + bool(figure.legend_title))
    made = canvas(width, height, layout="constrained")
    ratios: dict[str, Any] = {"height_ratios": figure.heights} if figure.heights else {}
    if figure.mosaic:
        places = made.subplot_mosaic(figure.mosaic, gridspec_kw=ratios)
        axes = [ax for _, ax in sorted(places.items())]
    else:
        share_x, share_y = figure.is_shared
        grid = made.subplots(
            lines, columns, sharex=share_x, sharey=share_y, squeeze=False, gridspec_kw=ratios
        )
        axes = [*grid.flatten()]
    for i, (ax, panel) in enumerate(zip(axes, figure.panels, strict=False)):
        _panel(ax, panel, shown[i], own)
        lowest = i >= count - columns  # above an empty place, too
        if lowest:
            ax.tick_params(labelbottom=True)
        if not figure.is_shared[0] or lowest:  # one for all would lie on the legend
            ax.set_xlabel(panel.x.title)
        if not figure.is_shared[1] or (lines == 1 and i == 0):  # of several lines once, below
            ax.set_ylabel(panel.y.title)
    for ax in axes[count:]:
        ax.remove()
    if figure.is_shared[1] and lines > 1:
        made.supylabel(figure.panels[0].y.title, fontsize=8)
    if figure.heading:
        made.suptitle("\n".join(heading), fontsize=9)
    if columns == 1 and len(axes) > 1:
        made.align_ylabels(axes)
    if legend:
        several = max(len(one) if isinstance(one, tuple) else 2 for one in legend.values())
        made.legend(
            [*legend.values()],
            [*legend],
            handler_map={tuple: HandlerTuple(ndivide=None)},
            handlelength=max(2, several),
            loc="outside lower center",
            ncols=beside,
            frameon=False,
            title=few or figure.legend_title or None,
        )
    written = [(ax, one) for ax, own in zip(axes, shown, strict=False) for one in own]
    written = [(ax, one) for ax, one in written if one.kind == "bars" and any(one.texts)]
    if written:
        made.draw_without_rendering()  # only then axes have their size
    for ax, series in written:
        _words(ax, series, 72 * np.multiply(ax.get_position().size, (width, height)))
    return made


def _cut(figure: Figure) -> tuple[list[list[Series]], str]:
    """The series of each panel but for lines beyond the first `MOST_SERIES`, and how many are."""
    lines = (
        one.style or one.name
        for panel in figure.panels
        for one in panel.series
        if one.kind in ("line", "steps") and len(one.x) > 1
    )
    names = list(dict.fromkeys(lines))
    cut = set(names[MOST_SERIES:])
    shown = [
        [one for one in panel.series if (one.style or one.name) not in cut]
        for panel in figure.panels
    ]
    return shown, f"{MOST_SERIES} of {len(names)} lines are drawn" if cut else ""


def _legend(figure: Figure, shown: Sequence[Sequence[Series]], styles: Styles) -> dict[str, Any]:
    """A handle for each folded name, grey where series of several colours have one name."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    of_name = group_by(
        (one for own in shown for one in own if one.name), lambda series: series.name
    )
    handles: dict[str, Any] = {}
    for name, members in sorted(of_name.items(), key=lambda entry: bool(entry[1][0].style)):
        first = members[0]
        style = _style(first, styles)
        colours = dict.fromkeys(_style(one, styles)["color"] for one in members)
        if len(colours) > 1:
            style = {"color": GREY, "marker": "o", "linestyle": DASHED}
        if first.kind in ("bars", "columns"):
            handle: Any = tuple(Patch(color=colour) for colour in colours)
        else:
            style |= {"linestyle": "none"} if first.kind == "points" else {}
            style |= {"markerfacecolor": "white"} if first.look in ("dashed", "hollow") else {}
            handle = Line2D([], [], markersize=4, **style)
        handles["\n".join(folded(name, LONGEST_LABEL))] = handle
    for mark in (mark for panel in figure.panels for mark in panel.marks if mark.name):
        handles[mark.name] = Line2D([], [], color=GREY, linestyle=":")
    return handles


def _style(series: Series, styles: Styles) -> dict[str, Any]:
    """Colour, marker and line style."""
    if series.colour:
        marker = {"tick": "|", "star": "*"}.get(series.look, "o" if series.kind == "points" else "")
        found: dict[str, Any] = {"color": series.colour, "linestyle": "-", "marker": marker}
    else:
        found = dict(styles[series.style or series.name])
    return found | ({"linestyle": DASHED} if series.look == "dashed" else {})


def _panel(ax: Axes, panel: Panel, shown: Sequence[Series], styles: Styles) -> None:
    ax.set_title(panel.title)
    ax.set_axisbelow(True)
    across = any(one.kind == "bars" or one.x_interval for one in shown)
    down = any(one.kind == "columns" for one in shown)
    ax.grid(which="major", axis="x" if across else "y" if down else "both", color=PALE, lw=0.6)
    for mark in panel.marks:
        line = ax.axvline if mark.axis == "x" else ax.axhline
        line(mark.at, color=GREY, linewidth=0.8, linestyle=":", zorder=2.5)
    for i, series in enumerate(shown):
        width = WIDEST - (WIDEST - FINEST) * i / max(1, len(shown) - 1)
        _series(ax, series, _style(series, styles), width if len(shown) > 1 else 1.4, i)
    _axis(ax, "x", panel.x)
    _axis(ax, "y", panel.y)
    if across:
        ax.tick_params(axis="y", length=0)
    if panel.has_diagonal:
        ends = ax.get_xlim()
        ax.set(aspect="equal", ylim=ends)
        ax.plot(ends, ends, color="0.6", linewidth=0.6, zorder=2)


def _series(ax: Axes, series: Series, style: dict[str, Any], width: float, place: int) -> None:
    from matplotlib.collections import PolyCollection

    colour, x, y = style["color"], series.x, series.y
    interval = {"color": colour, "linewidth": 1.6, "alpha": 0.7}
    if series.x_interval:
        ax.hlines(y, *series.x_interval, **interval)
    if series.y_interval:
        ax.vlines(x, *series.y_interval, **interval)
    if series.kind == "bars":
        left, middle, half = _base(series), np.asarray(y, float), np.asarray(series.width) / 2
        right, low, high = left + np.asarray(x, float), middle - half, middle + half
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        edges = 0.5 * has_edge(series)
        bars = PolyCollection([*corners.transpose(2, 0, 1)], fc=colour, ec="white", lw=edges)
        ax.add_collection(bars)
        ax.autoscale_view()
    elif series.kind == "columns":
        ax.bar(x, y, bottom=_base(series), width=series.width, color=colour)
    elif series.kind == "words":
        for right, up, text in zip(x, y, series.texts, strict=True):
            ax.text(right, up, text, va="center", fontsize=SMALL, color=series.colour or GREY)
    elif series.kind == "points":
        face = "white" if series.look == "hollow" else colour
        size = 60 if style["marker"] in "*|" else 16
        marker = style["marker"]
        edge = None if marker == "|" else colour
        ax.scatter(x, y, s=size, marker=marker, fc=face, ec=edge, clip_on=False, zorder=3)
        for right, up, text in zip(x, y, series.texts, strict=False):
            ax.annotate(text, (right, up), xytext=(4, 3), textcoords="offset points")
    else:
        is_step = series.kind == "steps"
        single = is_step and len(set(y)) == 1 and series.marked is not None
        ax.plot(
            x,
            y,
            drawstyle="steps-post" if is_step else "default",
            linewidth=0.9 if series.look else width if is_step and not series.marked else 1.2,
            markevery=series.marked if series.marked is not None else [-1] if is_step else None,
            markersize=4 + 1.2 * (place % 6) if single else 3.5,
            markerfacecolor="none" if single else "white" if series.look == "dashed" else colour,
            clip_on=not is_step,
            zorder=1.9 if series.look == "dashed" else 3 + 0.01 * place,
            **style,
        )


def has_edge(series: Series) -> Floats:
    """Return 1 for each lying bar that is long enough to show an edge, 0 for others."""
    left, length = _base(series), np.asarray(series.x, float)
    return np.where(length > NARROW * np.ptp([*left, *(left + length), 0.0]), 1.0, 0.0)


def _base(series: Series) -> Floats:
    """Where bars begin."""
    return np.asarray(series.base) if len(series.base) else np.zeros(len(series.x))


def _words(ax: Axes, series: Series, size: Floats) -> None:
    """Write the texts of bars that have the room, on axes of a size [points], in an ink to read."""
    from matplotlib.colors import to_rgb

    ink = "white" if np.dot(to_rgb(series.colour), (0.21, 0.72, 0.07)) < LIGHT else "black"
    across, down = size / np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)  # points of a unit
    base = _base(series)
    heights = np.broadcast_to(series.width, len(base)).tolist()
    bars = zip(base.tolist(), series.x, series.y, heights, series.texts, strict=True)
    for left, length, middle, height, text in bars:
        room = min(length * across / (len(text) + 1) / LETTER_OF_FONT, height * down)
        if text and room > TINY:
            ax.text(
                left + length / 2,
                middle,
                text,
                ha="center",
                va="center",
                color=ink,
                fontsize=min(SMALL, room),
                clip_on=True,
            )


def _axis(ax: Axes, which: str, told: Axis) -> None:
    """Scale, ends and ticks; no 10^x, so that text stays text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    limits = ax.set_xlim if which == "x" else ax.set_ylim
    if told.is_log:
        (ax.set_xscale if which == "x" else ax.set_yscale)("log")
    if told.ticks:
        axis.set_ticks([*told.ticks], [*told.ticks.values()])
        ax.minorticks_off()
    if told.ends != (None, None):  # else an axis that panels share goes on to fit the next one
        limits(*told.ends)
    low, high = axis.get_view_interval()
    if told.is_count:
        limits(low, max(1.0, high))  # where all is 0, an axis of its own would be of hundredths
        axis.set_major_locator(MaxNLocator(integer=True))
    elif which == "x" and high > 1e4 and not told.ticks and not told.is_log:
        axis.set_major_locator(MaxNLocator(4))  # long numbers side by side
    elif told.is_log and not told.ticks:
        low, high = sorted((low, high))
        subs = (1.0, 2.0, 5.0) if high < FEW_DECADES * low else (1.0,)
        axis.set_major_locator(MaxNLocator(4) if high < 4 * low else LogLocator(subs=subs))
        least, sign = told.floor or 0.0, {True: "≤ ", False: ""}
        axis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{sign[bool(value <= least)]}{value:g}")
        )
        axis.minorticks_off()
