"""
Tables and a picture of docs/results/policies.md by offered load: `rsjs generate sts --mix km`.

Ratios are of sums over all workloads that both policies completed, costs per node, as in `online`;
the offered load of a column is the mean over its workloads.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import nan
from typing import TYPE_CHECKING

import pandas as pd

from docs.make.online import (
    ALONE,
    ARRIVALS,
    EDF,
    GREEDY,
    LOAD,
    PRICED,
    REFERENCES,
    RG,
    ROLL,
    SCHEDULE,
    STS,
    described,
    distance,
    in_use,
    legend,
    load,
    logarithmic,
    online,
    pairs,
    plain,
    ratio,
    with_infinite,
    with_schedules,
)
from docs.make.tables import Parts, grid, number, share, stored, table
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import MISSING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SWEPT = (  # from light load to overload, and asked for single decisions
    *("queue:fifo", EDF, "queue:pedf", GREEDY, RG, STS, ROLL, PRICED),
    *("randomized_greedy:paper", "local_search", "ruin_recreate?iterations=1000"),
    *("first_ending_patterns@highs", "rsjs_sifting@highs"),
)
SIZES = (10, 20, 50, 100)  # nodes of the load sweep
LARGEST = 50  # of these, on which all methods ran
BEST = "cheapest"  # on each workload, of those that were run there
OTHER = "cheapest other"  # but for `priced_roll`
BELOW, ABOVE = 0.7, 1.1  # offered loads of workloads on which policies are compared in one number
POINTS = {"linestyle": "none", "markersize": 4, "alpha": 0.8}


def loads() -> Parts:
    """Return the runs of sts-km by the mean gap of exponential arrivals, from light to heavy."""
    runs = plain(online())
    gaps = runs["arrivals"].str.extract(r"^exp(\d+)$")[0].astype(float)
    runs = runs[(runs["family"] == "sts-km") & ~runs["arrivals"].isin(ARRIVALS)]
    return {load(own): own for _, own in runs.groupby(-gaps)}


def swept(rows: pd.DataFrame, without: str = "", name: str = BEST) -> pd.DataFrame:
    """Return the rows of the load sweep, and of the cheapest on each workload, but for one."""
    rows = rows[rows["method"].isin(SWEPT)]
    others = rows[rows["method"] != without]
    cheapest = others.loc[others["objective"].astype(float).groupby(others["instance"]).idxmin()]
    return pd.concat([rows, cheapest.assign(method=name)])


def decisions_and_workloads() -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Return the rows of `python -m benchmarks.decisions` and of whole workloads by load."""
    asked = swept(described(stored("online/decisions.csv")))
    return {
        offered: (asked[asked["instance"].isin(own["instance"])], swept(own))
        for offered, own in loads().items()
    }


# tables


def use() -> str:
    """Offered load, and GPUs in use under greedy, by nodes and load."""

    def cell(own: pd.DataFrame, nodes: int) -> str:
        own = own[own["nodes"] == nodes]
        return f"{load(own)}, {share(in_use(own))}" if len(own) else MISSING

    return grid("nodes", SIZES, loads(), cell)


def sweep() -> str:
    """Cost of single decisions and of whole workloads over the cheapest, by nodes and load."""
    parts = decisions_and_workloads()

    def cell(both: tuple[pd.DataFrame, pd.DataFrame], nodes: int, policy: str) -> str:
        return " / ".join(
            number(ratio(rows[rows["nodes"] == nodes], policy, BEST)) for rows in both
        )

    rows = [
        (policy, nodes, *(cell(both, nodes, policy) for both in parts.values()))
        for nodes, policy in product(SIZES, SWEPT)
    ]
    return table(
        ["policy", "N", *parts], [row for row in rows if {*row[2:]} != {f"{MISSING} / {MISSING}"}]
    )


def distances_by_load() -> str:
    """Cost of methods over the bound, and over the best schedule, by offered load."""
    parts = {
        offered: with_infinite(with_schedules(own[own["nodes"] <= LARGEST]))
        for offered, own in loads().items()
    }
    return grid("policy", (SCHEDULE, ALONE, *SWEPT), parts, distance)


def priced() -> str:
    """
    Cost of `priced_roll` over the best other method, and over the cheapest one of each workload.

    The best one has the least sum of costs per node, of those that completed all workloads of a
    cell. Behind it the infinite cluster over the cheapest one of each.
    """
    parts = loads()
    runs = pd.concat(parts.values())
    own = runs[runs["method"] == REFERENCES].set_index("instance")[LOAD].astype(float)
    between = own.index[own.between(BELOW, ABOVE)]
    some = {name: part for name, part in parts.items() if BELOW <= float(name) <= ABOVE}
    parts[f"{min(some)} to {max(some)}"] = pd.concat(some.values())
    parts[f"each {BELOW} to {ABOVE}"] = runs[runs["instance"].isin(between)]

    def cell(own: pd.DataFrame, nodes: int | str) -> str:
        own = own[own["instance"].isin(own.loc[own["method"] == PRICED, "instance"])]
        own = own if nodes == "all" else own[own["nodes"] == nodes]
        rows = pd.concat([with_infinite(own), swept(own, PRICED, OTHER)])
        rows = rows.drop_duplicates(["instance", "method"])
        everywhere = rows["method"].value_counts() == rows["instance"].nunique()
        others = [name for name in SWEPT if name != PRICED and everywhere.get(name, False)]
        best = max((ratio(rows, PRICED, name) for name in others), default=nan)
        over = (best, *(ratio(rows, policy, OTHER) for policy in (PRICED, ALONE)))
        return " / ".join(map(number, over))

    return grid("N", (*SIZES, "all"), parts, cell)


# pictures


def side_by_side() -> Figure:
    """Draw a panel per load: cost over the cheapest, of decisions and of workloads, all seeds."""
    styles = {name: {**style, **POINTS} for name, style in figure_style.styles(SWEPT).items()}
    made = figure_style.figure(9.0, 6.2, layout="constrained")
    axes = made.subplots(2, 3, sharex=True, sharey=True).flat
    asked = {name: both for name, both in decisions_and_workloads().items() if len(both[0])}
    for ax, (offered, both) in zip(axes, asked.items(), strict=False):
        for policy, style in styles.items():
            each = (pairs(rows, policy, BEST) for rows in both)
            x, y = (ratios["above"] / ratios["below"] for ratios in each)
            points = pd.concat({"x": x, "y": y}, axis=1, join="inner")
            ax.plot(points["x"], points["y"], **style)
        ax.set_title(f"offered load {offered}")
        logarithmic(ax.xaxis, ax.yaxis)
        ax.tick_params(labelbottom=True)
        ax.grid(linewidth=0.3)
    made.supxlabel("cost of single decisions over the cheapest", fontsize="medium")
    made.supylabel("cost of whole workloads over the cheapest", fontsize="medium")
    legend(made.axes[-1], styles, pd.concat(rows for rows, _ in asked.values()))
    return made


TABLES = {
    "use": use,
    "sweep": sweep,
    "distances_by_load": distances_by_load,
    "priced": priced,
}
PICTURES = {"online-decisions": partial(figure_style.write, side_by_side)}
