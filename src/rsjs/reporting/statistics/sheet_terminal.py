"""Tables of statistics for a terminal; their notes are printed as text below."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from rsjs.reporting.statistics.sheet import Column, Sheet
from rsjs.reporting.statistics.sheet_text import NAMES
from rsjs.reporting.tables.labels import folded

LONGEST_NAME = 28  # characters of a method on one line


def table(sheet: Sheet) -> Table:
    """The table; long names and headings on several lines."""
    made = Table(
        title=Text(sheet.title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    names = [str(name) for key in NAMES if key in sheet.lines for name in sheet.lines[key]]
    longest = max(map(len, names), default=0)
    for column in sheet.columns:
        heading = column.heading if column.number is None else column.heading.replace(" ", "\n")
        width = LONGEST_NAME if column.key in NAMES and longest > LONGEST_NAME else None
        made.add_column(
            Text(heading),
            justify="left" if column.number is None else "right",
            overflow="fold",
            min_width=width,
        )
    for cells in sheet.cells():
        shown = [_cell(column, cell) for column, cell in zip(sheet.columns, cells, strict=True)]
        made.add_row(*shown, style="bold red" if "UNFAIR" in cells else "")
    return made


def _cell(column: Column, cell: str) -> Text:
    lines = folded(cell, LONGEST_NAME) if column.key in NAMES else [cell]
    return Text("\n".join(lines))
