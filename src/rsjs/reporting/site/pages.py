"""
Where pages are, and how they are written from templates: paths from the root of the site.

Their tables and pictures are files, too: CSV, Markdown and LaTeX, and PDF.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rsjs.reporting.figures.draw import Styles, write
from rsjs.reporting.figures.figure import Figure
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.labels import outcome, status_word
from rsjs.reporting.tables.table import Table, latex_all, markdown_all

PageWriter = Callable[[str, str, Mapping[str, Any]], None]

LONGEST = 64  # characters of a name that are kept
FOLDER = "downloads"


@lru_cache(maxsize=2**16)
def slug(name: str, salt: str = "") -> str:
    """
    Return a file name for any text, its own also where case does not count.

    >>> slug("greedy:code?x=<1>", "salt")
    'greedy-code-x-1-6ed10390'
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:LONGEST].strip("-")
    return f"{plain}-{sha256(f'{name}|{salt}'.encode()).hexdigest()[:8]}"


def family_url(name: str) -> str:
    """Return the page of a family."""
    return f"families/{name}.html"


def method_url(name: str) -> str:
    """Return the page of a method."""
    return f"methods/{slug(name)}.html"


def instance_slug(row: Mapping[str, Any]) -> str:
    """Return the file name, without suffix, of what belongs to the instance of a row."""
    return slug(str(row["instance"]), str(row["instance_sha256"]))


def instance_url(row: Mapping[str, Any]) -> str:
    """Return the page of the instance of a row."""
    return f"instances/{instance_slug(row)}.html"


def run_url(row: Mapping[str, Any]) -> str:
    """Return the place of a run: the page of its instance, which shows it."""
    return f"{instance_url(row)}#r-{row['anchor']}"


def runs_url(page: str, words: str) -> str:
    """
    Return the runs on a page that contain some words.

    >>> runs_url("methods/a.html", "sts N2")
    'methods/a.html#runs=sts%20N2'
    """
    return f"{page}#runs={quote(words)}"


def breakable(name: str) -> Any:
    """Return a name that may go on in the next line after its punctuation."""
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[?,:@_=-])", name)
    return Markup("<wbr>").join(escape(piece) for piece in pieces)


def _shown(show: Callable[[float], str], unit: str = "") -> Callable[[float | None], str]:
    return lambda value: MISSING if value is None else f"{show(value)} {unit}".rstrip()


FILTERS: dict[str, Callable[..., Any]] = {
    "breakable": breakable,
    "counted": formats.counted,
    "family_url": family_url,
    "indented": lambda value: json.dumps(value, indent=1),
    "measured": _shown(formats.measured),
    "method_url": method_url,
    "percent": _shown(formats.percent, "%"),
    "ratio": lambda value: formats.significant(value, 3),
    "run_url": run_url,
    "seconds": _shown(formats.measured, "s"),
    "status": status_word,
}


def page_writer(
    root: Path, title: str, command: str, links: Sequence[tuple[str, str]]
) -> PageWriter:
    """
    Return what writes a page below the root of a site: of its path, template and content.

    `command` made the site; `links` are the label and the page of each entry of its navigation.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("rsjs.reporting.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(FILTERS)
    pages.globals.update(
        site=title, version=version("rsjs-bench"), command=command, links=links, outcome=outcome
    )

    def write(path: str, template: str, content: Mapping[str, Any]) -> None:
        up = "../" * path.count("/")  # links begin with the way up from the page
        text = pages.get_template(f"{template}.html.j2").render(root=up, page=path, **content)
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")

    return write


class Downloads:
    """Writes files below the root of a site; `pictures` are to be drawn beside the pages."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.pictures: list[Callable[[], object]] = []
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

    def figure(self, name: str, figure: Figure, styles: Styles) -> str:
        """Return the path of a figure as PDF, drawn later."""
        path = f"{FOLDER}/{name}.pdf"
        self.pictures.append(partial(write, figure, self._root / path, styles))
        return path

    def text(self, name: str, text: str) -> str:
        """Write a text file; return its path."""
        path = f"{FOLDER}/{name}"
        (self._root / path).write_text(text, "utf-8")
        return path
