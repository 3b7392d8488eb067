"""Claims as text: how values are shown, and the table of docs/claims.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rsjs.experiments.claims.claim import Claim, Values
from rsjs.reporting.formats import MISSING, significant
from rsjs.reporting.markdown_table import code, escaped

HEAD = ("claim", "where", "statement", "printed", "ours", "verdict", "why")


def shown(claim: Claim, values: Values) -> str:
    """Our values, each with its case; a single case is not named."""
    told = {case: _number(claim.unit, value) for case, value in values.items()}
    if len(told) == 1:
        return next(iter(told.values()))
    return "; ".join(f"{case}: {value}" for case, value in told.items()) or MISSING


def markdown(claims: Sequence[Claim], values: Mapping[str, Values]) -> list[str]:
    """One line for each claim; `values` by id."""
    lines = [f"| {' | '.join(HEAD)} |", f"| {' | '.join([':---'] * len(HEAD))} |"]
    for claim in claims:
        own = values[claim.id]
        cells = [
            code(claim.id),
            *map(escaped, (claim.where, claim.statement, claim.printed, shown(claim, own))),
            f"**{claim.verdict(own)}**",
            escaped(claim.reason),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _number(unit: str, value: float) -> str:
    if unit == "share":
        return f"{100 * value:.1f} %"
    return f"{significant(value, 3)}{' s' if unit == 's' else ''}"
