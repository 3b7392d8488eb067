"""
Tables and a picture of docs/results/policies.md, and what pages of simulations share.

Ratios are of sums over all workloads that both policies completed, costs per node. STS is the
policy `sts:fallback`, ROLL is `roll`; `epochs=mean` plans with mean numbers of epochs. The offered
load of workloads is their mean of `instances.offered_load`, the best schedule of each the cheapest
one of all rows, clairvoyant greedy among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import nan
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from docs.make.tables import Parts, grid, number, share, simulated
from rsjs.reporting.figures import figure_style
from rsjs.simulation.expectation import Estimate, mean
from rsjs.simulation.expectation import ratio as paired_ratio

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

EDF, OF_ALL, GREEDY, ROLL = "queue:edf", "queue:edf?fit=all", "queue:greedy", "roll"
PRICED, HINDSIGHT = "priced_roll", "offline?iterations=4000"
LEAST = 0.01  # %, drawn for all that is nearer to the bound
LITERAL, STS = "sts:literal", "sts:fallback"
RG, MEAN_RG = "randomized_queue", "randomized_queue?epochs=mean"
REFERENCES = "references"  # rows of bounds and reference costs instead of a policy
POLICIES = (  # in the order of tables
    *(EDF, OF_ALL, "queue:edf_alone", "queue:pedf", GREEDY, f"{EDF}?epochs=mean", RG, MEAN_RG),
    *("dp:fastest", "dp:fastest?epochs=mean", LITERAL, STS, ROLL),
)
DRAWN = (EDF, "queue:pedf", GREEDY, RG, MEAN_RG, "dp:fastest", LITERAL, STS, ROLL)
TOLD = ("queue:pedf", GREEDY, STS, ROLL)  # simulated with W_j known, too
KNOWN = " [epochs known]"  # of the names of these
SCHEDULE = "best schedule"  # rows of the least cost known of each workload
ALONE = "infinite cluster"
BOUND, CLAIRVOYANT, INFINITE = "best_bound", "clairvoyant_greedy", "infinite_cluster"
LOAD = "offered_load"
ARRIVALS = {"exp50000": "exp", "low": "low", "high": "high"}  # name: as the paper has it
FAMILIES = ("sts-km", "sts-a100", "sts-km-p05")
MEANS = (  # columns averaged over the repetitions of a workload and policy
    *("objective", "energy", "tardiness", "late", "utilisation", "makespan_h", "longest_queue"),
    *("decisions", "decision_median_s", "policy_s", "whole_s"),
    *(BOUND, LOAD, CLAIRVOYANT, INFINITE),
)
FACTS = ("rsjs_version", "commit", "dirty", "cpu_model")


def averaged(rows: pd.DataFrame) -> pd.DataFrame:
    """
    Return a row for each workload and policy: means over repetitions, and the deviation of costs.

    Where a repetition has no cost, the mean has none. Rows that are averages stay as they are.
    """
    if "runs" in rows:
        return rows
    groups = rows.groupby(["instance", "nodes", "jobs", "method"])
    numbers = {name: pd.to_numeric(rows[name]) for name in MEANS if name in rows}
    means = rows.assign(**numbers).groupby(["instance", "nodes", "jobs", "method"])
    complete = means[[*numbers]].count().eq(means.size(), axis=0)
    made = means[[*numbers]].mean().where(complete)
    made["objective_sd"] = means["objective"].std().where(complete["objective"])
    for name in FACTS:
        made[name] = groups[name].agg(lambda values: " ".join(sorted({str(v) for v in values})))
    return made.assign(runs=means.size()).reset_index()


@cache
def runs_of(path: str) -> pd.DataFrame:
    """Return the rows of runs that completed, with what the names of the workloads say."""
    return described(averaged(simulated(path)))


def described(rows: pd.DataFrame) -> pd.DataFrame:
    """Add family, sharing and arrivals: sts-<mix>-<sharing>-<arrivals>-<speedup>-...-s<seed>."""
    words = rows["instance"].str.split("-", expand=True)
    family = "sts-" + words[1] + words[4].map({"p0.5": "-p05"}).fillna("")
    rows = rows.assign(family=family, shared=words[2] != "none", arrivals=words[3])
    return rows[rows["objective"].notna() | (rows["method"] == REFERENCES)]


def with_schedules(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with a row for each workload that has the least cost of all its rows."""
    costs = runs[["objective", CLAIRVOYANT]].astype(float).min(axis=1)
    best = runs.loc[costs.groupby(runs["instance"]).idxmin()]
    return pd.concat([runs, best.assign(method=SCHEDULE, objective=costs[best.index])])


