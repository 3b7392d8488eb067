"""What the tables of docs/online.md and docs/sts-campaign.md share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.online_pictures import loads, utilisation
from benchmarks.online_rows import EDF, FAMILIES, GREEDY, LAWS, REFERENCES, ROLL, STS, Runs
from benchmarks.online_words import arrivals, number, share
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.table import code, line


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> list[str]:
    """Lines of a table whose first columns are words and whose others are figures."""
    rules = [":---"] * words + ["---:"] * (len(heads) - words)
    return [*map(line, (heads, rules)), *map(line, rows)]


def kinds(runs: Runs, families: Sequence[str] = FAMILIES) -> list[tuple[str, Runs]]:
    """The name and the runs of each family and arrival process, without any too."""
    return [
        (f"{family} {arrivals(law)}", runs.of_family(family, law))
        for family in families
        for law in LAWS
    ]


def by_size(runs: Runs, families: Sequence[str] = FAMILIES) -> list[str]:
    """Whether ratios of costs are the same for small and large clusters."""
    parts = kinds(runs, families)
    sizes = sorted({n for _, own in parts for n in own.sizes})

    def cell(own: Runs) -> str:
        over = (own.ratio(STS, "objective", o) for o in (EDF, GREEDY))
        return ", ".join(map(number, over))

    rows = ([head, *(cell(own.on(n)) for n in sizes)] for head, own in parts if own.policies)
    return table(["", *(f"N = {n}" for n in sizes)], rows)


def spread(runs: Runs, families: Sequence[str]) -> list[str]:
    """How much single workloads differ in the cost of STS over that of EDF."""

    def cell(own: Runs) -> str:
        ratios = [
            rows[STS]["objective"] / rows[EDF]["objective"]
            for rows in own.by_workload.values()
            if STS in rows and EDF in rows
        ]
        return f"{min(ratios):.3f} to {max(ratios):.3f}" if ratios else MISSING

    rows = ([family, *(cell(own) for _, own in kinds(runs, [family]))] for family in families)
    words = "Cost of STS over that of EDF, the least and the most of single workloads:"
    return [words, "", *table(["", *map(arrivals, LAWS)], rows)]


def over_the_next(runs: Runs) -> tuple[float, str] | None:
    """Cost of ROLL over that of the cheapest other policy, and which one that is."""
    others = (p for p in runs.policies if p not in (REFERENCES, ROLL))
    ratios = ((runs.ratio(ROLL, "objective", p), p) for p in others)
    return max(((ratio, p) for ratio, p in ratios if ratio is not None), default=None)


def roll_by_size(runs: Runs, families: Sequence[str]) -> list[str]:
    """Cost of ROLL over that of the cheapest other policy by number of nodes, at many arrivals."""

    def cell(own: Runs) -> str:
        best = over_the_next(own)
        return MISSING if best is None else number(best[0])

    busy = ((family, runs.plain.of_family(family, "high")) for family in families)
    rows = ([family, *(cell(own.on(n)) for n in runs.sizes)] for family, own in busy)
    words = "Cost of ROLL over that of the cheapest other policy, high:"
    return [words, "", *table(["", *(f"N = {n}" for n in runs.sizes)], rows)]


def roll(runs: Runs) -> list[str]:
    """Cost of ROLL over that of the cheapest other policy at utilisation 0.5 to 0.85."""
    told = []
    for gap, own in loads(runs):
        used, best = utilisation(own), over_the_next(own)
        if used is not None and 0.5 <= used <= 0.85 and best is not None:
            ratio, policy = best
            told.append(f"{gap} s ({share(used)} in use): {number(ratio)} x {code(policy)}")
    if not told:
        return ["ROLL where 50 to 85 % of the GPUs are in use: not run."]
    return [
        "Cost of ROLL over that of the cheapest other policy, on 10 nodes where 50 to 85 % of the"
        f" GPUs are in use: {'; '.join(told)}. Up to 100 nodes: [the campaign of the STS"
        " paper](sts-campaign.md)."
    ]
