"""What `rsjs bks sets` says: how much of the library is closed, confirmed, open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rsjs.cli.bks_text import print_columns
from rsjs.cli.console import percent, print_json

if TYPE_CHECKING:
    from rsjs.best_known.coverage import Coverage

HEADER = (
    "set",
    "instances",
    "closed",
    "confirmed",
    "by two solvers",
    "open",
    "unknown",
    "largest gap",
)


def print_sets(found: Sequence[Coverage], *, as_json: bool) -> None:
    """A line per set, the last for all."""
    if as_json:
        print_json([{**asdict(row), "unknown": row.unknown} for row in found])
        return
    print_columns([HEADER, *map(_set_line, found)], words=1)


def _set_line(row: Coverage) -> tuple[str, ...]:
    counts = (row.members, row.closed, row.confirmed, row.two_solvers, row.open, row.unknown)
    return row.name, *map(str, counts), percent(row.gap)
