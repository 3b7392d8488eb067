"""The pictures of docs/online.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.online_rows import (
    DP,
    EDF,
    FAMILIES,
    GREEDY,
    LAWS,
    LITERAL,
    MEAN_RG,
    PREEMPTIVE,
    REFERENCES,
    RG,
    ROLL,
    STS,
    Runs,
)
from benchmarks.online_words import arrivals
from rsjs.reporting.figures import figure_style
from rsjs.simulation.metrics import CROWDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = (  # policies, in the order of the legend
    *(EDF, PREEMPTIVE, GREEDY, RG, MEAN_RG, DP),
    *(LITERAL, STS, ROLL),
)
LEGEND = 5  # entries on a line


def loads(runs: Runs) -> list[tuple[str, Runs]]:
    """Runs of sts-km at N = 10 by the gap of exponential arrivals [s], light load first."""
    own = runs.plain.where(
        lambda case: (
            case.family == "sts-km" and case.arrivals.startswith("exp") and case.nodes == 10
        )
    )
    gaps = {case.arrivals for case in own.cases}
    return [
        (gap.removeprefix("exp"), own.where(lambda case, gap=gap: case.arrivals == gap))
        for gap in sorted(gaps, key=lambda gap: -int(gap.removeprefix("exp")))
    ]


def utilisation(runs: Runs) -> float | None:
    """Of greedy, the mean."""
    return runs.mean(GREEDY, "utilisation")


def policies(runs: Runs, path: Path) -> None:
    """A panel per family: cost above the capacity-free bound at each law, unless crowded."""
    figure_style.write(lambda: _policies(runs), path)


def over_load(runs: Runs, path: Path) -> None:
    """Cost over greedy's, and late jobs, against the GPUs in use."""
    figure_style.write(lambda: _over_load(loads(runs)), path)


def _policies(runs: Runs) -> Figure:
    made = figure_style.figure(9.0, 3.6, layout="constrained")
    axes = made.subplots(1, len(FAMILIES), sharey=True)
    styles = figure_style.styles(SHOWN)
    for ax, family in zip(axes, FAMILIES, strict=True):
        for i, policy in enumerate(SHOWN):
            points = []
            for x, law in enumerate(LAWS):
                own = runs.of_family(family, law)
                ratio = own.ratio(policy, "objective", REFERENCES, "best_bound")
                if ratio is not None and (utilisation(own) or 0.0) <= CROWDED:
                    points.append((x + 0.08 * (i - len(SHOWN) // 2), 100 * (ratio - 1)))
            if points:
                ax.plot(*zip(*points, strict=True), **{**styles[policy], "linestyle": "none"})
        ax.set_title(family)
        ax.set_xticks(range(len(LAWS)), [*map(arrivals, LAWS)])
        ax.set_yscale("log")
        plain_numbers(ax)
        ax.grid(axis="y", linewidth=0.3)
    axes[0].set_ylabel("cost above the capacity-free bound [%]")
    legend(made, styles, {*runs.policies}, marker_only=True)
    return made


def _over_load(steps: list[tuple[str, Runs]]) -> Figure:
    made = figure_style.figure(9.0, 3.8, layout="constrained")
    cost, late = made.subplots(1, 2)
    styles = figure_style.styles(SHOWN)
    for policy in SHOWN:
        known = [(utilisation(own), own) for _, own in steps if policy in own.policies]
        x = [100 * used for used, _ in known if used is not None]
        runs = [own for used, own in known if used is not None]
        cost.plot(
            x,
            [own.ratio(policy, "objective", GREEDY) for own in runs],
            **line(styles, policy),
        )
        late.plot(x, [100 * (own.late(policy) or 0.0) for own in runs], **line(styles, policy))
    cost.set_yscale("log")
    plain_numbers(cost)
    cost.set_ylabel("cost over that of greedy")
    late.set_ylabel("jobs more than 60 s late [%]")
    for ax in (cost, late):
        ax.set_xlabel("GPUs in use under greedy [%]")
        ax.grid(linewidth=0.3)
    legend(made, styles, {policy for _, own in steps for policy in own.policies})
    return made


def line(styles: dict[str, dict[str, Any]], policy: str) -> dict[str, Any]:
    """How the line of a policy is drawn."""
    return {**styles[policy], "linewidth": 1.0, "markersize": 4}


def plain_numbers(ax: Axes) -> None:
    """Write 0.5, 1, 2, 5, 10 on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def legend(
    made: Figure, styles: dict[str, dict[str, Any]], drawn: set[str], *, marker_only: bool = False
) -> None:
    """Name the policies that are drawn, below the panels."""
    from matplotlib.lines import Line2D

    changed = {"linestyle": "none"} if marker_only else {}
    handles = [
        Line2D([], [], label=name, **{**style, **changed})
        for name, style in styles.items()
        if name in drawn
    ]
    made.legend(handles=handles, loc="outside lower center", ncols=LEGEND, frameon=False)
