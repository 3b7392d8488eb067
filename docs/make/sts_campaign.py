"""Tables and pictures of docs/results/sts-campaign.md, from rows of `rsjs run sts-online`."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import TYPE_CHECKING

import pandas as pd

from docs.make.online import (
    ALONE,
    ARRIVALS,
    BOUND,
    DRAWN,
    EDF,
    INFINITE,
    LITERAL,
    MEAN_RG,
    OF_ALL,
    REFERENCES,
    RG,
    ROLL,
    STS,
    by_nodes,
    distances,
    kinds,
    late,
    legend,
    logarithmic,
    pairs,
    plain,
    policies,
    ratio,
    references,
    runs_of,
    shown,
    sizes,
)
from docs.make.tables import grid, number, share, table
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import MISSING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OF_PAPER = ("sts-km", "sts-a100")


def campaign() -> pd.DataFrame:
    """Return the rows of `rsjs run sts-online`."""
    return runs_of("sts_online/rows.csv")


def over_the_next(runs: pd.DataFrame) -> tuple[float, str]:
    """Return the cost of ROLL over that of the cheapest other policy, and which one that is."""
    others = [policy for policy in shown(runs) if policy != ROLL]
    ratios = ((ratio(runs, ROLL, policy), policy) for policy in others)
    return max(ratios, default=(nan, ""))


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


def by_size() -> Figure:
    """Draw a panel per family and arrivals: cost above the bound by nodes."""
    runs = plain(campaign())
    made = figure_style.figure(9.0, 6.0, layout="constrained")
    axes = made.subplots(len(OF_PAPER), len(ARRIVALS), sharex=True, sharey=True)
    styles = {
        policy: {**style, "linewidth": 1.0, "markersize": 4}
        for policy, style in figure_style.styles(DRAWN).items()
    }
    styles[ALONE] = {"color": "0.4", "linestyle": ":", "linewidth": 1.5}
    for ax, (kind, own) in zip(axes.flat, kinds(runs, OF_PAPER).items(), strict=True):
        for policy, style in styles.items():
            name, column = (REFERENCES, INFINITE) if policy not in DRAWN else (policy, "objective")
            of_size = {
                n: ratio(part, name, REFERENCES, column, BOUND) for n, part in own.groupby("nodes")
            }
            ax.plot([*of_size], [100 * (cost - 1) for cost in of_size.values()], **style)
        ax.set_title(", ".join(kind.rsplit(" ", 1)))
        logarithmic(ax.yaxis)
        ax.grid(axis="y", linewidth=0.3)
    for ax in axes[:, 0]:
        ax.set_ylabel("cost above the bound [%]")
    for ax in axes[-1]:
        ax.set_xlabel("nodes")
    legend(made, styles, runs)
    return made


TABLES = {
    "work": work,
    "policies": partial(policies, campaign, OF_PAPER),
    "references": partial(references, campaign, OF_PAPER),
    "distances": partial(distances, campaign, OF_PAPER),
    "sizes": partial(sizes, campaign, OF_PAPER),
    "fit_rules": fit_rules,
    "roll": roll_by_size,
    "sharing": sharing,
    "repetitions": repetitions,
    "seconds": seconds,
}

PICTURES = {"sts-campaign": partial(figure_style.write, by_size)}
