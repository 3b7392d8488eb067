"""The sets of the library in the space of their features, and what else is put there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.instances.library.features import Features
from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = 7.4, 3.6  # inches
PANELS = (("load", "tightness"), ("heterogeneity", "sharing"))
LABELS = {
    "load": "load: work per GPU [h]",
    "tightness": "tightness: shortest time over time left",
    "heterogeneity": "heterogeneity: slowest over fastest GPU type",
    "sharing": "sharing: jobs that a GPU may hold",
}
OTHER = {"color": "black", "marker": "*", "s": 60, "zorder": 3}


@dataclass(frozen=True, kw_only=True)
class Point:
    """A set of the library, or a subject beside it."""

    name: str
    group: str
    features: Features


def set_picture(
    points: Sequence[Point], path: str | Path, *, others: Mapping[str, Features]
) -> Path:
    """
    Draw load against tightness, and heterogeneity against sharing.

    Parameters
    ----------
    points : sequence of Point
        A colour per group.
    path : path
        .png, .svg or .pdf.
    others : mapping
        Name -> features, drawn as numbered stars.

    Returns
    -------
    Path
        The file written.
    """
    path = figure_style.checked(path)
    return figure_style.write(lambda: _drawn(points, others), path)


def _drawn(points: Sequence[Point], others: Mapping[str, Features]) -> Figure:
    made = figure_style.figure(*SIZE, layout="constrained")
    styles = figure_style.styles(point.group for point in points)
    axes = made.subplots(1, len(PANELS))
    for ax, (x, y) in zip(axes, PANELS, strict=True):
        _panel(ax, x, y, points, styles)
        for i, found in enumerate(others.values(), start=1):
            place = getattr(found, x), getattr(found, y)
            ax.scatter(*place, **OTHER)
            ax.annotate(str(i), place, xytext=(4, 3), textcoords="offset points")
    handles, labels = axes[0].get_legend_handles_labels()
    for i, name in enumerate(others, start=1):
        handles.append(axes[0].scatter([], [], **OTHER))
        labels.append(f"{i}  {name}")
    made.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return made


def _panel(
    ax: Axes,
    x: str,
    y: str,
    points: Sequence[Point],
    styles: Mapping[str, Mapping[str, str]],
) -> None:
    for group, style in styles.items():
        own = [point.features for point in points if point.group == group]
        ax.scatter(
            [getattr(found, x) for found in own],
            [getattr(found, y) for found in own],
            s=18,
            alpha=0.8,
            color=style["color"],
            marker=style["marker"],
            label=group,
        )
    ax.set(xlabel=LABELS[x], ylabel=LABELS[y], xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")  # no 10^x: text stays text
        axis.set_minor_formatter(_one_two_five)
    ax.grid(color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)


def _one_two_five(value: float, _: float) -> str:
    """Labels between powers of ten."""
    text = f"{value:g}"
    return text if text.strip("0.") in ("2", "5") else ""
