"""
Tables as text, a block of lines at a time: numbers and texts of the columns that are wanted.

A block whose lines all have the fields of the header, and no quotes, goes to pandas as it is. The
others are taken apart line by line first, so that the number of each row's line is known and the
lines with other numbers of fields are told. A quoted field may not hold a line break.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.traces.io.streams import BLOCK, line_blocks

_NEWLINE, _QUOTE, _RETURN, _NUL = 0x0A, b'"', b"\r", b"\0"
_DTYPE = {"text": "S64", "date": "S32", "word": "category"}


@dataclass(frozen=True, kw_only=True)
class CsvLayout:
    """
    How a table is written.

    Attributes
    ----------
    columns : tuple of str
        All of them, in the order of the file.
    wanted : mapping of str to "number" | "date" | "text" | "word"
        Columns to read; a word is one of few different texts.
    separator : str
    header : bool
        Whether the first line names the columns.
    """

    columns: tuple[str, ...]
    wanted: Mapping[str, str]
    separator: str = ","
    header: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class TableBlock:
    """
    Some consecutive rows.

    Attributes
    ----------
    line : (n,) int
    frame : DataFrame with the wanted columns
    other : (m,) int
        Lines that do not have the fields of the header.
    """

    line: Ints
    frame: Any
    other: Ints


def blocks(
    stream: io.BufferedIOBase, file: str, layout: CsvLayout, size: int = BLOCK
) -> Iterator[TableBlock]:
    """All rows; `Truncated` after the last of a file that ends early."""
    for first, lines, text in line_blocks(stream, file, size):
        if first == 1 and layout.header:
            text = text[text.index(b"\n") + 1 :]
            first, lines = 2, lines - 1
        if text:
            yield _block(np.arange(first, first + lines, dtype=np.int64), text, layout)


def numbers(column: Any) -> tuple[Floats, Bools]:
    """(n,) values, NaN where there is none; (n,) whether a text stands there that is no number."""
    if column.dtype.kind in "iuf":
        values = column.to_numpy(dtype=np.float64)
        wrong = np.isinf(values)
    else:
        texts = column.astype(object).where(column.notna(), None).map(_text)
        values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
        wrong = column.notna().to_numpy() & ~np.isfinite(values)
    return np.where(wrong, np.nan, values), wrong


def words(column: Any) -> tuple[Ints, tuple[str, ...]]:
    """(n,) positions in the different words, -1 where there is none, and the words."""
    codes = column.cat.codes.to_numpy().astype(np.int64)
    return codes, tuple(str(word) for word in column.cat.categories)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _block(line: Ints, text: bytes, layout: CsvLayout) -> TableBlock:
    if _is_regular(text, len(line), layout):
        return TableBlock(line=line, frame=_frame(text, layout), other=line[:0])
    rows = _taken_apart(text, layout)
    whole = np.array([len(row) == len(layout.columns) for row in rows])
    filled = np.array([bool(row) for row in rows])
    text = _written([row for row in rows if len(row) == len(layout.columns)], layout)
    frame = _frame(text, layout)
    return TableBlock(line=line[whole], frame=frame, other=line[filled & ~whole])


def _is_regular(text: bytes, lines: int, layout: CsvLayout) -> bool:
    """Whether each line has the fields of the header and nothing is odd."""
    if (
        _QUOTE in text
        or _NUL in text
        or (_RETURN in text and text.count(_RETURN) != text.count(b"\r\n"))
    ):
        return False
    data = np.frombuffer(text, dtype=np.uint8)
    marks = np.flatnonzero((data == _NEWLINE) | (data == ord(layout.separator)))
    fields = len(layout.columns)
    # If all these marks are ends of lines, there are as many as lines: no other mark is one.
    ends = marks[fields - 1 :: fields]
    return len(marks) == fields * lines and bool((data[ends] == _NEWLINE).all())


def _taken_apart(text: bytes, layout: CsvLayout) -> list[Sequence[str]]:
    """The fields of each line; none of a blank line, "" alone of a line that is no CSV."""
    rows: list[Sequence[str]] = []
    for entry in text.decode("utf-8", "replace").split("\n")[:-1]:
        try:
            found = next(csv.reader([entry.rstrip("\r")], delimiter=layout.separator), [])
        except csv.Error:
            found = [""]
        rows.append([""] if "\0" in entry else found)
    return rows


def _written(rows: Sequence[Sequence[str]], layout: CsvLayout) -> bytes:
    out = io.StringIO(newline="")
    kind = {"delimiter": layout.separator, "quoting": csv.QUOTE_ALL, "lineterminator": "\n"}
    csv.writer(out, **kind).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().replace(_RETURN.decode(), " ").encode("utf-8", "replace")


def _frame(text: bytes, layout: CsvLayout) -> Any:
    names = [f"c{i}" for i in range(len(layout.columns))]  # those of the file may stand twice
    position = dict(zip(layout.columns, names, strict=True))
    frame = pd.read_csv(
        io.BytesIO(layout.separator.join(names).encode() + b"\n" + text),
        sep=layout.separator,
        usecols=[position[name] for name in layout.wanted],
        dtype={position[n]: _DTYPE[kind] for n, kind in layout.wanted.items() if kind in _DTYPE},
        encoding_errors="replace",
        low_memory=False,
        engine="c",
        skip_blank_lines=False,
    )
    frame.columns = [name for name in layout.columns if name in layout.wanted]
    return frame