def with_infinite(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with a row for each workload that has its cost on the infinite cluster."""
    own = runs[runs["method"] == REFERENCES]
    return pd.concat([runs, own.assign(method=ALONE, objective=own[INFINITE])])


def online() -> pd.DataFrame:
    """Return the rows of `rsjs run online-claims`."""
    return runs_of("online/rows.csv")


def plain(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on workloads that share no GPUs."""
    return runs[~runs["shared"]]


def kinds(runs: pd.DataFrame, families: tuple[str, ...]) -> Parts:
    """Return the runs of each family and arrival process."""
    return {
        f"{family} {name}": runs[(runs["family"] == family) & (runs["arrivals"] == arrivals)]
        for family in families
        for arrivals, name in ARRIVALS.items()
    }


def by_nodes(runs: pd.DataFrame) -> Parts:
    """Return the runs of each number of nodes."""
    return {f"N = {nodes}": own for nodes, own in runs.groupby("nodes")}


def pairs(
    runs: pd.DataFrame, policy: str, other: str, column: str = "objective", below: str = ""
) -> pd.DataFrame:
    """Return a column per node of a policy, and of another one, for each workload of both."""
    own = runs[runs["method"] == policy].set_index("instance")
    others = runs[runs["method"] == other].set_index("instance")
    per_node = {
        "above": own[column].astype(float) / own["nodes"],
        "below": others[below or column].astype(float) / others["nodes"],
    }
    return pd.DataFrame(per_node).dropna()


def ratio(
    runs: pd.DataFrame, policy: str, other: str, column: str = "objective", below: str = ""
) -> float:
    """Return the sum of a column per node over that of another policy; nan without workloads."""
    sums = pairs(runs, policy, other, column, below).sum()
    return float(sums["above"] / sums["below"]) if sums["below"] else nan


def late(runs: pd.DataFrame, policy: str) -> float:
    """Return the share of the jobs that are late."""
    own = runs[runs["method"] == policy]
    return float(own["late"].sum() / own["jobs"].sum()) if len(own) else nan


def in_use(runs: pd.DataFrame) -> float:
    """Return the mean share of GPUs in use under greedy."""
    return float(runs.loc[runs["method"] == GREEDY, "utilisation"].mean())


def load(runs: pd.DataFrame) -> str:
    """Return the mean offered load."""
    return f"{runs.loc[runs['method'] == REFERENCES, LOAD].astype(float).mean():.2f}"


def distance(runs: pd.DataFrame, policy: str) -> str:
    """Return the cost of a policy over the bound, and over the best schedule."""
    over = ratio(runs, policy, REFERENCES, below=BOUND), ratio(runs, policy, SCHEDULE)
    return " / ".join(map(number, over))


def shown(runs: pd.DataFrame) -> list[str]:
    """Return the policies of some runs in the order of tables."""
    return [policy for policy in POLICIES if (runs["method"] == policy).any()]


# tables


def policies(runs: Callable[[], pd.DataFrame], families: tuple[str, ...]) -> str:
    """Cost and energy relative to EDF, and jobs that are late."""

    def cell(own: pd.DataFrame, policy: str) -> str:
        cost, energy = (
            number(ratio(own, policy, EDF, column)) for column in ("objective", "energy")
        )
        return f"{cost} / {energy} / {share(late(own, policy))}"

    own = plain(runs())
    return grid("policy", shown(own), kinds(own, families), cell)


def references(runs: Callable[[], pd.DataFrame], families: tuple[str, ...]) -> str:
    """Offered load, GPUs in use, and reference costs over the bound."""
    columns = {"clairvoyant greedy": CLAIRVOYANT, ALONE: INFINITE}

    def cell(own: pd.DataFrame, name: str) -> str:
        if name == "offered load":
            return load(own)
        if name == "in use":
            return share(in_use(own))
        if name == SCHEDULE:
            return number(ratio(own, SCHEDULE, REFERENCES, below=BOUND))
        return number(ratio(own, REFERENCES, REFERENCES, columns[name], BOUND))

    names = ["offered load", "in use", SCHEDULE, *columns]
    return grid("reference", names, kinds(with_schedules(plain(runs())), families), cell)


def distances(runs: Callable[[], pd.DataFrame], families: tuple[str, ...]) -> str:
    """Cost of each policy over the bound, and over the best schedule."""
    own = plain(runs())
    return grid("policy", shown(own), kinds(with_schedules(own), families), distance)


def sizes(runs: Callable[[], pd.DataFrame], families: tuple[str, ...]) -> str:
    """Cost of STS over that of EDF, and of greedy, by number of nodes."""
    parts = kinds(runs(), families)

    def cell(own: pd.DataFrame, kind: str) -> str:
        own = own[own["instance"].isin(parts[kind]["instance"])]
        return ", ".join(number(ratio(own, STS, other)) for other in (EDF, GREEDY))

    return grid("arrivals", parts, by_nodes(pd.concat(parts.values())), cell)


def draws() -> str:
    """Return mean bounds over draws of W_j, and costs over them without and with W_j known."""
    rows = simulated("online/draws.csv")
    told = rows["method"].str.endswith(KNOWN)
    method = rows["method"].str.removesuffix(KNOWN).str.partition("?")[0]
    rows = rows.assign(method=method, told=told)
    gaps = rows["instance"].str.extract(r"-exp(\d+)-")[0].astype(float)
    parts = {load(own): own for _, own in rows.groupby(-gaps)}

    def costs(own: pd.DataFrame, policy: str, *, told: bool = False) -> list[float]:
        runs = own[(own["method"] == policy) & (own["told"] == told)].sort_values("instance")
        return [*runs["bound" if policy == REFERENCES else "objective"]]

    def cell(own: pd.DataFrame, name: str) -> str:
        if name == "bound [$]":
            return uncertain(mean(costs(own, REFERENCES)), 0)
        hidden, known = (costs(own, name, told=told) for told in (False, True))
        bounds = costs(own, REFERENCES)
        pairs = ((hidden, bounds), (known, bounds), (hidden, known))
        return ", ".join(uncertain(paired_ratio(*pair)) for pair in pairs)

    return grid("policy", ("bound [$]", *TOLD), parts, cell)


def uncertain(estimate: Estimate, digits: int = 3) -> str:
    """Return an estimate with half its 95 % interval."""
    return f"{estimate.value:.{digits}f} ± {estimate.half:.{digits}f}"


# pictures


def over_bound() -> Figure:
    """Draw a panel per family: cost of policies and of schedules above the bound by load."""
    runs = plain(online())
    made = figure_style.figure(9.0, 4.0, layout="constrained")
    axes = made.subplots(1, len(FAMILIES), sharey=True)
    styles = {
        policy: {**style, "linewidth": 1.0, "markersize": 4}
        for policy, style in figure_style.styles((*DRAWN, PRICED)).items()
    }
    styles[HINDSIGHT] = {"color": "0.4", "linestyle": ":", "linewidth": 1.5}
    for ax, family in zip(axes, FAMILIES, strict=True):
        own = runs[runs["family"] == family]
        parts = sorted((float(load(part)), part) for _, part in own.groupby("arrivals"))
        for policy, style in styles.items():
            above = {
                x: max(LEAST, 100 * (ratio(part, policy, REFERENCES, below=BOUND) - 1))
                for x, part in parts
                if policy in {*part["method"]}
            }
            ax.plot([*above], [*above.values()], **style)
        ax.set_title(family)
        ax.set_xlabel("offered load")
        logarithmic(ax.yaxis)
        ax.grid(axis="y", linewidth=0.3)
    axes[0].set_ylabel("cost above the bound [%]")
    legend(made, styles, runs)
    return made


def logarithmic(*axes: Axis) -> None:
    """Make axes logarithmic, with plain numbers 0.5, 1, 2, 5, 10."""
    for axis in axes:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0), numticks=20))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def legend(
    where: Figure | Axes, styles: Mapping[str, Mapping[str, Any]], runs: pd.DataFrame
) -> None:
    """Name what is drawn: below the panels of a figure, or in place of a panel."""
    drawn = {*runs["method"], ALONE}
    handles = [
        Line2D([], [], label=name, **style) for name, style in styles.items() if name in drawn
    ]
    if isinstance(where, Axes):
        where.axis("off")
        where.legend(handles=handles, loc="center", frameon=False)
    else:
        where.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False)


TABLES = {
    "policies": partial(policies, online, FAMILIES),
    "references": partial(references, online, FAMILIES),
    "distances": partial(distances, online, FAMILIES),
    "draws": draws,
    "sizes": partial(sizes, online, FAMILIES),
}
PICTURES = {"online-policies": partial(figure_style.write, over_bound)}
