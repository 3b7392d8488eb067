"""Claims beside our values, for the pages of the papers in docs/results and `rsjs reproduce`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from rsjs.paper_claims.claim import Claim, Values
from rsjs.reporting.tables.formats import MISSING, significant
from rsjs.reporting.tables.table import Column, Table

SUFFIX = {"ratio": "", "count": "", "s": " s"}
HEAD = ("claim", "where", "statement", "published", "agrees", "ours", "verdict", "why")


def document(claim: Claim, values: Values) -> dict[str, Any]:
    """Return a claim beside our values."""
    return {
        "claim": claim.id,
        "paper": claim.source,
        "where": claim.where,
        "statement": claim.statement,
        "published": claim.printed,
        "agrees": agreement(claim),
        "values": dict(values),
        "ours": shown(claim, values),
        "verdict": str(claim.verdict(values)),
        "why": claim.reason,
    }


def table(
    claims: Sequence[Claim], values: Mapping[str, Values], columns: Sequence[str] = HEAD
) -> Table:
    """Return a row for each claim; `values` by id."""
    return Table(
        columns=[Column(word, word) for word in columns],
        rows=[document(claim, values[claim.id]) for claim in claims],
        mark=lambda row, key: "bad" if key == "verdict" else "",
    )


def shown(claim: Claim, values: Values) -> str:
    """Write our values, each with its case; a single case is not named."""
    told = {case: _number(claim.unit, value) for case, value in values.items()}
    if len(told) == 1:
        return next(iter(told.values()))
    return "; ".join(f"{case}: {value}" for case, value in told.items()) or MISSING


def agreement(claim: Claim) -> str:
    """
    Return which values agree with a claim: the published value or range, and the tolerance.

    Nothing where no experiment tests the claim.
    """
    if not claim.experiment:
        return MISSING
    low, high, tolerance = (
        f"{100 * value:.4g} %" if claim.unit == "share" else f"{value:g}{SUFFIX[claim.unit]}"
        for value in (claim.low, claim.high, claim.tolerance)
    )
    if claim.low == claim.high:
        text = low
    elif claim.high == inf or (claim.unit == "share" and claim.high == 1):
        text = f"at least {low}"
    else:
        text = f"{low} to {high}" if claim.low else f"at most {high}"
    return f"{text} ± {tolerance}" if claim.tolerance else text


def _number(unit: str, value: float) -> str:
    if unit == "share":
        percent = 100 * value
        return f"{significant(percent, 2) if abs(percent) < 1 else f'{percent:.1f}'} %"
    near_one = unit == "ratio" and 0 < abs(value - 1) < 0.01  # show on which side of 1
    return significant(value, 5 if near_one else 3) + SUFFIX[unit]
