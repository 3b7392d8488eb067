"""The tables of docs/online.md that hold figures against what is stated or expected."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import online_claims as claims
from benchmarks.online_pictures import loads, utilisation
from benchmarks.online_rows import REFERENCES, Runs
from benchmarks.online_words import arrivals, number, share, told_as
from rsjs.reporting.markdown_table import code


def statements(runs: Runs, families: Sequence[str] = claims.FAMILIES) -> list[str]:
    """The table of what the STS paper states."""
    heads = " | ".join(families)
    lines = [
        "Ours over all three laws of arrivals; **bold** where it is what agrees with the paper.",
        "",
        f"| statement | paper | agrees | {heads} |",
        f"| :--- | :--- | ---: |{' ---: |' * len(families)}",
    ]
    for claim in claims.CLAIMS:
        cells = []
        for family in families:
            found = claim.figure(claims.chosen(runs, family))
            shown = told_as(found, in_percent=claim.share)
            holds = found is not None and claim.low <= found <= claim.high
            cells.append(f"**{shown}**" if holds else shown)
        low, high = (told_as(x, in_percent=claim.share) for x in (claim.low, claim.high))
        lines.append(
            f"| {claim.statement} | {claim.paper} | {low} to {high} | {' | '.join(cells)} |"
        )
    return lines


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
    own_runs = [(family, claims.chosen(runs, family)) for family in families]
    sizes = sorted({n for _, own in own_runs for n in own.sizes})
    heads = " | ".join(f"N = {n}" for n in sizes)
    lines = [f"| | {heads} |", f"| :--- |{' ---: |' * len(sizes)}"]
    for family, own in own_runs:
        for law in claims.LAWS:
            part = claims.chosen(own, family, (law,))
            cells = []
            for n in sizes:
                here = part.where(lambda case, n=n: case.nodes == n)
                over = (here.ratio(claims.STS, "objective", o) for o in (claims.EDF, claims.GREEDY))
                cells.append(", ".join(map(number, over)))
            if part.policies:
                lines.append(f"| {family} {arrivals(law)} | {' | '.join(cells)} |")
    return lines


def roll(runs: Runs) -> list[str]:
    """Whether ROLL costs no more than any other policy at utilisation 0.5 to 0.85."""
    told = []
    for gap, own in loads(runs):
        used = utilisation(own)
        if used is None or not 0.5 <= used <= 0.85 or claims.ROLL not in own.policies:
            continue
        over = {
            policy: own.ratio(claims.ROLL, "objective", policy)
            for policy in own.policies
            if policy not in (REFERENCES, claims.ROLL)
        }
        best = max((p for p in over if over[p] is not None), key=lambda p: over[p] or 0.0)
        told.append(f"{gap} s ({share(used)} in use): {number(over[best])} x {code(best)}")
    if not told:
        return ["ROLL where 50 to 85 % of the GPUs are in use: not run."]
    return [
        "ROLL should cost no more than any other policy where 50 to 85 % of the GPUs are in use."
        f" Its cost over that of the cheapest other one: {'; '.join(told)}."
    ]
