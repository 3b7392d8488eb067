"""Tables and pictures of docs/results/konopa.md, from the rows in results/mig."""

from __future__ import annotations

from functools import cache, partial
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from docs.make.tables import stored, table, versions
from rsjs.heuristics.mig.placement import RULES
from rsjs.instances.mig.konopa.files import published_jobs
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables import formats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DRAWN = {  # problems of section 4, their names without seed: titles of panels
    "mig-A-makespan-section4": "Makespan, jobs stop and move (A)",
    "mig-C-makespan-section4": "Makespan, jobs run through (C)",
    "mig-A-completion-section4": "Sum of completion times, jobs stop and move (A)",
    "mig-C-completion-section4": "Sum of completion times, jobs run through (C)",
}
PROBLEMS = (  # these and variants: due dates, penalties, slow arrivals
    *DRAWN,
    *("mig-A-late-due", "mig-A-late-slow-due", "mig-A-completion-slow"),
    *(f"mig-A-completion+5preemptions+5migrations-{jobs}" for jobs in ("section4", "slow")),
)
METHODS = (  # in the order of tables
    *("fcfs", "srpt", "edd", "ramdec", "lrpt", "bigrem"),
    *("bigfirst_srpt", "bigfirst_lrpt", "bigfirst_srbig", "local_search", "cpsat:fcfs"),
)
SMALLEST_GAP, SOONEST = 0.01, 1e-4  # %, s: smaller values are drawn here
LARGEST_GAP, LATEST = 100.0, 40.0


@cache
def runs() -> pd.DataFrame:
    """Return the rows of schedules with the name of the problem without its seed."""
    rows = stored("mig/rows.csv")
    return rows.assign(problem=rows["instance"].str.replace(r"-s\d+$", "", regex=True))


def of_problem(problem: str) -> dict[str, pd.DataFrame]:
    """Return the runs of each method on a problem."""
    rows = runs()[runs()["problem"] == problem]
    return {m: own for m in METHODS if len(own := rows[rows["method"] == m])}


def schedules(problem: str) -> str:
    """Gaps to the best bound, proofs, mean objective and median seconds by method."""
    counted = "-late-" in problem
    unit = "jobs" if counted else "%"
    rows = []
    for method, own in of_problem(problem).items():
        lost = own["objective"] - own["best_bound"]
        gaps = lost if counted else own["gap_to_best"]
        rows.append(
            [
                method,
                *(
                    formats.significant(v, 3) if counted else formats.percent(v)
                    for v in (gaps.mean(), gaps.max())
                ),
                f"{(lost <= 0).sum()}/{len(own)}",
                formats.significant(own["objective"].mean(), 4),
                formats.significant(own["total_s"].median(), 2),
            ]
        )
    gap = (f"mean gap [{unit}]", f"largest [{unit}]")
    return table(["method", *gap, "proven optimal", "mean z", "median s"], rows)


def placement() -> str:
    """GPUs of the optimum and of rules above it, and wasted slices: means over seeds."""
    rows = []
    for (mix, n), of_mix in stored("mig/placement.csv").groupby(["mix", "n"], sort=False):
        means = of_mix.groupby("method")[["gpus", "waste", "seconds"]].mean()
        best = of_mix[of_mix["method"] == "ilp"]
        gpus, waste, seconds = means.loc["ilp"]
        proved = (best["stop"] == "optimal").sum()
        cells = (
            f"{100 * (means.gpus[rule] / gpus - 1):+.1f} % (w {means.waste[rule]:.1f})"
            for rule in RULES
        )
        optimum = f"{gpus:.1f}, w {waste:.1f} ({proved}/{len(best)})"
        rows.append([f"{mix} {n}", optimum, f"{seconds:.2f}", *cells])
    return table(["mix, n", "optimum (proved)", "s", *RULES], rows)


