"""The tables of docs/online.md that hold figures against what is stated or expected."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import online_claims as claims
from benchmarks.online_pictures import loads, utilisation
from benchmarks.online_rows import REFERENCES, Runs
from benchmarks.online_tables import kinds, table
from benchmarks.online_words import arrivals, number, share, told_as
from rsjs.reporting.formats import MISSING
from rsjs.reporting.markdown_table import code

STATED = """\
EDF is `queue:edf`, RG `randomized_queue`, DP `dp:fastest`; avg: the same with mean numbers of
epochs in place of the most; STS is `sts:fallback` unless called literal. PCR is one minus cost, or
energy, of STS over that of the other one, (30) of the paper; late is more than 60 s late. Jobs on
shared GPUs have due dates that are up to 20 % later, as in the paper: part of what sharing saves is
theirs. **Bold** where a figure is in the range that counts as agreement, {agree} of {all}. All
claims: [the papers' claims](claims.md).
"""


def statements(runs: Runs, families: Sequence[str] = claims.FAMILIES) -> list[str]:
    """The table of what the STS paper states, by family and law of arrivals."""
    parts = [(head, own) for head, own in kinds(runs, families) if own.policies]
    rows = []
    agree = known = 0
    for claim in claims.CLAIMS:
        low, high = (told_as(x, in_percent=claim.share) for x in (claim.low, claim.high))
        figures = [claim.figure(own) for _, own in parts]
        if all(figure is None for figure in figures):
            continue
        cells = []
        for found in figures:
            shown = told_as(found, in_percent=claim.share)
            holds = found is not None and claim.low <= found <= claim.high
            cells.append(f"**{shown}**" if holds else shown)
            agree, known = agree + holds, known + (found is not None)
        rows.append([claim.statement, claim.paper, f"{low} to {high}", *cells])
    heads = ["statement", "paper", "agrees", *(head for head, _ in parts)]
    return [STATED.format(agree=agree, all=known), *table(heads, rows, words=2)]


def expectations(runs: Runs) -> list[str]:
    """The table of what was expected."""
    lines = ["| what | on | expected | here | |", "| :--- | :--- | ---: | ---: | :--- |"]
    for target in claims.TARGETS:
        found = target.figure(claims.chosen(runs, target.family, target.laws))
        laws = ", ".join(map(arrivals, target.laws))
        reached = found is not None and target.low <= found <= target.high
        told = "not run" if found is None else "reached" if reached else "not reached"
        low, high, here = (
            told_as(x, in_percent=target.share) for x in (target.low, target.high, found)
        )
        on = f"{target.family}, {laws}"
        lines.append(f"| {target.what} | {on} | {low} to {high} | {here} | {told} |")
    return lines


def by_size(runs: Runs, families: Sequence[str] = claims.FAMILIES) -> list[str]:
    """Whether ratios of costs are the same for small and large clusters."""
    parts = kinds(runs, families)
    sizes = sorted({n for _, own in parts for n in own.sizes})

    def cell(own: Runs) -> str:
        over = (own.ratio(claims.STS, "objective", o) for o in (claims.EDF, claims.GREEDY))
        return ", ".join(map(number, over))

    rows = ([head, *(cell(own.on(n)) for n in sizes)] for head, own in parts if own.policies)
    return table(["", *(f"N = {n}" for n in sizes)], rows)


def spread(runs: Runs, families: Sequence[str]) -> list[str]:
    """How much single workloads differ in the cost of STS over that of EDF."""

    def cell(own: Runs) -> str:
        ratios = [
            rows[claims.STS]["objective"] / rows[claims.EDF]["objective"]
            for rows in own.by_workload.values()
            if claims.STS in rows and claims.EDF in rows
        ]
        return f"{min(ratios):.3f} to {max(ratios):.3f}" if ratios else MISSING

    rows = ([family, *(cell(own) for _, own in kinds(runs, [family]))] for family in families)
    words = "Cost of STS over that of EDF, the least and the most of single workloads:"
    return [words, "", *table(["", *map(arrivals, claims.LAWS)], rows)]


def over_the_next(runs: Runs) -> tuple[float, str] | None:
    """Cost of ROLL over that of the cheapest other policy, and which one that is."""
    others = (p for p in runs.policies if p not in (REFERENCES, claims.ROLL))
    ratios = ((runs.ratio(claims.ROLL, "objective", p), p) for p in others)
    return max(((ratio, p) for ratio, p in ratios if ratio is not None), default=None)


def roll_by_size(runs: Runs, families: Sequence[str]) -> list[str]:
    """The same by number of nodes, at many arrivals."""

    def cell(own: Runs) -> str:
        best = over_the_next(own)
        return MISSING if best is None else number(best[0])

    busy = ((family, claims.chosen(runs.plain, family, claims.HIGH)) for family in families)
    rows = ([family, *(cell(own.on(n)) for n in runs.sizes)] for family, own in busy)
    words = "Cost of ROLL over that of the cheapest other policy, high:"
    return [words, "", *table(["", *(f"N = {n}" for n in runs.sizes)], rows)]


def roll(runs: Runs) -> list[str]:
    """Whether ROLL costs no more than any other policy at utilisation 0.5 to 0.85."""
    told = []
    for gap, own in loads(runs):
        used, best = utilisation(own), over_the_next(own)
        if used is not None and 0.5 <= used <= 0.85 and best is not None:
            ratio, policy = best
            told.append(f"{gap} s ({share(used)} in use): {number(ratio)} x {code(policy)}")
    if not told:
        return ["ROLL where 50 to 85 % of the GPUs are in use: not run."]
    return [
        "ROLL should cost no more than any other policy where 50 to 85 % of the GPUs are in use."
        f" Its cost over that of the cheapest other one, on 10 nodes: {'; '.join(told)}. Up to 100"
        " nodes: [the campaign of the STS paper](sts-campaign.md)."
    ]
