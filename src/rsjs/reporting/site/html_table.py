"""A table on a page: a sheet, and for each cell where it leads and how it is marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from numbers import Real
from typing import Any, NamedTuple

from rsjs.reporting.statistics.sheet import Column, Sheet
from rsjs.reporting.statistics.sheet_text import NAMES

Line = Mapping[str, Any]
Told = Callable[[Line, str], str]

LONGEST = 70  # characters of a cell on one line
NAME_KEYS = {*NAMES, "instance", "run"}


def _nothing(line: Line, key: str) -> str:
    return ""


class Cell(NamedTuple):
    """
    Attributes
    ----------
    text : str
    key : str
        What it is sorted by, if that is not its text.
    href, mark : str
        Path from the root of the site, or within the page; class names.
    is_name : bool
        Whether its link is reached by the keyboard: one in a line is enough.
    """

    text: str
    key: str
    href: str
    mark: str
    is_name: bool

    def html(self, root: str) -> str:
        """The cell as HTML; `root` is the way up from its page."""
        key = f' data-k="{escape(self.key)}"' if self.key else ""
        mark = f' class="{escape(self.mark)}"' if self.mark else ""
        shown = escape(self.text)
        if self.href:
            up = "" if self.href.startswith("#") else root
            reached = "" if self.is_name else ' tabindex="-1"'
            return f'<td{key}{mark}><a href="{up}{escape(self.href)}"{reached}>{shown}</a></td>'
        return f"<td{key}{mark}>{shown}</td>"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    Attributes
    ----------
    sheet : Sheet
    id : str
        On its page.
    footer : str
        See `footing`.
    link, mark : function of a line and a key to str
        Where a number comes from; classes: bad, warn, good, best.
    choices : set of str
        Keys of columns to choose lines by.
    shared : set of str
        Keys of columns of seconds that are not for a ranking.
    files : mapping
        Label -> path of a download.
    is_open : bool
        Whether it is shown at once; otherwise when asked for.
    """

    sheet: Sheet
    id: str
    footer: str
    link: Told = _nothing
    mark: Told = _nothing
    choices: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    is_open: bool = True

    @property
    def heads(self) -> Sequence[Column]:
        """The columns."""
        return self.sheet.columns

    def lines(self) -> Iterator[list[Cell]]:
        """The cells of each line."""
        for line in self.sheet.lines.to_dict("records"):
            yield [self._cell(line, column) for column in self.heads]

    def html(self, root: str) -> str:
        """The lines as HTML."""
        return "\n".join(
            f"<tr>{''.join([cell.html(root) for cell in cells])}</tr>" for cells in self.lines()
        )

    def _cell(self, line: Line, column: Column) -> Cell:
        value = line[column.key]
        text = column.text(value)
        key = "" if column.number is None else _sort_key(value, text)
        marks = [
            self.mark(line, column.key),
            "shared" if column.key in self.shared else "",
            "wide" if column.number is None and len(text) > LONGEST else "",
            "n" if column.number is not None else "",
        ]
        return Cell(
            text=text,
            key=key,
            href=self.link(line, column.key),
            mark=" ".join(filter(None, marks)),
            is_name=column.key in NAME_KEYS,
        )


def _sort_key(value: Any, text: str) -> str:
    """The number itself where its text is none, as `<0.001`; "" where it is missing."""
    if not isinstance(value, Real) or value != value:
        return ""
    try:
        float(text)
    except ValueError:
        return f"{value:.9g}"
    return ""
