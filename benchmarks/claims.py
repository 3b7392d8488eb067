"""
The claims of the five papers: `python -m benchmarks.claims` makes docs/claims.md.

Values and verdicts come from the rows in results/claims, which
`rsjs reproduce all -o results/claims` makes again, and one file of them `rsjs reproduce CLAIM`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rsjs.experiments.claims.claim import Values
from rsjs.experiments.claims.files import Paper, claims, experiments, papers
from rsjs.experiments.claims.registry import values
from rsjs.instances.files import write_bytes
from rsjs.reporting.claim_picture import claim_picture
from rsjs.reporting.claim_table import markdown
from rsjs.reporting.csv_rows import read_rows
from rsjs.reporting.markdown_table import code, escaped

ROOT = Path(__file__).parents[1]
ROWS, DOCS = ROOT / "results" / "claims", ROOT / "docs"
INTRODUCTION = """\
# What the papers claim

Made by `python -m benchmarks.claims` from the rows in `results/claims`, which are made again by

<!-- not run: takes minutes -->

    rsjs reproduce --list
    rsjs reproduce jahani-table3-large -o claims
    rsjs reproduce all -o results/claims

Each claim names what is printed and a tolerance; each value of ours is a figure of stored runs
whose costs are those of checked decisions. Where a paper leaves open what its figure depends on
(catalogue, due dates, load) the value is given for several cases: a claim **holds** if the values
of all cases are the printed one within the tolerance, **holds with limits** if those of some are,
and **does not hold** if none is. The rows here are of the size `quick`; `--size paper` has the
papers' own parameters.
"""


def main() -> None:
    """Make the page and its pictures."""
    for name, experiment in experiments().items():
        if experiment.plot:
            claim_picture(rows_of(name), experiment.plot, DOCS / "images" / f"{name}.png")
    write_bytes(page().encode(), DOCS / "claims.md")


def page() -> str:
    """The text of the page."""
    found = our_values()
    lines = [INTRODUCTION, *_summary(found)]
    for paper in papers():
        lines += ["", f"## {paper.source}", "", *markdown(paper.claims, found), ""]
        lines += _experiments(paper)
    return "\n".join(lines) + "\n"


def our_values() -> dict[str, Values]:
    """Claim -> our values from the stored rows; none for what nothing on disk can test."""
    return {
        name: values(claim, rows_of(claim.experiment)) if claim.experiment else {}
        for name, claim in claims().items()
    }


def rows_of(experiment: str) -> list[dict[str, object]]:
    """The stored rows of an experiment."""
    return read_rows(ROWS / f"{experiment}.csv")


def _summary(found: dict[str, Values]) -> list[str]:
    lines = ["| paper | claims | holds | holds with limits | does not hold | not tested |"]
    lines += ["| :--- | ---: | ---: | ---: | ---: | ---: |"]
    for paper in papers():
        told = Counter(claim.verdict(found[claim.id]).value for claim in paper.claims)
        order = ("holds", "holds with limits", "does not hold", "not tested")
        counts = " | ".join(str(told[verdict]) for verdict in order)
        lines.append(f"| {paper.source} | {len(paper.claims)} | {counts} |")
    return lines


def _experiments(paper: Paper) -> list[str]:
    told = [f"- {code(one.name)}: {escaped(one.what)}" for one in paper.experiments]
    pictures = [f"\n![{one.name}](images/{one.name}.png)" for one in paper.experiments if one.plot]
    return ["Experiments:", "", *told, *pictures]


if __name__ == "__main__":
    main()
