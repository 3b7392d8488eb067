"""The pictures of docs/formulations.md, from stored rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.formulation_cases import CONTROLLERS, INNER, LIMITS, Row, proved, seconds_of
from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BOTTOM, TOP = 0.005, 3000  # s, with room for the legend above the limit


def seconds(panels: Mapping[str, Sequence[tuple[int, Row]]]) -> Figure:
    """Seconds against N J, one panel per title of (N J, row) pairs."""
    made = figure_style.figure(3.3 * len(panels), 3.1, layout="constrained")
    for axes, (title, found) in zip(
        made.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels.items(), strict=True
    ):
        for method, style in figure_style.styles(row["method"] for _, row in found).items():
            _curve(axes, method, style, [pair for pair in found if pair[1]["method"] == method])
        axes.axhline(LIMITS.time_limit, color="#999999", linewidth=0.7, linestyle=(0, (2, 2)))
        axes.set(xscale="log", yscale="log", xlabel="nodes x jobs", title=title)
        axes.set_ylim(BOTTOM, TOP)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda *_: "")
        axes.legend(fontsize=5.5, frameon=False, loc="upper left", ncols=2)
    made.axes[0].set_ylabel("seconds (open: gap not proved)")
    return made


def _curve(
    axes: Axes, method: str, style: dict[str, object], found: Sequence[tuple[int, Row]]
) -> None:
    x, y = [pairs for pairs, _ in found], [seconds_of(row) for _, row in found]
    axes.plot(x, y, label=method, markersize=4, linewidth=1, **style)
    still_open = [(a, b) for a, b, (_, row) in zip(x, y, found, strict=True) if not proved(row)]
    if still_open:
        hollow = {**style, "linestyle": "", "markerfacecolor": "white"}
        axes.plot(*zip(*still_open, strict=True), markersize=4, **hollow)


def losses(found: Mapping[tuple[str, int], Sequence[float]]) -> Figure:
    """Median loss against the number of controllers, a curve per controllers' method."""
    made = figure_style.figure(4.2, 2.8, layout="constrained")
    axes = made.subplots()
    for method, style in figure_style.styles(INNER).items():
        ks = [k for k in CONTROLLERS if found.get((method, k))]
        axes.plot(
            ks, [100 * median(found[method, k]) for k in ks], label=method, markersize=4, **style
        )
    axes.set(xscale="log", xlabel="controllers K", ylabel="loss against the undivided bound [%]")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xticks(CONTROLLERS, [str(k) for k in CONTROLLERS])
    axes.minorticks_off()
    axes.legend(fontsize=6, frameon=False, loc="center left")
    return made
