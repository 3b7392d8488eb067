"""
The claims of the five papers: `python -m benchmarks.claims` makes docs/claims.md.

Values and verdicts come from the rows in results/claims, which
`rsjs reproduce all -o results/claims` makes again, and one file of them `rsjs reproduce CLAIM`.
Where an experiment names a campaign, its rows are the evidence: those in results/sts_online.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from benchmarks.online_rows import case_of
from benchmarks.online_words import arrivals
from rsjs.instances.io.files import write_bytes
from rsjs.paper_claims.claim import Experiment, Row, Values, Verdict
from rsjs.paper_claims.files import Paper, claims, experiments, papers
from rsjs.paper_claims.registry import values
from rsjs.reporting.figures.claim import claim_picture
from rsjs.reporting.tables.claims import markdown
from rsjs.reporting.tables.table import code, escaped, line
from rsjs.rows.csv import read_rows

ROOT = Path(__file__).parents[1]
RESULTS, DOCS = ROOT / "results", ROOT / "docs"
ROWS = RESULTS / "claims"
MIXES = {"km": "K80 + M60", "a100": "A100"}
INTRODUCTION = """\
# What the papers claim

Made by `python -m benchmarks.claims` from the rows in `results/claims`, which are made again by

<!-- not run: takes minutes -->

    rsjs reproduce --list
    rsjs reproduce jahani-table3-large -o claims
    rsjs reproduce all -o results/claims

For each claim we list the published value and which values agree with it: that value or range and
a tolerance. Our values are computed from stored runs, using verified costs only. Where a paper
leaves open what its value depends on (catalogue, due dates, load) there are several cases: a claim
**holds** if the values of all cases agree, **holds with limits** if some do, and **does not hold**
if none does. It has no verdict where our values cannot decide: **not comparable** if conditions
differ that decide the outcome, **not tested** if nothing is measured, or something else, and **by
construction** if the value could not have come out differently. The rows are of the size `quick`,
`--size paper` has the papers' own parameters; the simulations of the STS paper are those of
[its campaign](sts-campaign.md), which ran whole.
"""


def main() -> None:
    """Make the page and its pictures."""
    for name, experiment in experiments().items():
        if _drawn(experiment):
            claim_picture(rows_of(name), experiment.plot, DOCS / "images" / f"{name}.png")
    write_bytes(page().encode(), DOCS / "claims.md")


def page() -> str:
    """The text of the page."""
    found = our_values()
    lines = [INTRODUCTION, *_summary(found)]
    for paper in papers():
        lines += ["", f"## {paper.source}", "", paper.settings, ""]
        lines += [*markdown(paper.claims, found), ""]
        lines += _experiments(paper)
    return "\n".join(lines) + "\n"


def our_values() -> dict[str, Values]:
    """Claim -> our values from the stored rows; none for what nothing on disk can test."""
    return {
        name: values(claim, rows_of(claim.experiment)) if claim.experiment else {}
        for name, claim in claims().items()
    }


@cache
def rows_of(experiment: str) -> list[Row]:
    """Return the stored rows of an experiment."""
    one = experiments()[experiment]
    return _of_campaign(one) if one.campaign else read_rows(ROWS / f"{experiment}.csv")


def _of_campaign(experiment: Experiment) -> list[Row]:
    """Return the averaged rows of the campaign on the cases and policies of an experiment."""
    rows = []
    for row in read_rows(RESULTS / experiment.campaign.replace("-", "_") / "rows.csv"):
        of = case_of(row["instance"])
        names = [MIXES[of.mix], arrivals(of.arrivals), *(["shared"] if of.is_shared else [])]
        status = "no cost" if row["objective"] is None else "complete"
        rows.append({**row, "case": ", ".join(names), "status": status})
    policies = experiment.arguments["policies"]
    return [
        row
        for case in experiment.arguments["cases"]
        for row in rows
        if row["case"] == case and row["method"] in policies
    ]


def _summary(found: dict[str, Values]) -> list[str]:
    lines = [line(["paper", "claims", *Verdict]), line([":---", *["---:"] * (1 + len(Verdict))])]
    for paper in papers():
        told = Counter(claim.verdict(found[claim.id]) for claim in paper.claims)
        counts = (str(told[verdict]) for verdict in Verdict)
        lines.append(line([paper.source, str(len(paper.claims)), *counts]))
    return lines


def _experiments(paper: Paper) -> list[str]:
    told = [f"- {code(one.name)}: {escaped(one.what)}{_origin(one)}" for one in paper.experiments]
    drawn = [one.name for one in paper.experiments if _drawn(one)]
    pictures = [f"\n![{name}](images/{name}.png)" for name in drawn]
    return ["Experiments:", "", *told, *pictures]


def _drawn(experiment: Experiment) -> bool:
    """Whether the page draws an experiment; campaigns have pages and pictures of their own."""
    return bool(experiment.plot) and not experiment.campaign


def _origin(experiment: Experiment) -> str:
    return f" Rows of `rsjs run {experiment.campaign}`." if experiment.campaign else ""


if __name__ == "__main__":
    main()
