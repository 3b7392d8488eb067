"""The same tables and pictures as files: CSV, Markdown and LaTeX of a sheet, PDF of a figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rsjs.reporting.site.drawing import Draw, Drawing
from rsjs.reporting.site.shown import Shown
from rsjs.reporting.statistics import sheet_text

FOLDER = "downloads"


class Downloads:
    """
    Writes files below the root of a site.

    Parameters
    ----------
    root : path
    drawing : Drawing
        Of the pictures.
    """

    def __init__(self, root: Path, drawing: Drawing) -> None:
        self._root, self._drawing = root, drawing
        (root / FOLDER).mkdir()

    def with_files(self, table: Shown, place: str) -> Shown:
        """The table with its files, named for its place in the site; an empty one has none."""
        if table.sheet.lines.empty:
            return table
        name = f"{place}-{table.sheet.name}"
        files = {
            "CSV": self._written(f"{name}.csv", sheet_text.csv(table.sheet)),
            "Markdown": self._written(
                f"{name}.md", sheet_text.markdown([table.sheet], [table.footer])
            ),
            "LaTeX": self._written(f"{name}.tex", sheet_text.latex([table.sheet], [table.footer])),
        }
        return replace(table, files=files)

    def rows(self, name: str, text: str) -> str:
        """The path of a CSV file of its own."""
        return self._written(f"{name}.csv", text)

    def picture(self, name: str, draw: Draw, *what: Any, suffix: str = "pdf") -> str:
        """The path of a picture that is drawn meanwhile: draw(*what, path)."""
        path = f"{FOLDER}/{name}.{suffix}"
        self._drawing.draw(draw, *what, path=self._root / path)
        return path

    def _written(self, name: str, text: str) -> str:
        path = f"{FOLDER}/{name}"
        (self._root / path).write_text(text, "utf-8")
        return path
