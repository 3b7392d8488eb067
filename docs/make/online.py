"""
Tables and pictures of policies.md and sts-campaign.md in docs/results, from rows of simulations.

Ratios are of sums over all workloads that both policies completed, costs per node. STS is the
policy `sts:fallback`, ROLL is `roll`; `epochs=mean` plans with mean numbers of epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import nan
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from docs.make.tables import Parts, grid, number, share, stored, table
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import MISSING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EDF, OF_ALL, GREEDY, ROLL = "queue:edf", "queue:edf?fit=all", "queue:greedy", "roll"
LITERAL, STS = "sts:literal", "sts:fallback"
RG, MEAN_RG = "randomized_queue", "randomized_queue?epochs=mean"
REFERENCES = "references"  # rows of bounds and reference costs instead of a policy
POLICIES = (  # in the order of tables
    *(EDF, OF_ALL, "queue:edf_alone", "queue:pedf", GREEDY, f"{EDF}?epochs=mean", RG, MEAN_RG),
    *("dp:fastest", "dp:fastest?epochs=mean", LITERAL, STS, ROLL),
)
DRAWN = (EDF, "queue:pedf", GREEDY, RG, MEAN_RG, "dp:fastest", LITERAL, STS, ROLL)
BOUND, INFINITE = "best_bound", "infinite_cluster"
ARRIVALS = {"exp50000": "exp", "low": "low", "high": "high"}  # name: as the paper has it
FAMILIES, OF_PAPER = ("sts-km", "sts-a100", "sts-km-p05"), ("sts-km", "sts-a100")
CROWDED = 0.7  # share of the GPUs in use above which a lower bound says little
MEANS = (  # columns averaged over the repetitions of a workload and policy
    *("objective", "energy", "tardiness", "late", "utilisation", "makespan_h", "longest_queue"),
    *("decisions", "decision_median_s", "policy_s", "whole_s"),
    *(BOUND, "clairvoyant_greedy", INFINITE),
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
    return described(averaged(stored(path)))


def described(rows: pd.DataFrame) -> pd.DataFrame:
    """Add family, sharing and arrivals: sts-<mix>-<sharing>-<arrivals>-<speedup>-...-s<seed>."""
    words = rows["instance"].str.split("-", expand=True)
    family = "sts-" + words[1] + words[4].map({"p0.5": "-p05"}).fillna("")
    rows = rows.assign(family=family, shared=words[2] != "none", arrivals=words[3])
    return rows[rows["objective"].notna() | (rows["method"] == REFERENCES)]


def online() -> pd.DataFrame:
    """Return the rows of `rsjs run online-claims`."""
    return runs_of("online/rows.csv")


def campaign() -> pd.DataFrame:
    """Return the rows of `rsjs run sts-online`."""
    return runs_of("sts_online/rows.csv")


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


def shown(runs: pd.DataFrame) -> list[str]:
    """Return the policies of some runs in the order of tables."""
    return [policy for policy in POLICIES if (runs["method"] == policy).any()]


def loads() -> Parts:
    """Return the runs of sts-km on 10 nodes by the mean gap of exponential arrivals [s * nodes]."""
    runs = plain(online())
    runs = runs[(runs["family"] == "sts-km") & (runs["nodes"] == 10)]
    gaps = runs["arrivals"].str.extract(r"^exp(\d+)$")[0].astype(float)
    return {f"{gap:.0f}": runs[gaps == gap] for gap in sorted(gaps.dropna().unique(), reverse=True)}


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
    """Bounds and reference costs relative to EDF's cost, and GPUs in use."""
    columns = {
        "capacity-free bound": BOUND,
        "clairvoyant greedy": "clairvoyant_greedy",
        "infinite cluster": INFINITE,
    }

    def cell(own: pd.DataFrame, name: str) -> str:
        if name == "in use":
            return share(in_use(own))
        text = number(ratio(own, REFERENCES, EDF, columns[name], "objective"))
        return f"({text})" if name == "capacity-free bound" and in_use(own) > CROWDED else text

    return grid("reference", [*columns, "in use"], kinds(plain(runs()), families), cell)


def sweep() -> str:
    """Cost over that of greedy, from light load to overload."""
    parts = {f"{gap} s, {share(in_use(own))}": own for gap, own in loads().items()}
    names = shown(pd.concat(parts.values()))
    return grid("policy", names, parts, lambda own, name: number(ratio(own, name, GREEDY)))


def sizes(runs: Callable[[], pd.DataFrame], families: tuple[str, ...]) -> str:
    """Cost of STS over that of EDF, and of greedy, by number of nodes."""
    parts = kinds(runs(), families)

    def cell(own: pd.DataFrame, kind: str) -> str:
        own = own[own["instance"].isin(parts[kind]["instance"])]
        return ", ".join(number(ratio(own, STS, other)) for other in (EDF, GREEDY))

    return grid("arrivals", parts, by_nodes(pd.concat(parts.values())), cell)


