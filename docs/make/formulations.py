"""Tables and pictures of docs/results/formulations.md from rows of campaigns/formulations.toml."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from docs.make.tables import Parts, grid, methods_of, proved, stored, versions
from rsjs.methods import parse
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables import formats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = 60.0  # s, of the campaign
SECTIONS = {  # start of instance names: title of the panel
    "jahani": "Jahani's problem",
    "kiros": "Nodes charged until their first job ends",
    "sts-km-none": "RS-JS, dedicated GPUs",
    "sts-km-paper": "RS-JS, shared GPUs",
}
CONTROLLERS = (1, 2, 4, 8, 16)
INNER = ("first_ending_patterns@highs", "randomized_greedy:paper", "greedy:paper")
BOTTOM, TOP = 0.005, 3000  # s, with room for the legend above the limit


@cache
def runs() -> pd.DataFrame:
    """Return the rows with size and seconds: from the start of the build, or of the process."""
    rows = stored("formulations/rows.csv")
    seconds = rows["total_s"].fillna(rows["process_s"]).astype(float)
    size = rows["nodes"].astype(str) + " x " + rows["jobs"].astype(str)
    return rows.assign(size=size, s=seconds).sort_values(["nodes", "jobs"], kind="stable")


def section(start: str) -> pd.DataFrame:
    """Return the first row of each undivided method on seed 1 of a section."""
    rows = runs()
    own = rows[rows["instance"].str.match(f"{start}.*-s1$")]
    return own[~own["method"].str.startswith("hierarchical")].drop_duplicates(
        ["instance", "method"]
    )


def cell(row: Any) -> str:
    """Return the seconds of a proof, or why there is none and the own gap."""
    if proved(row):
        return formats.measured(row["s"])
    how = "limit" if row["stop"] == "time_limit" else row["stop"].replace("_", " ")
    if row["status"] != "ok":
        return f"{how} ({'no' if row['status'] == 'no_solution' else row['status']})"
    gap = row["own_gap"]
    return f"{how} ({'no bound' if pd.isna(gap) else formats.percent(gap) + ' %'})"


def seconds(start: str) -> str:
    """Seconds of each method by size."""
    rows = section(start)
    parts: Parts = dict([*rows.groupby("size", sort=False)])

    def shown(own: pd.DataFrame, method: str) -> str:
        return next((cell(row) for _, row in own[own["method"] == method].iterrows()), "")

    methods = [m for m in methods_of("formulations.toml") if (rows["method"] == m).any()]
    return grid("method", methods, parts, shown)


@cache
def divided() -> pd.DataFrame:
    """Return the runs of controllers, with the method and the number of these and the loss."""
    rows = runs()
    rows = rows[rows["method"].str.startswith("hierarchical") & (rows["status"] == "ok")]
    options = rows["method"].map(lambda method: parse(method).options)
    return rows.assign(
        inner=options.map(lambda given: given["method"].spelling),
        controllers=options.map(lambda given: given["controllers"]),
        loss=rows["objective"] / rows["best_bound"] - 1,
    )


def losses() -> str:
    """Median loss by controllers, and median seconds."""
    parts: Parts = {f"K = {k}": own for k, own in divided().groupby("controllers")}

    def shown(own: pd.DataFrame, method: str) -> str:
        loss, time = own.loc[own["inner"] == method, ["loss", "s"]].median()
        if loss >= 10:
            return (
                f"{formats.TIMES} {formats.significant(1 + loss, 2)} ({formats.measured(time)} s)"
            )
        return f"{formats.percent(max(0.0, loss))} % ({formats.measured(time)} s)"

    return grid("controllers' method", INNER, parts, shown)


def panels() -> Figure:
    """Draw seconds against N J, one panel per section; open where the gap is not proved."""
    made = figure_style.figure(3.3 * len(SECTIONS), 3.1, layout="constrained")
    axes = made.subplots(1, len(SECTIONS), sharey=True)
    for ax, (start, title) in zip(axes, SECTIONS.items(), strict=True):
        rows = section(start)
        for method, style in figure_style.styles(rows["method"]).items():
            own = rows[rows["method"] == method]
            drawn = own.assign(pairs=own["nodes"] * own["jobs"])
            ax.plot(drawn["pairs"], drawn["s"], label=method, markersize=4, linewidth=1, **style)
            unproved = drawn[[not proved(row) for _, row in own.iterrows()]]
            hollow = {**style, "linestyle": "", "markerfacecolor": "white"}
            ax.plot(unproved["pairs"], unproved["s"], markersize=4, **hollow)
        ax.axhline(LIMIT, color="#999999", linewidth=0.7, linestyle=(0, (2, 2)))
        ax.set(xscale="log", yscale="log", xlabel="nodes x jobs", title=title)
        ax.set_ylim(BOTTOM, TOP)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda *_: "")
        ax.legend(fontsize=5.5, frameon=False, loc="upper left", ncols=2)
    axes[0].set_ylabel("seconds (open: gap not proved)")
    return made


def losses_by_controllers() -> Figure:
    """Draw the median loss against the number of controllers, a curve per method of theirs."""
    made = figure_style.figure(4.2, 2.8, layout="constrained")
    ax = made.subplots()
    medians = 100 * divided().groupby(["inner", "controllers"])["loss"].median()
    for method, style in figure_style.styles(INNER).items():
        ax.plot(CONTROLLERS, medians[method][[*CONTROLLERS]], label=method, markersize=4, **style)
    ax.set(xscale="log", xlabel="controllers K", ylabel="loss against the undivided bound [%]")
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xticks(CONTROLLERS, [str(k) for k in CONTROLLERS])
    ax.minorticks_off()
    ax.legend(fontsize=6, frameon=False, loc="center left")
    return made


TABLES = {
    **{start: partial(seconds, start) for start in SECTIONS},
    "losses": losses,
    "versions": lambda: versions(runs()),
}
PICTURES = {
    "formulations": partial(figure_style.write, panels),
    "hierarchical": partial(figure_style.write, losses_by_controllers),
}
