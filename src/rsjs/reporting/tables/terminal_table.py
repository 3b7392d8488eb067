"""A comparison for a terminal: as many columns as fit, in the order of their rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from rsjs.reporting.tables.columns import COLUMNS, Column
from rsjs.reporting.tables.footnotes import GAP, conditions, remarks
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.select import Row, is_wrong, known

GUTTER = 2  # between columns: one blank as padding, one as the box's divider


def table(rows: Sequence[Row], width: int) -> Table:
    """The table; instances in sections, wrong rows in red, conditions and remarks below."""
    common, short = shortened([str(row.get("instance")) for row in rows])
    shown: list[dict[str, Any]] = [
        {**row, "instance": short[str(row.get("instance"))]} for row in rows
    ]
    names = list(dict.fromkeys(row["instance"] for row in shown))
    columns = _chosen(shown, width, without=() if len(names) > 1 else ("instance",))
    fits = sum(_width(column, shown) + GUTTER for column in columns) - GUTTER <= width
    made = Table(
        title=Text(common or (names[0] if len(names) == 1 else "comparison")),
        caption=Text("\n".join([GAP, *conditions(rows), *remarks(rows)])),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, GUTTER - 1, 0, 0),
        show_edge=False,
        pad_edge=False,
    )
    for column in columns:
        made.add_column(
            Text("\n".join(column.heading_lines())),
            justify=column.align,
            overflow="fold",
            no_wrap=fits,
        )
    _fill(made, columns, shown)
    return made


def _fill(made: Table, columns: Sequence[Column], shown: Sequence[Row]) -> None:
    before = None
    for row in shown:
        if before is not None and row["instance"] != before:
            made.add_section()
        cells = [
            "" if column.key == "instance" and row["instance"] == before else _text(column, row)
            for column in columns
        ]
        made.add_row(*map(Text, cells), style=_style(row))
        before = row["instance"]


def _text(column: Column, row: Row) -> str:
    return "\n".join(column.cell_lines(row))


def _style(row: Row) -> str:
    if is_wrong(row):
        return "bold red"
    return "yellow" if known(row, "objective") is None else ""


def _chosen(rows: Sequence[Row], width: int, without: Sequence[str]) -> list[Column]:
    """Columns of rank 0 in any case, the others by rank as long as they fit."""
    candidates = [column for column in COLUMNS if column.key not in without]
    chosen = [column for column in candidates if column.rank == 0]
    left = width + GUTTER - sum(_width(column, rows) + GUTTER for column in chosen)
    for column in sorted(candidates, key=lambda column: column.rank):
        needed = _width(column, rows) + GUTTER
        if column.rank and any(known(row, column.key) is not None for row in rows):
            if needed > left:
                break
            left -= needed
            chosen.append(column)
    return [column for column in candidates if column in chosen]


def _width(column: Column, rows: Sequence[Row]) -> int:
    cells = (line for row in rows for line in column.cell_lines(row))
    return max(map(cell_len, [*column.heading_lines(), *cells]))
