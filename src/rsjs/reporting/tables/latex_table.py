"""A comparison in LaTeX: a table of costs and one of effort, narrow enough for a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rsjs.reporting.tables.columns import COLUMNS, Column
from rsjs.reporting.tables.footnotes import GAP_LATEX, conditions, remarks
from rsjs.reporting.tables.formats import DASH
from rsjs.reporting.tables.select import Row, is_wrong

TITLES = {
    "cost": "Checked costs and gaps.",
    "effort": "Executed jobs, wall-clock time and peak memory.",
}
ROWS_ON_PAGE = 50
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


def text(rows: Sequence[Row]) -> str:
    """Costs, then effort; the first caption defines the gap, the first of each the conditions."""
    told = " ".join(escaped(line) for line in conditions(rows))
    captions = {"cost": f"{GAP_LATEX} {told}", "effort": told}
    pages = list(_pages(rows))
    lines = [r"% needs \usepackage{booktabs}"]
    for part, title in TITLES.items():
        for number_of_page, page in enumerate(pages):
            below = captions[part] if number_of_page == 0 else "Continued."
            last = part == "cost" and page is pages[-1]
            lines += _table(page, part, f"{title} {below}", remarks(rows) if last else [])
    return "\n".join(lines) + "\n"


def _pages(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Whole instances, at most as many as fit a page: LaTeX does not break a table."""
    page: list[Row] = []
    for _, group in groupby(rows, _heading):
        of_instance = list(group)
        if page and len(page) + len(of_instance) > ROWS_ON_PAGE:
            yield page
            page = []
        page = page + of_instance
    yield page


def _table(rows: Sequence[Row], part: str, caption: str, told: Sequence[str]) -> Iterator[str]:
    columns = [column for column in COLUMNS if column.part in ("method", part)]
    yield from (r"\begin{table}", r"\centering\scriptsize\setlength{\tabcolsep}{3pt}")
    yield rf"\caption{{{caption}}}\medskip"
    yield rf"\begin{{tabular}}{{@{{}}{''.join(column.align[0] for column in columns)}@{{}}}}"
    yield r"\toprule"
    heads = [column.heading_lines(column.latex) for column in columns]
    tallest = max(map(len, heads))
    for parts in zip(*([""] * (tallest - len(head)) + head for head in heads), strict=True):
        yield table_line([escaped(words) for words in parts])
    for heading, group in groupby(rows, _heading):
        yield r"\midrule"
        yield rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{{heading}}} \\"
        yield from (table_line([_cell(column, row) for column in columns]) for row in group)
    yield from (r"\bottomrule", r"\end{tabular}")
    yield from (rf"\par\smallskip {escaped(line)}" for line in told)
    yield from (r"\end{table}", "")


def escaped(words: str) -> str:
    r"""
    Text that LaTeX prints as it is.

    >>> print(escaped("50 % of a_b & c|d"))
    50 \% of a\_b \& c\textbar{}d
    """
    return "".join(SPECIAL.get(sign, sign) for sign in words)


def number(shown: str) -> str:
    r"""
    A formatted number with real minus signs and powers of ten.

    >>> print(number("-22.6"), number("5.88e-5"), number("<0.001"))
    $-22.6$ $5.88\cdot10^{-5}$ $<$0.001
    """
    shown = re.sub(r"^([<>])", r"$\1$", shown)
    if power := re.fullmatch(r"(-?[\d.]+)e(-?\d+)", shown):
        return rf"${power[1]}\cdot10^{{{power[2]}}}$"
    return f"${shown}$" if shown.startswith("-") else shown.replace(DASH, "--")


def _heading(row: Row) -> str:
    instance, *others = [column for column in COLUMNS if column.part == "instance"]
    known = (
        f"{column.heading} {number(column.cell(row))} {escaped(column.unit)}" for column in others
    )
    return ", ".join([rf"\textit{{{escaped(instance.cell(row))}}}", *known])


def _cell(column: Column, row: Row) -> str:
    if column.number is not None:
        return number(column.cell(row))
    lines = [escaped(line) for line in column.cell_lines(row)]
    stacked = LINE_BREAK.join(map(after_break, lines))
    shown = lines[0] if len(lines) == 1 else rf"\shortstack[l]{{{stacked}}}"
    return rf"\textbf{{{shown}}}" if column.key == "stop" and is_wrong(row) else shown


def table_line(cells: Sequence[str]) -> str:
    """A row of a table."""
    return after_break(" & ".join(cells)) + rf" {LINE_BREAK}"


def after_break(text: str) -> str:
    r"""Text that \\ before it does not take for its argument."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text