def reconfiguration() -> str:
    """Greedy and the exact method above the bound by kind of set."""
    rows = []
    for name, own in stored("mig/repartition.csv").groupby("set", sort=False):
        greedy, gaps = (100 * (own[key] / own["bound"] - 1) for key in ("greedy", "makespan"))
        rows.append(
            [
                name,
                f"{own['limit'].iloc[0]:g}",
                f"{greedy.mean():.1f} %",
                f"{gaps.mean():.2f} / {gaps.max():.2f} %",
                f"{(own['stop'] == 'optimal').sum()}/{len(own)}",
                *(f"{own[key].mean():.1f}" for key in ("seconds", "cpu_s")),
            ]
        )
    heads = ("greedy above bound", "found, mean / max", "optimal", "s used", "of CPU")
    return table(["jobs", "limit s", *heads], rows)


def static() -> str:
    """Dynamic partitions against the best static one by set of jobs."""
    rows = []
    for (n, seed), own in stored("mig/static.csv").groupby(["n", "seed"], sort=False):
        dynamic = own[own["partition"] == "dynamic"].iloc[0]
        best = own[own["partition"] != "dynamic"].sort_values("makespan", kind="stable").iloc[0]
        gain = 100 * (best["makespan"] / dynamic["makespan"] - 1)
        cells = (f"{row['makespan']} ({row['bound']})" for row in (dynamic, best))
        rows.append([n, seed, *cells, best["partition"], f"{gain:.1f} %"])
    return table(
        ["jobs", "seed", "dynamic (bound)", "best static (bound)", "partition", "gain"], rows
    )


def distributions() -> Figure:
    """Draw a column for each problem: share of sets by gap above, by seconds below."""
    made = figure_style.figure(2.7 * len(DRAWN), 4.8, layout="constrained")
    axes = made.subplots(2, len(DRAWN), squeeze=False, sharey=True)
    parts = {title: of_problem(problem) for problem, title in DRAWN.items()}
    styles = figure_style.styles(method for part in parts.values() for method in part)
    for (title, part), (above, below) in zip(parts.items(), axes.T, strict=True):
        above.set_title(fill(title, 36))
        for method, own in part.items():
            style = {key: styles[method][key] for key in ("color", "linestyle")}
            _steps(
                above, 100 * own["gap_to_best"], SMALLEST_GAP, LARGEST_GAP, label=method, **style
            )
            _steps(below, own["total_s"], SOONEST, LATEST, **style)
        above.set(xlim=(SMALLEST_GAP, LARGEST_GAP), ylim=(0, 1.02), xlabel="gap [%]")
        below.set(xlim=(SOONEST, LATEST), xlabel="seconds")
        for ax in (above, below):
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        above.xaxis.set_major_formatter(
            lambda x, _: f"≤ {SMALLEST_GAP:g}" if x <= SMALLEST_GAP else f"{x:g}"
        )
        below.legend(
            *above.get_legend_handles_labels(),
            fontsize=6,
            frameon=False,
            ncols=2,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
        )
    for ax in axes[:, 0]:
        ax.set_ylabel("share of sets")
    return made


def _steps(ax: Axes, values: pd.Series[float], low: float, high: float, **style: Any) -> None:
    x = np.sort(np.clip(values.to_numpy(float), low, high))
    share = np.arange(1, len(x) + 1) / len(x)
    ax.step([low, *x, high], [0.0, *share, 1.0], where="post", linewidth=1.2, **style)


def dataset() -> Figure:
    """Draw priorities and run lengths of the published dataset: Fig. 2 and 3 of the paper."""
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


TABLES = {
    **{problem: partial(schedules, problem) for problem in PROBLEMS},
    "versions": lambda: versions(runs()),
    "placement": placement,
    "repartition": reconfiguration,
    "static": static,
}
PICTURES = {
    "mig-gaps": partial(figure_style.write, distributions),
    "mig-dataset": partial(figure_style.write, dataset),
}