def over_the_next(runs: pd.DataFrame) -> tuple[float, str]:
    """Return the cost of ROLL over that of the cheapest other policy, and which one that is."""
    others = [policy for policy in shown(runs) if policy != ROLL]
    ratios = ((ratio(runs, ROLL, policy), policy) for policy in others)
    return max(ratios, default=(nan, ""))


def roll() -> str:
    """Cost of ROLL over that of the cheapest other policy where half to most GPUs are in use."""
    parts = {gap: own for gap, own in loads().items() if 0.5 <= in_use(own) <= 0.85}
    rows = [(share(in_use(own)), gap, *over_the_next(own)) for gap, own in parts.items()]
    heads = ("GPUs in use", "mean gap [s]", "cost of ROLL", "over that of")
    return table(heads, [(used, gap, number(cost), other) for used, gap, cost, other in rows])


def roll_by_size() -> str:
    """Cost of ROLL over that of the cheapest other policy by number of nodes, at many arrivals."""
    runs = plain(campaign())
    busy = runs[runs["arrivals"] == "high"]

    def cell(own: pd.DataFrame, family: str) -> str:
        return number(over_the_next(own[own["family"] == family])[0])

    return grid("family", OF_PAPER, by_nodes(busy), cell)


def _range(own: pd.DataFrame, edf: str) -> str:
    """Least and most cost of STS over that of EDF by a fit rule on single workloads."""
    both = pairs(own, STS, edf)
    ratios = both["above"] / both["below"]
    return f"{ratios.min():.3f} to {ratios.max():.3f}" if len(ratios) else MISSING


def spread() -> str:
    """Least and most cost of STS over that of EDF on single workloads."""
    parts = kinds(campaign(), OF_PAPER)
    rows = (
        [f, *(_range(parts[f"{f} {name}"], EDF) for name in ARRIVALS.values())] for f in OF_PAPER
    )
    return table(["family", *ARRIVALS.values()], rows)


def fit_rules() -> str:
    """Cost of STS over that of EDF by both fit rules."""

    def cell(own: pd.DataFrame, edf: str) -> str:
        return f"{number(ratio(own, STS, edf))} ({_range(own, edf)})"

    return grid("policy", (EDF, OF_ALL), kinds(campaign(), OF_PAPER), cell)


def sharing() -> str:
    """Energy over that without sharing, and jobs that are late where GPUs are shared."""

    def cell(own: pd.DataFrame, policy: str) -> str:
        own = own[own["method"] == policy]
        energy = (own["energy"] / own["nodes"]).groupby(
            [own["instance"].str.replace("-paper-", "-none-"), own["shared"]]
        )
        both = energy.sum().unstack().dropna().sum()
        shared = both[True] / both[False] if {True, False} <= {*both.index} else None
        return f"{number(shared)} / {share(late(own[own['shared']], policy))}"

    return grid("policy", (LITERAL, STS), kinds(campaign(), OF_PAPER), cell)


def repetitions() -> str:
    """Standard deviation of the cost of repetitions over their mean: mean and most."""

    def cell(own: pd.DataFrame, policy: str) -> str:
        own = plain(own[own["method"] == policy])
        found = (own["objective_sd"] / own["objective"]).astype(float).dropna()
        return f"{share(found.mean())}, {share(found.max())}" if len(found) else MISSING

    return grid("policy", (RG, MEAN_RG), kinds(campaign(), OF_PAPER), cell)


def work() -> str:
    """Number of simulations and decisions of the campaign, and hours of one core."""
    runs = campaign()
    own = runs[runs["method"] != REFERENCES]
    decisions = (own["runs"] * own["decisions"]).sum() / 1e6
    hours = (runs["runs"] * runs["whole_s"]).sum() / 3600
    heads = ("simulations", "decisions", "hours of one core")
    return table(heads, [(own["runs"].sum(), f"{decisions:.1f} million", f"{hours:.1f}")])


def seconds() -> str:
    """Decisions and seconds on the largest workloads, and all hours."""
    runs, rows = campaign(), []
    for policy in [*shown(runs), REFERENCES]:
        own = runs[runs["method"] == policy]
        largest = plain(own[own["nodes"] == runs["nodes"].max()])
        cells = [MISSING] * 3
        if policy != REFERENCES:
            decisions, ms = largest["decisions"].mean(), 1000 * largest["decision_median_s"].mean()
            cells = [f"{decisions:.0f}", f"{ms:.2f}", f"{largest['policy_s'].mean():.2f}"]
        hours = (own["runs"] * own["whole_s"]).sum() / 3600
        rows.append((policy, own["runs"].sum(), *cells, f"{hours:.2f}"))
    return table(("policy", "runs", "decisions", "ms", "s", "hours"), rows)


# pictures


