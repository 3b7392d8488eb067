"""
One comparison as CSV, Markdown, LaTeX and a terminal table: pure functions of its rows.

Rows are those of `rsjs.runs.compare.rows`, or of `read_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables import latex_table, markdown_table
from rsjs.reporting.tables.csv_rows import csv_text, read_rows
from rsjs.reporting.tables.labels import distinct
from rsjs.reporting.tables.select import Row

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["latex", "markdown", "read_rows", "rich_table", "write_all"]


def write_all(rows: Sequence[Row], folder: str | Path) -> list[Path]:
    """
    Write rows.csv, table.md and table.tex, each whole or not at all.

    Returns
    -------
    list of Path
        The files, in that order.

    Raises
    ------
    InputError
        Without rows, or where the folder cannot be written.
    """
    texts = {
        "rows.csv": csv_text(_some(rows)),
        "table.md": markdown(rows),
        "table.tex": latex(rows),
    }
    written = [Path(folder) / name for name in texts]
    for path, text in zip(written, texts.values(), strict=True):
        write_bytes(text.encode(), path)
    return written


def markdown(rows: Sequence[Row]) -> str:
    """A GitHub Markdown table with its conditions and remarks below."""
    return markdown_table.text(distinct(_some(rows)))


def latex(rows: Sequence[Row]) -> str:
    """Two LaTeX tables, of costs and of effort; a document needs `booktabs` only."""
    return latex_table.text(distinct(_some(rows)))


def rich_table(rows: Sequence[Row], width: int = 100) -> Table:
    """
    A table for a terminal of `width` characters: the more room, the more columns.

    Raises
    ------
    InputError
        Without rows.
    """
    # imported late: rich takes 50 ms, and write_all does without it
    from rsjs.reporting.tables import terminal_table

    return terminal_table.table(distinct(_some(rows)), width)


def _some(rows: Sequence[Row]) -> Sequence[Row]:
    if not rows:
        raise InputError("", described("no rows"), "at least one run to make a table of")
    return rows
