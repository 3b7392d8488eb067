"""The page docs/online.md from rows of simulations."""

from __future__ import annotations

from pathlib import Path

from benchmarks.online_pictures import loads, utilisation
from benchmarks.online_rows import EDF, FAMILIES, GREEDY, LAWS, MEAN_DP, POLICIES, REFERENCES, Runs
from benchmarks.online_tables import by_size, kinds, roll, table
from benchmarks.online_words import number, share
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.table import code
from rsjs.simulation.metrics import CROWDED

INTRODUCTION = """\
# Policies over whole workloads

Made by `python -m benchmarks.online` from `results/online/rows.csv`, which `python -m
benchmarks.online STORE` takes from a store of `rsjs run online-claims`. The families are those of
`rsjs workload sts`: `sts-km` (K80 and M60), `sts-a100`, and `sts-km-p05`, where *k* GPUs are
*k*^0.5 times as fast as one; ten jobs for each node, three seeds, arrivals exponential with a mean
gap of 50 000 / N s (exp), or as many as keep 10 % (low) or 40 % (high) of the GPUs busy
by the paper's formula, more with the configurations that policies choose. {sizes}
Ratios are of sums over all workloads that both policies completed, costs per node. Up to 100 nodes
and 1000 jobs, with shared GPUs: [the campaign of the STS paper](sts-campaign.md); what it says of
the paper: [the papers' claims](claims.md#filippini-et-al-2024-sts).
"""

FIT_RULES = """\
The paper does not print which node a job of EDF takes: `queue:edf` takes the open node with the
fewest idle GPUs that suffice, or else the smallest closed one; `queue:edf?fit=all` the fewest of
all nodes, a closed one with all its GPUs idle."""


def write(runs: Runs, path: Path) -> None:
    """Write the page."""
    write_bytes(page(runs).encode(), path)


def page(runs: Runs) -> str:
    """Return the text of the page; runs as kept in results/online."""
    lines = [INTRODUCTION.format(sizes=_sizes(runs))]
    lines += ["## Policies, families and loads", "", *policies(runs)]
    lines += ["", "![Cost above the capacity-free bound](images/online-policies.png)"]
    lines += ["", "## From light load to overload", "", *_sweep(runs)]
    lines += ["", "![Cost by utilisation](images/online-loads.png)"]
    lines += ["", "## By number of nodes", "", "Cost of STS over that of EDF, and of greedy:", ""]
    lines += [*by_size(runs), "", *roll(runs)]
    return "\n".join(lines) + "\n"


def _sizes(runs: Runs) -> str:
    told = []
    for family in FAMILIES:
        sizes = ", ".join(map(str, runs.of_family(family, *LAWS).sizes))
        told.append(f"`{family}` N = {sizes}" if sizes else f"`{family}` not run")
    return f"Runs: {'; '.join(told)}."


def policies(runs: Runs) -> list[str]:
    """The table of all policies, by family and law of arrivals."""
    parts = [(head, own.plain) for head, own in kinds(runs)]
    parts = [(head, own) for head, own in parts if own.policies]
    names = [p for p in runs.plain.policies if p != REFERENCES]
    rows = [
        [code(policy), *(_cell(own, policy) for _, own in parts)]
        for policy in sorted(names, key=place)
    ]
    for what, column in (
        ("capacity-free bound", "best_bound"),
        ("clairvoyant greedy", "clairvoyant_greedy"),
        ("infinite cluster", "infinite_cluster"),
    ):
        cells = []
        for _, own in parts:
            shown = number(own.ratio(REFERENCES, column, EDF, "objective"))
            crowded = (utilisation(own) or 0.0) > CROWDED
            cells.append(f"({shown})" if crowded and column == "best_bound" else shown)
        rows.append([f"*{what}*", *cells])
    rows.append(["*in use*", *(share(utilisation(own)) for _, own in parts)])
    words = [_words(parts), "", FIT_RULES]
    return [*words, "", *table(["policy", *(head for head, _ in parts)], rows)]


def _words(parts: list[tuple[str, Runs]]) -> str:
    """What is in the table of all policies."""
    told = (
        "Each cell shows cost and energy relative to EDF and the share of jobs more than 60 s late."
        " Below them are the bound and references relative to EDF's cost, and GPUs in use under"
        " greedy"
    )
    if any((utilisation(own) or 0.0) > CROWDED for _, own in parts):
        told += f"; a bound in parentheses says little, more than {CROWDED:.0%} are in use"
    if any(MEAN_DP in own.policies for _, own in parts):
        told += ". `dp:fastest` looks for what is fastest: mean numbers of epochs change nothing"
    return f"{told}."


def _sweep(runs: Runs) -> list[str]:
    steps = loads(runs)
    heads = [f"{gap} s, {share(utilisation(own))}" for gap, own in steps]
    words = (
        "`sts-km`, N = 10, exponential arrivals with a mean gap of so many seconds over N; GPUs in"
        f" use under greedy. Cost over greedy's: above {CROWDED:.0%} in use bounds say little."
    )
    names = {p: None for _, own in steps for p in own.policies if p != REFERENCES}
    rows = (
        [code(p), *(number(own.ratio(p, "objective", GREEDY)) for _, own in steps)]
        for p in sorted(names, key=place)
    )
    return [words, "", *table(["policy", *heads], rows)]


def place(policy: str) -> tuple[int, str]:
    """Where a policy stands in a table."""
    return (POLICIES.index(policy) if policy in POLICIES else len(POLICIES)), policy


def _cell(runs: Runs, policy: str) -> str:
    cost = runs.ratio(policy, "objective", EDF)
    if cost is None:
        return MISSING
    energy = runs.ratio(policy, "energy", EDF)
    return f"{number(cost)} / {number(energy)} / {share(runs.late(policy))}"
