"""Size and build time of formulations against the number of nodes, both logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError, described
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formulation_study import Record, records
from rsjs.rows.select import AnyRow, known

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL, LINE = (2.6, 2.0), 0.17  # inches: width and height of a panel, height of a legend line

Value = Callable[[Record], float | None]


def formulation_sizes(rows: Sequence[AnyRow], path: str | Path) -> Path:
    """
    Draw, for each family, nonzeros and build time of every formulation against the nodes.

    A hollow marker is a build that the time limit ended.

    Returns
    -------
    Path
        The file written: .png, .svg or .pdf.
    """
    path = figure_style.checked(path)
    found = [record for record in records(rows) if record.relaxed is not None]
    if not found:
        raise InputError("", described("no rows"), "at least one relaxation to draw")
    return figure_style.write(lambda: _drawn(found), path)


def _drawn(found: Sequence[Record]) -> Figure:
    families = list(dict.fromkeys(record.family for record in found))
    groups = [[record for record in found if record.family == family] for family in families]
    most = max(len({record.formulation for record in group}) for group in groups)
    height = 2 * PANEL[1] + 0.3 + LINE * most
    made = figure_style.figure(max(3.0, PANEL[0] * len(families)), height, layout="constrained")
    axes = made.subplots(2, len(families), sharex=True, sharey="row", squeeze=False)
    styles = _styles([[record.formulation for record in group] for group in groups])
    for family, group, (above, below) in zip(families, groups, axes.T, strict=True):
        above.set_title(family)
        _panel(above, group, styles, lambda record: known(record.measured, "nonzeros"))
        _panel(below, group, styles, lambda record: known(record.measured, "build_s"))
        below.set_xlabel("nodes")
        if below.lines:
            below.legend(loc="upper center", bbox_to_anchor=(0.5, -0.28), frameon=False)
    axes[0, 0].set_ylabel("nonzeros")
    axes[1, 0].set_ylabel("build [s]")
    _ticks(list(axes[:, 0]), sorted({record.nodes for record in found}))
    return made


def _styles(groups: Sequence[Sequence[str]]) -> dict[str, dict[str, Any]]:
    """A style for each name, the same in every panel; names share one if no panel has both."""
    names = list(dict.fromkeys(name for group in groups for name in group))
    styles = list(figure_style.styles(names).values())
    chosen: dict[str, int] = {}
    for name in names:
        beside = {other for group in groups if name in group for other in group}
        taken = {chosen[other] for other in beside if other in chosen}
        chosen[name] = min(set(range(len(names))) - taken)
    return {name: styles[index] for name, index in chosen.items()}


def _panel(ax: Axes, group: Sequence[Record], styles: Mapping[str, Any], value: Value) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(which="major", color="0.92", linewidth=0.6)
    for formulation in dict.fromkeys(record.formulation for record in group):
        points = sorted(
            (record.nodes, y, record.ended.startswith("limit") and _unbuilt(record))
            for record in group
            if record.formulation == formulation and (y := value(record))
        )
        if not points:
            continue
        style = styles[formulation]
        line = [(n, y) for n, y, _ in points]
        ax.plot(*zip(*line, strict=True), markersize=4, linewidth=1.2, label=formulation, **style)
        ended = [(n, y) for n, y, limit in points if limit]
        if ended:
            hollow = {**style, "linestyle": "none", "markerfacecolor": "white"}
            ax.plot(*zip(*ended, strict=True), markersize=4, **hollow)


def _unbuilt(record: Record) -> bool:
    """Whether the limit came before the model was there."""
    return known(record.measured, "columns") is None


def _ticks(axes: Sequence[Axes], nodes: Sequence[int]) -> None:
    for ax in axes:
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")  # no 10^x: text stays text
        ax.set_xticks(nodes, [str(n) for n in nodes])
        ax.xaxis.minorticks_off()
        ax.set_xlim(min(nodes) / 1.25, max(nodes) * 1.25)
