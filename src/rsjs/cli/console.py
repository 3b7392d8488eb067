"""Printing: consoles, JSON, and numbers as people read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MISSING = "-"


def console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no colouring of numbers and names."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def print_json(document: Any) -> None:
    """Print one JSON document; numbers that are not finite become null."""
    print(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if isinstance(value, Fraction):
        value = float(value)
    if hasattr(value, "item"):  # a scalar of numpy
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | str | None) else str(value)


def number(value: float | None, digits: int = 6) -> str:
    """Significant digits; a missing number is a dash."""
    return MISSING if value is None else f"{value:.{digits}g}"


def percent(value: float | None) -> str:
    """A share in per cent: two decimals, more where two would show nothing."""
    if value is None:
        return MISSING
    return f"{100 * value:.2g} %" if 0 < value < 1e-4 else f"{100 * value:.2f} %"


def facts(rows: Mapping[str, Any] | list[tuple[str, Any]]) -> Table:
    """Names and values in two columns."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items() if isinstance(rows, Mapping) else rows:
        table.add_row(name, str(value))
    return table
