"""A comparison in GitHub Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rsjs.reporting.tables.columns import COLUMNS, Column
from rsjs.reporting.tables.footnotes import GAP, conditions, remarks
from rsjs.reporting.tables.select import Row, is_wrong

NAMES = ("instance", "method")


def text(rows: Sequence[Row]) -> str:
    """Table, definition of the gap, conditions, remarks."""
    rules = ["---:" if column.align == "right" else ":---" for column in COLUMNS]
    lines = [line([escaped(column.full_heading) for column in COLUMNS]), line(rules)]
    lines += [line([_cell(column, row) for column in COLUMNS]) for row in rows]
    below = [GAP, *conditions(rows)]
    lines += ["", *(f"{escaped(words)}  " for words in below)]
    if told := remarks(rows):
        lines += ["", *(f"- {escaped(words)}" for words in told)]
    return "\n".join(lines) + "\n"


def escaped(words: str) -> str:
    r"""
    Text that Markdown shows as it is.

    >>> print(escaped("50 % of a_b | <c> & [d]"))
    50 % of a\_b \| \<c\> \& \[d\]
    """
    return re.sub(r"([\\`*_{}\[\]<>|~#&$])", r"\\\1", words)


def code(name: str) -> str:
    """
    A name as a code span, where only backticks and, in a table, pipes need care.

    >>> print(code("a_b|c"), code("a`b"))
    `a_b\\|c` `` a`b ``
    """
    longest = max(map(len, re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{name}{pad}{fence}".replace("|", r"\|")


def _cell(column: Column, row: Row) -> str:
    shown = column.cell(row)
    shown = code(shown) if column.key in NAMES else escaped(shown)
    return f"**{shown}**" if column.key == "stop" and is_wrong(row) else shown


def line(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"