def over_bound() -> Figure:
    """Draw a panel per family: cost above the capacity-free bound, unless most GPUs are in use."""
    runs = online()
    made = figure_style.figure(9.0, 3.6, layout="constrained")
    axes = made.subplots(1, len(FAMILIES), sharey=True)
    styles = figure_style.styles(DRAWN)
    for ax, family in zip(axes, FAMILIES, strict=True):
        parts = kinds(runs, (family,)).values()
        for i, policy in enumerate(DRAWN):
            above = {
                x + 0.08 * (i - len(DRAWN) // 2): 100 * (cost - 1)
                for x, own in enumerate(parts)
                if (cost := ratio(own, policy, REFERENCES, below=BOUND)) and in_use(own) <= CROWDED
            }
            ax.plot([*above], [*above.values()], **{**styles[policy], "linestyle": "none"})
        ax.set_title(family)
        ax.set_xticks(range(len(ARRIVALS)), [*ARRIVALS.values()])
        _logarithmic(ax)
        ax.grid(axis="y", linewidth=0.3)
    axes[0].set_ylabel("cost above the capacity-free bound [%]")
    _legend(made, {name: {**style, "linestyle": "none"} for name, style in styles.items()}, runs)
    return made


def over_load() -> Figure:
    """Draw cost over greedy's, and late jobs, against the GPUs in use."""
    parts = [(100 * in_use(own), own) for own in loads().values()]
    made = figure_style.figure(9.0, 3.8, layout="constrained")
    axes = made.subplots(1, 2)
    styles = figure_style.styles(DRAWN)
    for policy in DRAWN:
        found = [(x, ratio(own, policy, GREEDY), 100 * late(own, policy)) for x, own in parts]
        x, cost, jobs = zip(*found, strict=True)
        for ax, y in zip(axes, (cost, jobs), strict=True):
            ax.plot(x, y, **_line(styles[policy]))
    _logarithmic(axes[0])
    for ax, label in zip(
        axes, ("cost over that of greedy", "jobs more than 60 s late [%]"), strict=True
    ):
        ax.set(xlabel="GPUs in use under greedy [%]", ylabel=label)
        ax.grid(linewidth=0.3)
    _legend(made, styles, pd.concat(own for _, own in parts))
    return made


def by_size() -> Figure:
    """Draw a panel per family and arrivals: cost above the capacity-free bound by nodes."""
    runs = plain(campaign())
    made = figure_style.figure(9.0, 6.0, layout="constrained")
    axes = made.subplots(len(OF_PAPER), len(ARRIVALS), sharex=True, sharey=True)
    styles = {policy: _line(style) for policy, style in figure_style.styles(DRAWN).items()}
    styles["infinite cluster"] = {"color": "0.4", "linestyle": ":", "linewidth": 1.5}
    for ax, (kind, own) in zip(axes.flat, kinds(runs, OF_PAPER).items(), strict=True):
        for policy, style in styles.items():
            name, column = (REFERENCES, INFINITE) if policy not in DRAWN else (policy, "objective")
            of_size = {
                n: ratio(part, name, REFERENCES, column, BOUND) for n, part in own.groupby("nodes")
            }
            ax.plot([*of_size], [100 * (cost - 1) for cost in of_size.values()], **style)
        ax.set_title(", ".join(kind.rsplit(" ", 1)))
        _logarithmic(ax)
        ax.grid(axis="y", linewidth=0.3)
    for ax in axes[:, 0]:
        ax.set_ylabel("cost above capacity-free bound [%]")
    for ax in axes[-1]:
        ax.set_xlabel("nodes")
    _legend(made, styles, runs)
    return made


def _line(style: Mapping[str, Any]) -> dict[str, Any]:
    return {**style, "linewidth": 1.0, "markersize": 4}


def _logarithmic(ax: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers 0.5, 1, 2, 5, 10."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _legend(made: Figure, styles: Mapping[str, Mapping[str, Any]], runs: pd.DataFrame) -> None:
    """Name what is drawn below the panels."""
    drawn = {*runs["method"], "infinite cluster"}
    handles = [
        Line2D([], [], label=name, **style) for name, style in styles.items() if name in drawn
    ]
    made.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False)


TABLES = {
    "policies": partial(policies, online, FAMILIES),
    "references": partial(references, online, FAMILIES),
    "sweep": sweep,
    "sizes": partial(sizes, online, FAMILIES),
    "roll": roll,
}
PICTURES = {
    "online-policies": partial(figure_style.write, over_bound),
    "online-loads": partial(figure_style.write, over_load),
}
CAMPAIGN_TABLES = {
    "work": work,
    "policies": partial(policies, campaign, OF_PAPER),
    "references": partial(references, campaign, OF_PAPER),
    "sizes": partial(sizes, campaign, OF_PAPER),
    "spread": spread,
    "fit_rules": fit_rules,
    "roll": roll_by_size,
    "sharing": sharing,
    "repetitions": repetitions,
    "seconds": seconds,
}
CAMPAIGN_PICTURES = {"sts-campaign": partial(figure_style.write, by_size)}
