"""
Tables and pictures of docs/results/claims.md and of the page of each paper.

They are made from the rows of experiments in results/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from docs.make import online, sts_campaign
from docs.make.tables import RESULTS, table
from rsjs.paper_claims.claim import (
    Claim,
    Experiment,
    Paper,
    Row,
    Values,
    Verdict,
    claims,
    experiments,
    papers,
)
from rsjs.paper_claims.metrics import values
from rsjs.reporting.figures import draw
from rsjs.reporting.figures.claim import claim_figure
from rsjs.reporting.tables import claims as tables
from rsjs.reporting.tables.table import code, escaped
from rsjs.rows.csv import read_rows

PAGES = {  # paper -> its page
    "jahani": "jahani",
    "kiros": "kiros",
    "andreas": "andreas",
    "sts": "filippini",
    "konopa": "konopa",
}
PAGE = re.compile(r"docs/results/([\w-]+)\.md")
MIXES = {"sts-km": "K80 + M60", "sts-a100": "A100"}


@cache
def rows_of(name: str) -> list[Row]:
    """Return the stored rows of an experiment, those of its campaign if it names one."""
    experiment = experiments()[name]
    if not experiment.campaign:
        return read_rows(RESULTS / "claims" / f"{name}.csv")
    runs = sts_campaign.campaign()
    case = runs["family"].map(MIXES) + ", " + runs["arrivals"].map(online.ARRIVALS)
    runs = runs.assign(case=case + runs["shared"].map({True: ", shared", False: ""}))
    cases, policies = (experiment.arguments[key] for key in ("cases", "methods"))
    runs = runs[runs["method"].isin(policies) & runs["case"].isin(cases)].assign(status="complete")
    return runs.sort_values("case", key=lambda of: of.map([*cases].index), kind="stable").to_dict(
        "records"
    )


@cache
def our_values() -> dict[str, Values]:
    """Return claim -> our values; none for what nothing on disk can test."""
    return {
        name: values(claim, rows_of(claim.experiment)) if claim.experiment else {}
        for name, claim in claims().items()
    }


def summary() -> str:
    """Count the claims of each paper by verdict."""
    rows = []
    for paper in papers():
        told = Counter(claim.verdict(our_values()[claim.id]) for claim in paper.claims)
        rows.append([paper.source, len(paper.claims), *(told[verdict] for verdict in Verdict)])
    text = table(["paper", "claims", *Verdict], rows)
    for paper in papers():
        text = text.replace(f"| {paper.source} |", f"| [{paper.source}]({PAGES[paper.name]}.md) |")
    return text


def blocks(paper: Paper) -> str:
    """Return a block for each claim: statement, published value, our values, verdict, reason."""
    return "\n".join(line for claim in paper.claims for line in _block(claim))


def _block(claim: Claim) -> Iterator[str]:
    told = tables.document(claim, our_values()[claim.id])
    yield from (f"### {code(claim.id)}", "", f"{_text(told['statement'])} ({told['where']}).", "")
    yield f"- Published: {escaped(told['published'])}"
    if claim.experiment:
        yield f"- Agrees: {escaped(told['agrees'])}"
        yield f"- Ours: {escaped(told['ours'])}"
    yield f"- Verdict: **{told['verdict']}**"
    yield from (f"- Reason: {PAGE.sub(_link, _text(told['why']))}", "")


def _text(words: str) -> str:
    """Return text for Markdown; code spans stay."""
    parts = re.split("(`[^`]+`)", words)
    return "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts))


def _link(found: re.Match[str]) -> str:
    return f"[{found[0]}]({found[1]}.md)"


def of_experiments(paper: Paper) -> str:
    """Return what each experiment of a paper runs."""
    return "\n".join(
        f"- {code(one.name)}: {_text(one.what)}{_origin(one)}" for one in paper.experiments
    )


def _origin(experiment: Experiment) -> str:
    return f" Rows of `rsjs run {experiment.campaign}`." if experiment.campaign else ""


def picture(experiment: Experiment, path: Path) -> None:
    """Draw the rows of an experiment, and the claims that rest on them."""
    own = [one for one in claims().values() if one.experiment == experiment.name]
    published = [(one, our_values()[one.id]) for one in own]
    draw.write(claim_figure(rows_of(experiment.name), experiment.plot, published), path)


def of_paper(paper: Paper) -> tuple[dict[str, Callable[[], str]], dict[str, Any]]:
    """Return tables and pictures of the page of a paper."""
    filled = {
        "settings": lambda: paper.settings,
        "claims": partial(blocks, paper),
        "experiments": partial(of_experiments, paper),
    }
    drawn = [one for one in paper.experiments if one.plot and not one.campaign]
    return filled, {one.name: partial(picture, one) for one in drawn}


TABLES = {"summary": summary}
PAPERS = {f"results/{PAGES[paper.name]}": of_paper(paper) for paper in papers()}
