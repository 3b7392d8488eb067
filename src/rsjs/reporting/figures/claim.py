"""The picture of an experiment on claims: a panel per case, a line per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import folded
from rsjs.rows.select import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL, LINE, SMALLEST = (2.4, 2.3), 0.17, 4.2  # inch: a panel, a line of the legend, a figure
LONGEST_LABEL = 44  # characters of a line
AXES = {
    "nodes": "nodes",
    "objective": "cost [$]",
    "energy": "energy [$]",
    "total_s": "decision [s]",
    "solve_s": "decision [s]",
    "decision_median_s": "median decision [s]",
    "jobs": "jobs",
}


def claim_picture(rows: Sequence[Row], plot: Mapping[str, Any], path: Path) -> Path:
    """
    Draw the mean of a column against another one.

    Parameters
    ----------
    rows : of one experiment
    plot : mapping
        Columns `x` and `y`, among `AXES`; `log` for logarithmic axes.
    path : Path
        `.png`, `.svg` or `.pdf`.
    """
    return figure_style.write(lambda: _drawn(rows, plot), figure_style.checked(path))


def _drawn(rows: Sequence[Row], plot: Mapping[str, Any]) -> Figure:
    x, y = plot["x"], plot["y"]
    cases = list(dict.fromkeys(str(row["case"]) for row in rows))
    styles = figure_style.styles(str(row["method"]) for row in rows)
    columns = figure_style.panel_columns(len(cases))
    lines = ceil(len(cases) / columns)
    width = max(SMALLEST, PANEL[0] * columns + 0.6)
    labels = ["\n".join(folded(name, LONGEST_LABEL)) for name in styles]
    beside = figure_style.legend_columns(width, labels)
    legend = LINE * ceil(len(labels) / beside) * max(label.count("\n") + 1 for label in labels)
    made = figure_style.figure(width, PANEL[1] * lines + 0.2 + legend, layout="constrained")
    grid = made.subplots(lines, columns, sharey=True, squeeze=False)
    panels = grid.flatten()
    for axes in panels[len(cases) :]:
        axes.remove()
    for axes, case in zip(panels, cases, strict=False):
        for method, style in styles.items():
            points = _means(rows, case, method, x, y)
            axes.plot(list(points), list(points.values()), **style, linewidth=1.0, markersize=4)
        axes.set_title(case)
        axes.set_xlabel(AXES[x])
        if plot.get("log"):
            _logarithmic(axes, sorted({row[x] for row in rows}))
        axes.grid(linewidth=0.3)
    for axes in grid[:, 0]:
        axes.set_ylabel(AXES[y])
    handles = panels[0].get_lines()
    made.legend(handles, labels, loc="outside lower center", ncols=beside, frameon=False)
    return made


def _logarithmic(axes: Axes, at: Sequence[float]) -> None:
    """Logarithmic axes with plain numbers, on the first one those of the rows."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(at, [f"{value:g}" for value in at])
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _means(rows: Sequence[Row], case: str, method: str, x: str, y: str) -> dict[float, float]:
    """Mean of y at each x."""
    found: dict[float, list[float]] = {}
    for row in rows:
        if str(row["case"]) == case and row["method"] == method and row[y] is not None:
            found.setdefault(row[x], []).append(row[y])
    return {at: fmean(values) for at, values in sorted(found.items())}
