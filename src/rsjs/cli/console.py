"""Printing: consoles, JSON, and numbers as people read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isfinite
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rsjs.reporting.tables import formats

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no colouring of numbers and names."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def plain_table(title: str) -> Table:
    """A table without lines, its title on the left."""
    from rich.table import Table

    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )


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
    """Significant digits; a dash for a missing number."""
    return formats.MISSING if value is None else formats.significant(value, digits)


def percent(value: float | None) -> str:
    """A share in per cent."""
    return formats.MISSING if value is None else f"{formats.percent(value)} %"


def print_facts(rows: Iterable[tuple[str, Any]]) -> None:
    """Print names and values in two columns, long values wrapped."""
    known = [(name, str(value)) for name, value in rows]
    indent = max((len(name) for name, _ in known), default=0) + 2
    width = max(indent + 30, get_terminal_size().columns)
    for name, value in known:
        lines = wrap(value, width - indent, break_on_hyphens=False, break_long_words=False) or [""]
        print(f"{name:<{indent}}{lines[0]}")
        for line in lines[1:]:
            print(" " * indent + line)


def print_text(text: str) -> None:
    """Print a paragraph as wide as the terminal."""
    width = get_terminal_size().columns
    for line in wrap(text, width, break_on_hyphens=False, break_long_words=False):
        print(line)
