"""Tables of statistics as Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rsjs.reporting.statistics.sheet import Column, Sheet
from rsjs.reporting.tables import latex_table, markdown_table

ROWS_ON_PAGE = latex_table.ROWS_ON_PAGE  # LaTeX does not break a table
NAMES = ("method", "one", "other")  # columns of method names


def csv(sheet: Sheet) -> str:
    """All columns at full precision."""
    text: str = sheet.lines.to_csv(index=False, lineterminator="\n")
    return text


def markdown(sheets: Sequence[Sheet], told: Sequence[str]) -> str:
    """One section for each table, conditions at the end."""
    parts = [part for sheet in sheets for part in _markdown(sheet)]
    parts.append("\n".join(f"{markdown_table.escaped(line)}  " for line in told))
    return "\n\n".join(parts) + "\n"


def latex(sheets: Sequence[Sheet], told: Sequence[str]) -> str:
    """One table for each sheet; a document needs `booktabs` only."""
    lines = [r"% needs \usepackage{booktabs}"]
    for sheet in sheets:
        lines += _latex(sheet, told if sheet is sheets[0] else ())
    return "\n".join(lines) + "\n"


def _markdown(sheet: Sheet) -> Iterator[str]:
    yield f"## {sheet.title}"
    if len(sheet.lines):
        rules = [":---" if column.number is None else "---:" for column in sheet.columns]
        lines = [[markdown_table.escaped(column.heading) for column in sheet.columns], rules]
        lines += [
            [_marked(column, cell) for column, cell in zip(sheet.columns, cells, strict=True)]
            for cells in sheet.cells()
        ]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield from (markdown_table.escaped(note) for note in sheet.notes)


def _marked(column: Column, cell: str) -> str:
    return markdown_table.code(cell) if column.key in NAMES else markdown_table.escaped(cell)


def _latex(sheet: Sheet, told: Sequence[str]) -> Iterator[str]:
    cells = sheet.cells()
    for first in range(0, len(cells), ROWS_ON_PAGE):
        said = ["Continued."] if first else [*sheet.notes, *told]
        page = cells[first : first + ROWS_ON_PAGE]
        yield from _latex_page(sheet, page, " ".join([f"{sheet.title}.", *said]))


def _latex_page(sheet: Sheet, page: Sequence[Sequence[str]], caption: str) -> Iterator[str]:
    escaped = latex_table.escaped
    align = "".join("l" if column.number is None else "r" for column in sheet.columns)
    yield from (r"\begin{table}", r"\centering\scriptsize\setlength{\tabcolsep}{3pt}")
    yield rf"\caption{{{escaped(caption)}}}\medskip"
    yield rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}"
    yield r"\toprule"
    yield latex_table.table_line([escaped(column.heading) for column in sheet.columns])
    yield r"\midrule"
    for cells in page:
        yield latex_table.table_line(
            [
                escaped(cell) if column.number is None else latex_table.number(cell)
                for column, cell in zip(sheet.columns, cells, strict=True)
            ]
        )
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}", "")
