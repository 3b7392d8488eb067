"""
The tables and pictures of pages as files: CSV, Markdown and LaTeX, PDF.

Pictures are drawn while pages are written, by processes of their own on the cores there are.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rsjs.reporting.figures.draw import Styles, write
from rsjs.reporting.figures.figure import Figure
from rsjs.reporting.tables.table import Table, latex_all, markdown_all

Draw = Callable[..., object]
FOLDER = "downloads"


class Drawing(ProcessPoolExecutor):
    """Draws what is asked for; leaving the context waits until all of it is drawn."""

    def __init__(self) -> None:
        # spawned, not forked: a terminal's spinner is a thread of this process
        super().__init__(_cores(), mp_context=get_context("spawn"), initializer=_leave_ctrl_c)
        self._pictures: list[Future[object]] = []

    def draw(self, draw: Draw, *what: Any, path: Path) -> None:
        """Call draw(*what, path), a function of a module."""
        self._pictures.append(self.submit(draw, *what, path))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)
        if kind is None:
            for picture in self._pictures:
                picture.result()


def _leave_ctrl_c() -> None:
    """Only the process that asked for the pictures hears of Ctrl-C, and ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


class Downloads:
    """Writes files below the root of a site."""

    def __init__(self, root: Path, drawing: Drawing) -> None:
        self._root, self._drawing = root, drawing
        (root / FOLDER).mkdir()

    def with_files(self, table: Table, place: str) -> Table:
        """Return the table with its files, named for its place in the site; none if it is empty."""
        if not table.rows:
            return table
        name = f"{place}-{table.name}"
        files = {
            "CSV": self.text(f"{name}.csv", table.csv()),
            "Markdown": self.text(f"{name}.md", markdown_all([table], [table.footer])),
            "LaTeX": self.text(f"{name}.tex", latex_all([table], [table.footer])),
        }
        return replace(table, files=files)

    def picture(self, name: str, draw: Draw, *what: Any, suffix: str = "pdf") -> str:
        """Return the path of a picture that is drawn meanwhile: draw(*what, path)."""
        path = f"{FOLDER}/{name}.{suffix}"
        self._drawing.draw(draw, *what, path=self._root / path)
        return path

    def figure(self, name: str, figure: Figure, styles: Styles) -> str:
        """Return the path of a figure as PDF, drawn meanwhile."""
        return self.picture(name, partial(write, styles=styles), figure)

    def text(self, name: str, text: str) -> str:
        """Write a text file; return its path."""
        path = f"{FOLDER}/{name}"
        (self._root / path).write_text(text, "utf-8")
        return path
