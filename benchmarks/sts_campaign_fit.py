"""What the node that EDF takes changes, which the STS paper leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.online_rows import OF_ALL, Runs
from benchmarks.online_tables import kinds, table
from benchmarks.online_words import number
from rsjs.paper_claims.sts import EDF, STS
from rsjs.reporting.tables.formats import MISSING

WORDS = "Cost of STS over that of EDF by both fit rules, in parentheses single workloads:"


def fit_rules(runs: Runs, families: Sequence[str]) -> list[str]:
    """Return words and the table of the cost of STS over that of EDF by either fit rule."""
    if OF_ALL not in runs.policies:
        return [f"`{OF_ALL}` has not been run."]
    parts = kinds(runs, families)
    rows = ([f"`{edf}`", *(_cell(own, edf) for _, own in parts)] for edf in (EDF, OF_ALL))
    return [WORDS, "", *table(["STS over", *(head for head, _ in parts)], rows)]


def _cell(own: Runs, edf: str) -> str:
    ratios = [
        rows[STS]["objective"] / rows[edf]["objective"]
        for rows in own.by_workload.values()
        if STS in rows and edf in rows
    ]
    if not ratios:
        return MISSING
    return f"{number(own.ratio(STS, 'objective', edf))} ({min(ratios):.3f} to {max(ratios):.3f})"
