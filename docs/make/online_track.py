"""
Tables and the picture of docs/results/online-track.md.

The score of a policy is the geometric mean of cost / bound over workloads, the bound being the best
one of all runs on a workload. A policy that did not complete some workload has no score over any
group with that workload, and stands after those that completed more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from docs.make.online import BOUND, CLAIRVOYANT, GREEDY, REFERENCES, logarithmic
from docs.make.tables import number, share, simulated, table
from rsjs.instances.library.sets import Member, library_set
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables.formats import significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIGITS = 5  # of costs


@cache
def runs() -> pd.DataFrame:
    """Return the stored rows."""
    return simulated("online_track/rows.csv")


@cache
def members() -> dict[str, Member]:
    """Return the workloads of the track by sha256."""
    return {member.sha256: member for member in library_set("online").members}


def family(member: Member) -> str:
    """Return the family of a workload: sts-km, sts-a100, sts-km shared, andreas, kiros, jahani."""
    given = member.arguments
    shared = " shared" if given.get("sharing", "none") != "none" else ""
    return "-".join(filter(None, [given["generator"], given.get("mix")])) + shared


def variant(member: Member) -> str:
    """Return what tells the workloads of a family apart besides load and size."""
    given = member.arguments
    words = [given.get("catalogue"), given.get("due")]
    words += [f"scenario {given['scenario']}" if "scenario" in given else None]
    return " ".join(filter(None, words))


def ratios(rows: pd.DataFrame) -> pd.DataFrame:
    """Return cost / bound by policy and workload (sha256, in the set's order), nan without cost."""
    own = rows[rows["method"] != REFERENCES]
    bound = rows.groupby("instance_sha256")[BOUND].max().astype(float)
    costs = own.pivot(index="method", columns="instance_sha256", values="objective").astype(float)
    costs = costs.reindex(columns=[sha256 for sha256 in members() if sha256 in bound.index])
    return costs / bound[costs.columns]


def score(found: pd.DataFrame) -> pd.Series[float]:
    """Return the geometric mean of each row, nan where a workload is missing."""
    return np.exp(np.log(found).mean(axis=1, skipna=False))


def ranked(found: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of policies, those with most workloads first, then by score."""
    order = pd.DataFrame({"missing": found.isna().sum(axis=1), "score": score(found)})
    return found.loc[order.sort_values(["missing", "score"], kind="stable").index]


def parts(
    found: pd.DataFrame, of: Callable[[Member], str | float]
) -> dict[str | float, pd.DataFrame]:
    """Return the ratios on the workloads of each value of a property, in the set's order."""
    values = pd.Series([of(members()[one]) for one in found], found.columns)
    return {value: found.loc[:, values == value] for value in dict.fromkeys(values)}


def by_load(found: pd.DataFrame) -> dict[float, pd.DataFrame]:
    """Return the ratios on the workloads of each load, ascending."""
    grouped = parts(found, lambda member: member.arguments["offered_load"])
    return {float(load): grouped[load] for load in sorted(grouped)}


# tables


def scores() -> str:
    """Return a line per policy: completed, score, score by load, workloads where it is cheapest."""
    found = ranked(ratios(runs()))
    loads, best = by_load(found), found.min()
    rows = [
        [
            policy,
            int(own.notna().sum()),
            number(score(found).loc[policy]),
            *(number(score(part).loc[policy]) for part in loads.values()),
            int((own <= best * (1 + 1e-9)).sum()),
        ]
        for policy, own in found.iterrows()
    ]
    heads = ["policy", "completed", "score", *(f"load {load:g}" for load in loads), "cheapest"]
    return table(heads, rows)


def families() -> str:
    """Return the score of each policy by family."""
    found = ranked(ratios(runs()))
    grouped = parts(found, family)
    rows = [
        [policy, *(number(score(part).loc[policy]) for part in grouped.values())]
        for policy in found.index
    ]
    return table(["policy", *map(str, grouped)], rows)


def workloads() -> str:
    """Return a line per workload: bound, best known cost and policy, references over the bound."""
    found, rows = ratios(runs()), runs().set_index(["instance_sha256", "method"])
    lines = []
    for sha256 in found:
        member, reference = members()[sha256], rows.loc[sha256, REFERENCES]
        bound, policy = float(rows.loc[sha256][BOUND].max()), found[sha256].idxmin()
        lines.append(
            [
                f"{family(member)} {variant(member)}".strip(),
                f"{member.arguments['offered_load']:g}",
                f"{member.nodes} x {member.jobs}",
                significant(bound, DIGITS),
                significant(bound * found[sha256].min(), DIGITS),
                number(found[sha256].min()),
                policy,
                number(reference[CLAIRVOYANT] / bound),
                share(rows.loc[sha256, GREEDY]["utilisation"]),
            ]
        )
    heads = ["workload", "load", "nodes x jobs", "bound [$]", "best cost [$]", "over bound"]
    return table([*heads, "policy", "clairvoyant greedy", "in use"], lines)


# picture


def scores_by_load() -> Figure:
    """Draw the score of each policy over the load."""
    found = ranked(ratios(runs()))
    made = figure_style.figure(9.0, 4.2, layout="constrained")
    axes = made.subplots()
    loads = by_load(found)
    for policy, style in figure_style.styles(found.index).items():
        values = [score(part).loc[policy] for part in loads.values()]
        axes.plot([*loads], values, label=policy, linewidth=1, markersize=4, **style)
    logarithmic(axes.yaxis)
    axes.set_xticks([*loads])
    axes.set_xlabel("offered load")
    axes.set_ylabel("score: cost / bound, geometric mean")
    axes.grid(axis="y", linewidth=0.3)
    made.legend(loc="outside right upper", frameon=False)
    return made


TABLES = {"scores": scores, "families": families, "workloads": workloads}
PICTURES = {"online-track": partial(figure_style.write, scores_by_load)}
