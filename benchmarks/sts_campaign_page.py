"""The page docs/sts-campaign.md from averaged rows of the STS paper's campaign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.online_page import place, policies
from benchmarks.online_rows import LITERAL, MEAN_RG, REFERENCES, RG, STS, Row, Runs
from benchmarks.online_tables import by_size, kinds, roll_by_size, spread, table
from benchmarks.online_words import number, share
from benchmarks.sts_campaign_fit import fit_rules
from benchmarks.sts_campaign_picture import FAMILIES
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.table import code

INTRODUCTION = """\
# The campaign of the STS paper

Made by `python -m benchmarks.sts_campaign` from `results/sts_online/rows.csv`, which `python -m
benchmarks.sts_campaign STORE` takes from a store of `rsjs run sts-online`: the simulations of
Filippini et al. 2024, VII, on 10 to 100 nodes with ten jobs for each, three laws of arrivals, three
workloads of each kind, and ten repetitions of what is random. Policies, families and terms are
those of [policies over whole workloads](online.md), which also has heavier loads and other
speed-ups; the workloads on 10, 20 and 50 nodes are the same ones. Which statements of the paper
hold: [the papers' claims](claims.md#filippini-et-al-2024-sts).

{work}
"""
CAPTION = """\
Without sharing; sums of the three workloads of a size; logarithmic scale. Of the policies that plan
with mean numbers of epochs only RG is drawn."""


def write(runs: Runs, path: Path) -> None:
    """Write the page."""
    write_bytes(page(runs).encode(), path)


def page(runs: Runs) -> str:
    """Return the text of the page; runs of averaged rows."""
    lines = [INTRODUCTION.format(work=_work(runs))]
    lines += ["![Cost above the capacity-free bound](images/sts-campaign.png)", "", CAPTION, ""]
    lines += ["## All sizes together", "", *policies(runs)]
    lines += ["", "## By number of nodes", "", "Cost of STS over that of EDF, and of greedy:", ""]
    lines += [*by_size(runs, FAMILIES), "", *spread(runs, FAMILIES)]
    lines += ["", *fit_rules(runs, FAMILIES)]
    lines += ["", *roll_by_size(runs, FAMILIES), "", "## Shared GPUs", "", *_sharing(runs)]
    lines += ["", "## Repetitions", "", *_repetitions(runs), "", "## Time", "", *_time(runs)]
    return "\n".join(lines) + "\n"


def _rows(runs: Runs, policy: str) -> list[Row]:
    return [own[policy] for own in runs.by_workload.values() if policy in own]


def _work(runs: Runs) -> str:
    rows = [row for own in runs.by_workload.values() for row in own.values()]
    simulations = [row for row in rows if row["method"] != REFERENCES]
    count = sum(row["runs"] for row in simulations)
    decisions = sum(row["runs"] * row["decisions"] for row in simulations)
    hours = sum(row["runs"] * row["whole_s"] for row in rows) / 3600
    return (
        f"{count} simulations with {decisions / 1e6:.1f} million decisions; {hours:.1f} hours of "
        "one core, which includes bounds and yardsticks and that every log was simulated again to "
        "check it."
    )


def _table(
    words: str, shown: Sequence[str], cell: Callable[[Runs, str], str], runs: Runs
) -> list[str]:
    """A line for each policy and a column for each family and law, after some words."""
    parts = kinds(runs, FAMILIES)
    rows = ([code(policy), *(cell(own, policy) for _, own in parts)] for policy in shown)
    return [words, "", *table(["policy", *(head for head, _ in parts)], rows)]


def _sharing(runs: Runs) -> list[str]:
    def cell(own: Runs, policy: str) -> str:
        shared = own.where(lambda case: case.is_shared)
        ratio = own.shared_over_plain(policy)
        return f"{number(ratio)} / {share(shared.late(policy))}"

    words = (
        "A cell is energy over that of the same policy without sharing, and jobs that are late. "
        "Jobs are the same but for due dates, which are up to 20 % later where GPUs are shared."
    )
    return _table(words, (LITERAL, STS), cell, runs)


def _repetitions(runs: Runs) -> list[str]:
    def cell(own: Runs, policy: str) -> str:
        rows = [row for row in _rows(own.plain, policy) if row["objective_sd"] is not None]
        found = [row["objective_sd"] / row["objective"] for row in rows]
        return f"{share(mean(found))}, {share(max(found))}" if found else MISSING

    words = (
        "Standard deviation (n - 1) of the cost of ten repetitions, which differ in the seed of "
        "the policy, over their mean: the mean and the most of all workloads."
    )
    return _table(words, (RG, MEAN_RG), cell, runs)


def _time(runs: Runs) -> list[str]:
    """Seconds of the largest workloads, and all there are."""
    largest = max(runs.sizes)
    words = (
        f"Seconds of all decisions on {largest} nodes without sharing, the mean of all workloads; "
        "milliseconds of one decision there, the mean of medians; and hours of one core that all "
        "runs of the policy took, simulation and its repetition included. Two runs at a time on "
        "two cores: seconds are rough."
    )
    lines = []
    for policy in sorted(runs.policies, key=place):
        rows = _rows(runs, policy)
        hours = sum(row["runs"] * row["whole_s"] for row in rows) / 3600
        there = _rows(runs.plain.on(largest), policy)
        count = sum(row["runs"] for row in rows)
        cells = [MISSING] * 3
        if policy != REFERENCES and there:
            cells = [
                f"{mean(row['decisions'] for row in there):.0f}",
                f"{1000 * mean(row['decision_median_s'] for row in there):.2f}",
                f"{mean(row['policy_s'] for row in there):.2f}",
            ]
        lines.append([code(policy), str(count), *cells, f"{hours:.2f}"])
    heads = ("policy", "runs", "decisions", "ms", "s", "hours")
    return [words, "", *table(heads, lines)]
