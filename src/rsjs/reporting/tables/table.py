"""
The one table of the project: rows, columns and notes, with writers for every place.

Writers: text of a terminal, GitHub Markdown, LaTeX (booktabs), CSV (full precision) and the body
of an HTML table. Importing this module loads neither pandas nor rich.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from html import escape
from itertools import groupby, zip_longest
from math import isfinite
from numbers import Real
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from rsjs.reporting.tables.formats import DASH, MISSING, folded, pieces_of

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]
Told = Callable[[Any, str], str]  # of a row and a key

NAMES = frozenset({"claim", "formulation", "instance", "method", "one", "other", "run"})
SHORT_HEADING = 7  # characters that fit above any number
LONGEST_LINE, LONGEST_NAME = 16, 28  # characters of a status and of a name on one line
LONGEST_HTML = 70  # characters of an HTML cell on one line
NARROWEST = 10  # characters of a text column that had to shrink
MOST_NAMED = 6  # columns that a terminal has no room for
GUTTER = 2  # blanks between the columns of a terminal
STYLES = {"bad": "\x1b[1;31m", "warn": "\x1b[33m", "title": "\x1b[1m"}
PLAIN = "\x1b[0m"
CONTROL = re.compile(r"[\x00-\x1f\x7f]")  # nothing in a cell steers a terminal
NUMBER = re.compile(r"-?[\d.]+(e-?\d+)?")
ROWS_ON_PAGE = 50  # LaTeX does not break a table
LINE_BREAK = r"\\"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    DASH: "--",
    "…": r"\ldots{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


@dataclass(frozen=True)
class Column:
    """A column: which value of a row it shows, and how."""

    key: str
    heading: str
    number: Callable[[float], str] | None = None  # format of numbers; None: text
    _: KW_ONLY
    unit: str = ""  # in brackets behind the heading
    missing: str = MISSING
    text: Callable[[Row], str] | None = None  # that is more than the value of `key`
    rank: int = 0  # in a narrow terminal, high ranks are left out first; rank 0 stays
    part: str = ""  # group of columns, for a table that is printed in several parts
    align: Literal["", "left", "right"] = ""  # by default numbers to the right

    @property
    def is_right(self) -> bool:
        """Whether its cells are aligned to the right."""
        return self.align == "right" or (not self.align and self.number is not None)

    @property
    def full_heading(self) -> str:
        """Heading with unit."""
        return f"{self.heading} [{self.unit}]" if self.unit else self.heading

    def heading_lines(self) -> list[str]:
        """Return the heading with the unit on several short lines."""
        lines = wrap(self.heading, max(SHORT_HEADING, *map(len, self.heading.split()), 0)) or [""]
        return [*lines, f"[{self.unit}]"] if self.unit else lines

    def cell(self, row: Row) -> str:
        """Return the text of a cell; `missing` where nothing is known."""
        value = self.text(row) if self.text else row.get(self.key)
        if isinstance(value, Real) and isfinite(value):
            return str(value) if self.number is None else self.number(float(value))
        if self.number is not None or not isinstance(value, str):
            return self.missing  # nan, NaT and NA, too
        return " ".join(value.split()) or self.missing

    def cell_lines(self, shown: str) -> list[str]:
        """Return the text of a cell on several lines: long names, and what is in parentheses."""
        if self.key in NAMES:
            return folded(shown, LONGEST_NAME)
        if self.number is None and shown.endswith(")") and LONGEST_LINE < len(shown) <= 40:
            return shown.replace(" (", "\n(").split("\n")
        return [shown]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with the columns to show of them; keys without a column are written to CSV only."""

    name: str = "table"  # of its files, and on its page
    title: str = ""
    columns: Sequence[Column]
    rows: Sequence[Row]  # values at full precision
    notes: Sequence[str] = ()  # caption: definitions and conditions
    footnotes: Sequence[str] = ()  # remarks on single rows
    # keys of columns whose values are headings of groups of rows: a terminal does not repeat the
    # first one, LaTeX prints all of them above the group
    sections: Sequence[str] = ()
    # classes of a cell: bad (bold in text), warn, good, best; a terminal colours the row
    mark: Told = lambda row, key: ""
    # for HTML: where a cell leads, from the root of the site or within the page; its id if not
    # `name`; which runs it is made of; columns to choose rows by; columns of seconds that are not
    # for a ranking; label -> path of a download; whether it is shown before it is asked for
    link: Told = lambda row, key: ""
    id: str = ""
    footer: str = ""
    choices: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    is_open: bool = True

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All values, at full precision."""
        import pandas as pd

        keys = None if self.rows else [column.key for column in self.columns]
        return pd.DataFrame([*self.rows], columns=keys)

    def without_constants(self) -> Table:
        """
        Return the table with columns whose cells are all equal told in a note instead.

        If that leaves nothing but the names, there is no grid: only rows for its CSV file.
        """
        if len(self.rows) < 2:
            return self
        shown = {
            column: {column.cell(row) for row in self.rows}
            for column in self.columns
            if column.key not in NAMES
        }
        constant = {column: cells.pop() for column, cells in shown.items() if len(cells) == 1}
        told = [
            f"{column.heading} {cell} {column.unit}".rstrip()
            for column, cell in constant.items()
            if cell not in (column.missing, "")
        ]
        columns = [column for column in self.columns if column not in constant]
        head = "In all rows"
        if told and len(columns) == 1:
            head, columns = ", ".join(columns[0].cell(row) for row in self.rows), []
        notes = [*self.notes, f"{head}: {'; '.join(told)}."] if told else self.notes
        return replace(self, columns=columns, notes=notes)

    @cached_property
    def cells(self) -> list[list[str]]:
        """The text of each cell, row by row; nothing without columns."""
        rows = self.rows if self.columns else []
        return [[column.cell(row) for column in self.columns] for row in rows]

    def csv(self) -> str:
        """Return all values at full precision; no text is a formula, see `rsjs.rows.csv`."""
        from rsjs.rows.csv import csv_text  # loads numpy

        heads = ",".join(column.key for column in self.columns)
        return csv_text(self.rows) if self.rows else f"{heads}\n"

    # terminal

    def fitting(self, width: int) -> list[Column]:
        """Return the columns that a terminal shows: rank 0, then by rank as long as they fit."""
        left, chosen = width + GUTTER, set()
        for column in sorted(self.columns, key=lambda column: column.rank):
            if column.rank == 0 or any(column.cell(row) != column.missing for row in self.rows):
                left -= self._needed(column)
                if left < 0 < column.rank:
                    break
                chosen.add(column.key)
        return [column for column in self.columns if column.key in chosen]

    def _needed(self, column: Column) -> int:
        cells = (line for row in self.rows for line in column.cell_lines(column.cell(row)))
        return max(map(len, [*column.heading_lines(), *cells])) + GUTTER

    def terminal(self, width: int = 100, *, colour: bool = False) -> str:
        """Return lines of at most `width` characters: the more room, the more columns."""
        columns = self.fitting(width)
        widths = self._widths(columns, width)
        title = STYLES["title"] + self.title + PLAIN if colour else self.title
        lines = [title] if self.title else []
        if any(column.full_heading for column in columns):
            heads = _stacked([column.heading_lines() for column in columns])
            lines += [_aligned(parts, columns, widths) for parts in heads]
            lines.append("─" * min(width, sum(widths) + GUTTER * (len(widths) - 1)))
        before = None
        for row in self.rows if columns else ():
            cells = [
                [
                    part
                    for text in column.cell_lines(column.cell(row))
                    for part in folded(text, most)
                ]
                for column, most in zip(columns, widths, strict=True)
            ]
            if columns[0].key in self.sections:
                group = columns[0].cell(row)
                lines += [""] if before not in (None, group) else []
                cells[0] = [""] if group == before else cells[0]
                before = group
            marks = {self.mark(row, column.key) for column in columns} if colour else set()
            style = next((STYLES[word] for word in ("bad", "warn") if word in marks), "")
            for parts in zip_longest(*cells, fillvalue=""):
                text = _aligned(parts, columns, widths)
                lines.append(f"{style}{text}{PLAIN}" if style else text)
        for note in (*self._left_out(columns), *self.notes, *self.footnotes):
            lines += wrap(note, width, break_on_hyphens=False)
        return "\n".join(lines)

    def _left_out(self, shown: Sequence[Column]) -> list[str]:
        """Return a note that names the columns with values for which there was no room."""
        left = [
            column.heading
            for column in sorted(self.columns, key=lambda column: column.rank)
            if column not in shown and any(column.cell(row) != column.missing for row in self.rows)
        ]
        named = [
            *left[:MOST_NAMED],
            *([f"{len(left) - MOST_NAMED} more"] * (len(left) > MOST_NAMED)),
        ]
        return [f"A wider terminal also shows: {', '.join(named)}."] if named else []

    def _widths(self, columns: Sequence[Column], width: int) -> list[int]:
        """Characters of each column: where not all fit, the widest text gives way first."""
        widths = [self._needed(column) - GUTTER for column in columns]
        texts = [i for i, column in enumerate(columns) if column.number is None]
        whole = {i: self._unbroken(columns[i]) for i in texts}
        for least in (whole, dict.fromkeys(texts, NARROWEST)):
            while sum(widths) + GUTTER * (len(widths) - 1) > width:
                wide = [i for i in texts if widths[i] > least[i]]
                if not wide:
                    break
                widths[max(wide, key=widths.__getitem__)] -= 1
        return widths

    def _unbroken(self, column: Column) -> int:
        """Characters of a text column in which words of names stay whole, if they are not long."""
        pieces = (len(p) for row in self.rows for p in pieces_of(column.cell(row)))
        longest = max(pieces, default=0) if column.key in NAMES else 0
        return min(max(NARROWEST, longest), LONGEST_LINE)

    # Markdown

    def markdown(self, level: int = 0) -> str:
        """Return the table with its notes; `level` of the heading, 0 = without."""
        parts = [f"{'#' * level} {self.title}"] if level else []
        if self.cells:
            rules = ["---:" if column.is_right else ":---" for column in self.columns]
            cells = [[escaped(column.full_heading) for column in self.columns], rules]
            for row, texts in zip(self.rows, self.cells, strict=True):
                cells.append([*map(partial(self._markdown, row), self.columns, texts)])
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
        parts.append("\n".join(f"{escaped(note)}  " for note in self.notes))
        parts.append("\n".join(f"- {escaped(note)}" for note in self.footnotes))
        return "\n\n".join(filter(None, parts)) + "\n"

    def _markdown(self, row: Row, column: Column, shown: str) -> str:
        shown = code(shown) if column.key in NAMES else escaped(shown)
        return f"**{shown}**" if self.mark(row, column.key) == "bad" else shown

    # LaTeX

    def latex(self) -> str:
        """
        Return tables of at most a page each, the notes below the last one.

        A document needs `booktabs` only.
        """
        rows = [*zip(self.rows, self.cells, strict=True)] if self.cells else []
        lines: list[str] = []
        for first in range(0, len(rows), ROWS_ON_PAGE):
            caption = latex_escaped(self.title) + (" (continued)" if first else "")
            lines += [*([r"\end{table}", ""] if first else []), r"\begin{table}"]
            lines += self._latex(rows[first : first + ROWS_ON_PAGE], caption)
        told = (*self.notes, *self.footnotes)
        lines += [rf"\par\smallskip {latex_escaped(note)}" for note in told]
        return "\n".join([*lines, *([r"\end{table}"] if rows else []), ""])

    def _section(self, row: Row) -> str:
        names = [column for column in self.columns if column.key in self.sections]
        known = [
            f"{column.heading} {latex_number(column.cell(row))} {latex_escaped(column.unit)}"
            for column in names[1:]
        ]
        heads = [rf"\textit{{{latex_escaped(column.cell(row))}}}" for column in names[:1]]
        return ", ".join([*heads, *known])

    def _latex(self, rows: Sequence[tuple[Row, list[str]]], caption: str) -> Iterator[str]:
        shown = [i for i, column in enumerate(self.columns) if column.key not in self.sections]
        columns = [self.columns[i] for i in shown]
        yield r"\centering\scriptsize\setlength{\tabcolsep}{3pt}"
        yield rf"\caption{{{caption}}}\medskip"
        align = "".join("r" if column.is_right else "l" for column in columns)
        yield from (rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}", r"\toprule")
        for parts in _stacked([column.heading_lines() for column in columns]):
            yield latex_line([latex_escaped(words) for words in parts])
        for heading, group in groupby(rows, lambda line: self._section(line[0])):
            yield r"\midrule"
            if heading:
                yield rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{{heading}}} \\"
            for row, texts in group:
                yield latex_line([self._latex_cell(row, self.columns[i], texts[i]) for i in shown])
        yield from (r"\bottomrule", r"\end{tabular}")

    def _latex_cell(self, row: Row, column: Column, text: str) -> str:
        if column.number is not None:
            return latex_number(text)
        lines = [latex_escaped(part) for part in column.cell_lines(text)]
        stacked = LINE_BREAK.join(map(_after_break, lines))
        shown = lines[0] if len(lines) == 1 else rf"\shortstack[l]{{{stacked}}}"
        return rf"\textbf{{{shown}}}" if self.mark(row, column.key) == "bad" else shown

    # HTML

    def html(self, root: str = "") -> str:
        """Return the rows as HTML; `root` is the way up from the page."""
        return "\n".join(self.html_row(row, root) for row in self.rows)

    def html_row(self, row: Row, root: str = "") -> str:
        """Return one of the rows as HTML."""
        return f"<tr>{''.join([self._html(row, column, root) for column in self.columns])}</tr>"

    def _html(self, row: Row, column: Column, root: str) -> str:
        text, value, href = column.cell(row), row.get(column.key), self.link(row, column.key)
        is_number, attributes = column.number is not None, ""
        marks = [
            self.mark(row, column.key),
            "shared" if column.key in self.shared else "",
            "wide" if not is_number and len(text) > LONGEST_HTML else "",
            "n" if column.is_right else "",
        ]
        if is_number and isinstance(value, Real) and value == value and not NUMBER.fullmatch(text):
            attributes = f' data-k="{value:.9g}"'  # what `<0.001` is sorted by
        if kind := " ".join(filter(None, marks)):
            attributes += f' class="{escape(kind)}"'
        shown = escape(text)
        if href:  # one link of a row or two are reached by the keyboard
            is_named = column.key in NAMES or column == self.columns[0]
            up, reached = "" if href[0] == "#" else root, "" if is_named else ' tabindex="-1"'
            shown = f'<a href="{up}{escape(href)}"{reached}>{shown}</a>'
        return f"<td{attributes}>{shown}</td>"


def markdown_all(tables: Sequence[Table], conditions: Sequence[str]) -> str:
    """Return one section for each table, conditions at the end."""
    parts = [table.markdown(2) for table in tables]
    return "\n".join([*parts, "\n".join(f"{escaped(text)}  " for text in conditions)]) + "\n"


def latex_all(tables: Sequence[Table], conditions: Sequence[str] = ()) -> str:
    """Return all tables, conditions below the first one."""
    first, *others = tables
    first = replace(first, notes=[*first.notes, *conditions])
    made = [table.latex() for table in (first, *others)]
    return "\n".join(filter(None, [r"% needs \usepackage{booktabs}", *made])) + "\n"


def escaped(words: str) -> str:
    r"""
    Return text that Markdown shows as it is.

    >>> print(escaped("50 % of a_b | <c> & [d]"))
    50 % of a\_b \| \<c\> \& \[d\]
    """
    return re.sub(r"([\\`*_{}\[\]<>|~#&$])", r"\\\1", words)


def code(name: str) -> str:
    """
    Return a name as a code span, where only backticks and, in a table, pipes need care.

    >>> print(code("a_b|c"), code("a`b"))
    `a_b\\|c` `` a`b ``
    """
    longest = max(map(len, re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{name}{pad}{fence}".replace("|", r"\|")


def latex_escaped(words: str) -> str:
    r"""
    Return text that LaTeX prints as it is.

    >>> print(latex_escaped("50 % of a_b & c|d"))
    50 \% of a\_b \& c\textbar{}d
    """
    return "".join(SPECIAL.get(sign, sign) for sign in words)


def latex_number(shown: str) -> str:
    r"""
    Return a formatted number with real minus signs and powers of ten.

    >>> print(latex_number("-22.6"), latex_number("5.88e-5"), latex_number("<0.001"))
    $-22.6$ $5.88\cdot10^{-5}$ $<$0.001
    """
    shown = re.sub(r"^([<>])", r"$\1$", shown)
    if power := re.fullmatch(r"(-?[\d.]+)e(-?\d+)", shown):
        return rf"${power[1]}\cdot10^{{{power[2]}}}$"
    return f"${shown}$" if shown.startswith("-") else shown.replace(DASH, "--")


def latex_line(cells: Sequence[str]) -> str:
    """Return a row of a LaTeX table."""
    return _after_break(" & ".join(cells)) + rf" {LINE_BREAK}"


def _after_break(text: str) -> str:
    r"""Text that \\ before it does not take for its argument."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _aligned(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    parts = (
        cell.rjust(width) if column.is_right else cell.ljust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    )
    return CONTROL.sub("", (" " * GUTTER).join(parts)).rstrip()


def _stacked(heads: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The lines of headings side by side, all ending at the lowest one."""
    return [*zip_longest(*(head[::-1] for head in heads), fillvalue="")][::-1]
