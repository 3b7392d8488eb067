"""The terms of the objective, method beside method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import cost, folded
from rsjs.reporting.tables.labels import distinct, shortened
from rsjs.reporting.tables.select import Row, how_it_ended, is_wrong, known

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# postponement, which dwarfs the others under overload, comes last: a broken bar shows them
TERMS = {
    "energy": "#0072B2",
    "idle": "#999999",
    "tardiness": "#E69F00",
    "postponement": "#D55E00",
}
CUT = 20.0  # costs above so many times the least are broken bars,
SHOWN = 4.0  # at least so many times as long as the least
BREAK = 0.04  # of the bar's length
BARS, BAR, LETTER = 2.6, 0.2, 0.075  # inches: length and height of bars, width of a letter
LONGEST_LABEL = 36  # characters


def cost_split(rows: Sequence[Row], path: str | Path) -> Path:
    """
    Draw one panel per instance: stacked bars of the terms [$] by method.

    Bars far longer than the shortest are broken; every bar tells its total.

    Returns
    -------
    Path
        The file written: .png, .svg or .pdf.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: drawn(rows), path)


def drawn(rows: Sequence[Row]) -> Figure:
    """Return the figure of `cost_split`; InputError without rows."""
    if not rows:
        raise InputError("", described("no rows"), "at least one run to draw")
    rows = distinct(rows)
    from matplotlib.patches import Patch

    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault(str(row["instance"]), []).append(row)
    labels = {str(row["method"]): folded(str(row["method"]), LONGEST_LABEL) for row in rows}
    longest = max(len(line) for lines in labels.values() for line in lines)
    tallest = max(map(len, labels.values()))
    columns = min(len(panels), 2)
    across, down = BARS + LETTER * longest, max(map(len, panels.values())) * BAR * tallest + 0.8
    size = max(5.0, across * columns), ceil(len(panels) / columns) * down + 0.6
    made = figure_style.figure(*size, layout="constrained")
    axes = made.subplots(ceil(len(panels) / columns), columns, squeeze=False).flatten()
    common, short = shortened(list(panels))
    for ax, (instance, group) in zip(axes, panels.items(), strict=False):
        _panel(ax, group, ["\n".join(labels[str(row["method"])]) for row in group])
        ax.set_title("\n".join(folded(short[instance], LONGEST_LABEL)))
    for ax in axes[len(panels) :]:
        ax.remove()
    handles = [Patch(color=colour, label=term) for term, colour in TERMS.items()]
    made.legend(handles=handles, loc="outside lower center", ncols=len(TERMS), frameon=False)
    if common:
        made.suptitle(common, fontsize=9)
    return made


def _panel(ax: Axes, rows: Sequence[Row], labels: Sequence[str]) -> None:
    limit = _limit([row["objective"] for row in rows if known(row, "objective") is not None])
    for place, row in enumerate(rows):
        _bar(ax, place, row, limit)
    ax.set_yticks(range(len(rows)), labels)
    room = 1.7 if any(map(is_wrong, rows)) else 1.35  # for the totals
    ax.set(xlim=(0, room * limit), ylim=(len(rows) - 0.4, -0.6), xlabel="cost [$]")
    ax.tick_params(axis="y", length=0)
    ax.set_axisbelow(True)
    ax.grid(axis="x", color="0.92", linewidth=0.6)


def _bar(ax: Axes, place: int, row: Mapping[str, object], limit: float) -> None:
    total = known(row, "objective")
    if total is None:
        ax.text(0.01 * limit, place, how_it_ended(row), va="center", fontsize=7, color="0.4")
        return
    room = limit if total <= limit else (1 - 2 * BREAK) * limit
    left = 0.0
    for term, colour in TERMS.items():
        wide = min(known(row, term) or 0.0, room - left)
        if wide > 0:
            ax.barh(place, wide, left=left, height=0.7, color=colour)
            left += wide
    if total > limit:  # a broken bar: the piece after the gap ends with the last term
        last = [colour for term, colour in TERMS.items() if known(row, term)][-1:]
        ax.barh(place, BREAK * limit, left=(1 - BREAK) * limit, height=0.7, color=last)
    told = f"{cost(total)}  WRONG" if is_wrong(row) else cost(total)
    ax.text(min(total, limit) + 0.01 * limit, place, told, va="center", fontsize=7)


def _limit(costs: Sequence[float]) -> float:
    """Where bars end: at the largest cost, or earlier if that would hide the least."""
    positive = [value for value in costs if value > 0]
    if not positive:
        return 1.0
    least, most = min(positive), max(positive)
    near = max(value for value in positive if value <= CUT * least)
    return most if near == most else max(near, SHOWN * least)
