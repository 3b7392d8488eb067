"""Tables and pictures of docs/results/claims.md, from the rows of experiments in results/."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from pathlib import Path

from docs.make import online
from docs.make.tables import RESULTS, table
from rsjs.paper_claims.claim import (
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

MIXES = {"sts-km": "K80 + M60", "sts-a100": "A100"}


@cache
def rows_of(name: str) -> list[Row]:
    """Return the stored rows of an experiment, those of its campaign if it names one."""
    experiment = experiments()[name]
    if not experiment.campaign:
        return read_rows(RESULTS / "claims" / f"{name}.csv")
    runs = online.campaign()
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
    return table(["paper", "claims", *Verdict], rows)


def of_paper(paper: Paper) -> str:
    """Return settings, claims and experiments of a paper."""
    told = (f"- {code(one.name)}: {escaped(one.what)}{_origin(one)}" for one in paper.experiments)
    lines = [
        paper.settings,
        "",
        *tables.table(paper.claims, our_values()).markdown().splitlines(),
        "",
        "Experiments:",
        "",
        *told,
    ]
    return "\n".join(lines)


def _origin(experiment: Experiment) -> str:
    return f" Rows of `rsjs run {experiment.campaign}`." if experiment.campaign else ""


def picture(experiment: Experiment, path: Path) -> None:
    """Draw the rows of an experiment, and the claims that rest on them."""
    own = [one for one in claims().values() if one.experiment == experiment.name]
    published = [(one, our_values()[one.id]) for one in own]
    draw.write(claim_figure(rows_of(experiment.name), experiment.plot, published), path)


TABLES = {"summary": summary, **{paper.name: partial(of_paper, paper) for paper in papers()}}
PICTURES = {
    one.name: partial(picture, one)
    for one in experiments().values()
    if one.plot and not one.campaign
}
