"""The gap of each method's incumbent against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import folded
from rsjs.reporting.tables.labels import shortened
from rsjs.runs.gap import gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Run = Mapping[str, Any]

FLOOR = 0.001  # %: smaller gaps are drawn here
SOONEST = 1e-4  # s
PANEL, LINE = (3.3, 2.5), 0.17  # inches: width and height of a panel, height of a line
LONGEST_LABEL, LONGEST_TITLE = 36, 50  # characters
OWN_LABEL = "gap to its own bound"
OWN: dict[str, Any] = {
    "drawstyle": "steps-post",
    "linestyle": (0, (2, 2)),
    "linewidth": 0.9,
    "marker": "o",
    "markersize": 3.5,
    "markerfacecolor": "white",
    "markevery": [-1],
    "zorder": 1.9,  # below the gap to the best bound where both are the same
}


def gap_over_time(runs: Sequence[Run], path: str | Path) -> Path:
    """
    Draw one panel per instance: gap of the incumbent to the instance's best bound, both axes log.

    Parameters
    ----------
    runs : sequence of mappings
        instance, method, events (seconds, incumbent, bound each), best_bound; optionally
        seconds, the time at which the method ended.
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: drawn(runs), path)


def drawn(runs: Sequence[Run]) -> Figure:
    """Return the figure of `gap_over_time`; InputError without runs."""
    if not runs:
        raise InputError("", described("no runs"), "at least one run to draw")
    panels: dict[str, list[Run]] = {}
    for run in runs:
        panels.setdefault(run["instance"], []).append(run)
    columns = figure_style.panel_columns(len(panels))
    rows = ceil(len(panels) / columns)
    styles = figure_style.styles(run["method"] for run in runs)
    width = max(4.5, PANEL[0] * columns)
    labels = {name: "\n".join(folded(name, LONGEST_LABEL)) for name in styles}
    in_legend = figure_style.legend_columns(width, [*labels.values(), OWN_LABEL])
    lines = ceil((len(styles) + 1) / in_legend) * max(
        label.count("\n") + 1 for label in labels.values()
    )
    height = PANEL[1] * rows + 0.4 + LINE * lines
    made = figure_style.figure(width, height, layout="constrained")
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    common, short = shortened(list(panels))
    for ax, (instance, group) in zip(axes, panels.items(), strict=False):
        _panel(ax, "\n".join(folded(short[instance], LONGEST_TITLE)), group, styles)
    _scales(axes[0])
    for ax in axes[len(panels) :]:
        ax.remove()
    for ax in axes[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel("wall-clock time [s]")
        ax.tick_params(labelbottom=True)
    for ax in axes[: len(panels) : columns]:
        ax.set_ylabel("gap to the best bound [%]")
    handles = {labels[name]: style for name, style in styles.items()}
    _legend(made, handles, in_legend, any(gap_curve(run, own=True) for run in runs))
    if common:
        made.suptitle(common, fontsize=9)
    return made


def _panel(ax: Axes, name: str, runs: Sequence[Run], styles: Mapping[str, Any]) -> None:
    without = []
    ax.axhline(FLOOR, color="0.6", linewidth=0.6, zorder=0)
    ax.grid(which="major", color="0.92", linewidth=0.6)
    for i, run in enumerate(runs):
        style = styles[run["method"]]
        if curve := gap_curve(run):
            _line(ax, curve, style, 4 + 1.2 * (i % 6))
        else:
            without.append(run["method"])
        if curve and (own := gap_curve(run, own=True)):
            ax.plot(*zip(*own, strict=True), color=style["color"], **OWN)
    note = folded(f"(no gap: {', '.join(without)})", LONGEST_TITLE) if without else []
    ax.set_title("\n".join([name, *note]))


def _line(
    ax: Axes, curve: Sequence[tuple[float, float]], style: Mapping[str, Any], size: float
) -> None:
    """Markers at the first and last incumbent; hollow and of unlike sizes where they overlap."""
    single = len({y for _, y in curve}) == 1
    ax.plot(
        *zip(*curve, strict=True),
        drawstyle="steps-post",
        linewidth=1.2,
        markevery=[0] if single else [0, len(curve) - 1],
        markersize=size if single else 3.5,
        markerfacecolor="none" if single else style["color"],
        clip_on=False,
        **style,
    )


def gap_curve(run: Run, *, own: bool = False) -> list[tuple[float, float]]:
    """Seconds and gap [%] at each event, to the best bound of the instance or to the own one."""
    points = []
    for event in run["events"]:
        bound = event.get("bound") if own else run.get("best_bound")
        value = gap(event.get("incumbent"), bound)
        if value is not None:
            points.append((max(SOONEST, event["seconds"]), max(FLOOR, 100 * value)))
    if len(run["events"]) > 1 and points and run.get("seconds"):
        points.append((max(points[-1][0], run["seconds"]), points[-1][1]))
    return points


def _scales(ax: Axes) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set(xscale="log", yscale="log", ylim=(FLOOR * 0.7, 140))
    ax.yaxis.set_major_locator(FixedLocator([FLOOR * 10**i for i in range(6)]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(
        FuncFormatter(lambda y, _: f"≤ {FLOOR:g}" if y <= FLOOR else f"{y:g}")
    )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def _legend(made: Figure, styles: Mapping[str, Any], columns: int, with_own: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=name, markersize=4, **style) for name, style in styles.items()]
    if with_own:
        handles.append(Line2D([], [], color="0.3", label=OWN_LABEL, **OWN))
    made.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
