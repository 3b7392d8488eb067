"""What the tables of docs/online.md and docs/sts-campaign.md share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks import online_claims as claims
from benchmarks.online_rows import Runs
from benchmarks.online_words import arrivals
from rsjs.reporting.markdown_table import line


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> list[str]:
    """Lines of a table whose first columns are words and whose others are figures."""
    rules = [":---"] * words + ["---:"] * (len(heads) - words)
    return [*map(line, (heads, rules)), *map(line, rows)]


def kinds(runs: Runs, families: Sequence[str] = claims.FAMILIES) -> list[tuple[str, Runs]]:
    """The name and the runs of each family and law of arrivals, without any too."""
    return [
        (f"{family} {arrivals(law)}", claims.chosen(runs, family, (law,)))
        for family in families
        for law in claims.LAWS
    ]
