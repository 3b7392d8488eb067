"""Pictures of docs/mig.md: distributions of gaps and seconds, and of the published dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from rsjs.instances.mig.konopa.files import published_jobs
from rsjs.reporting.figures import figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]
LEAST_GAP, SOONEST = 0.01, 1e-4  # %, s: lesser values are drawn here
MOST_GAP, LATEST = 100.0, 40.0


def distributions(panels: Sequence[tuple[str, Curves]]) -> Figure:
    """A column for each case: share of sets by gap above, by seconds below."""
    made = figure_style.figure(2.7 * len(panels), 4.8, layout="constrained")
    axes = made.subplots(2, len(panels), squeeze=False, sharey=True)
    styles = figure_style.styles(method for _, curves in panels for method in curves)
    for (title, curves), (above, below) in zip(panels, axes.T, strict=True):
        above.set_title(fill(title, 36))
        for method, (gaps, seconds) in curves.items():
            colour = {"color": styles[method]["color"], "linestyle": styles[method]["linestyle"]}
            _steps(above, gaps, LEAST_GAP, MOST_GAP, label=method, **colour)
            _steps(below, seconds, SOONEST, LATEST, **colour)
        above.set(xscale="log", xlim=(LEAST_GAP, MOST_GAP), ylim=(0, 1.02), xlabel="gap [%]")
        below.set(xscale="log", xlim=(SOONEST, LATEST), xlabel="seconds")
        above.xaxis.set_major_formatter(
            lambda x, _: f"≤ {LEAST_GAP:g}" if x <= LEAST_GAP else f"{x:g}"
        )
        below.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        drawn = above.get_legend_handles_labels()
        below.legend(
            *drawn,
            fontsize=6,
            frameon=False,
            ncols=2,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
        )
    for ax in axes[:, 0]:
        ax.set_ylabel("share of sets")
    return made


def _steps(ax: Axes, values: Sequence[float], least: float, most: float, **style: object) -> None:
    x = np.sort(np.clip(values, least, most))
    share = np.arange(1, len(x) + 1) / len(x)
    ax.step([least, *x, most], [0.0, *share, 1.0], where="post", linewidth=1.2, **style)


def dataset() -> Figure:
    """Priorities and run lengths of the published dataset: Fig. 2 and 3 of the paper."""
    jobs = published_jobs()
    made = figure_style.figure(6.0, 2.2, layout="constrained")
    axes = made.subplots(1, 2)
    shown = {"priority": jobs.priority, "run length [minutes]": jobs.run_length}
    for ax, (name, values) in zip(axes, shown.items(), strict=True):
        found, count = np.unique(values, return_counts=True)
        ax.bar(found, count, color=figure_style.COLOURS[0], width=0.8)
        ax.set(xlabel=name, xticks=found)
    axes[0].set_ylabel("jobs")
    return made
