"""The picture of docs/sts-campaign.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.online_pictures import SHOWN, legend, line, plain_numbers
from benchmarks.online_rows import LAWS, REFERENCES, Runs
from benchmarks.online_words import arrivals
from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAMILIES = ("sts-km", "sts-a100")
YARDSTICK = "infinite cluster"


def by_size(runs: Runs, path: Path) -> None:
    """A panel per family and law of arrivals: cost above the capacity-free bound by nodes."""
    figure_style.write(lambda: _by_size(runs), path)


def _by_size(runs: Runs) -> Figure:
    made = figure_style.figure(9.0, 6.0, layout="constrained")
    axes = made.subplots(len(FAMILIES), len(LAWS), sharex=True, sharey=True)
    styles = figure_style.styles(SHOWN)
    styles[YARDSTICK] = {"color": "0.4", "linestyle": ":", "linewidth": 1.5}
    for row, family in zip(axes, FAMILIES, strict=True):
        for ax, law in zip(row, LAWS, strict=True):
            own = runs.of_family(family, law).plain
            for policy in SHOWN:
                if points := _above(own, policy, "objective"):
                    ax.plot(*zip(*points, strict=True), **line(styles, policy))
            if points := _above(own, REFERENCES, YARDSTICK.replace(" ", "_")):
                ax.plot(*zip(*points, strict=True), **styles[YARDSTICK])
            ax.set_title(f"{family}, {arrivals(law)}")
            ax.set_yscale("log")
            plain_numbers(ax)
            ax.grid(axis="y", linewidth=0.3)
        row[0].set_ylabel("cost above capacity-free bound [%]")
    for ax in axes[-1]:
        ax.set_xlabel("nodes")
    legend(made, styles, {*runs.policies, YARDSTICK})
    return made


def _above(runs: Runs, policy: str, column: str) -> list[tuple[int, float]]:
    """By number of nodes, how much more than the bound in per cent."""
    ratios = [(n, runs.on(n).ratio(policy, column, REFERENCES, "best_bound")) for n in runs.sizes]
    return [(n, 100 * (ratio - 1)) for n, ratio in ratios if ratio is not None]
