"""
Tables as text, read by pandas a block of lines at a time.

A block whose lines all have the fields of the header, and no quotes, goes to pandas as it is. The
others are split line by line first, so that the number of each row's line is known and the lines
with other numbers of fields are reported. A quoted field may not hold a line break.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsjs.core.types import Ints
from rsjs.instances.traces.io.streams import ByteSource, line_blocks

_NEWLINE, _QUOTE, _RETURN, _NUL = 0x0A, b'"', b"\r", b"\0"
_DTYPE = {"text": "S64", "date": "S32", "word": "category"}


@dataclass(frozen=True, kw_only=True)
class CsvLayout:
    """Encoding, separator and header of a table."""

    columns: tuple[str, ...]  # all of them, in the order of the file
    # column to read -> "number" | "date" | "text" | "word", which is one of few different texts
    wanted: Mapping[str, str]
    separator: str
    header: bool  # whether the first line names the columns


def read_blocks(source: ByteSource, layout: CsvLayout) -> Iterator[tuple[Ints, Any, Ints]]:
    """
    Read a table block by block; `Truncated` after the last row of a file that ends early.

    Yields
    ------
    (n,) int
        Lines of the rows.
    DataFrame
        The wanted columns of these rows.
    (m,) int
        Lines that do not have the fields of the header.
    """
    for first, lines, text in line_blocks(source):
        if first == source.first_line and layout.header:
            text = text[text.index(b"\n") + 1 :]
            first, lines = first + 1, lines - 1
        if not text:
            continue
        line = np.arange(first, first + lines, dtype=np.int64)
        if _is_regular(text, lines, layout):
            yield line, _frame(text, layout), line[:0]
            continue
        # Something is odd: only the lines with all fields go to pandas, quoted anew.
        rows = _split(text, layout)
        whole = np.array([len(row) == len(layout.columns) for row in rows])
        filled = np.array([bool(row) for row in rows])
        text = _joined([row for row in rows if len(row) == len(layout.columns)], layout)
        yield line[whole], _frame(text, layout), line[filled & ~whole]


def _is_regular(text: bytes, lines: int, layout: CsvLayout) -> bool:
    """Return whether each line has the fields of the header and nothing is odd."""
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


def split_line(line: str, separator: str) -> list[str]:
    """Return the fields of a line: none of a blank one, "" of one that is no CSV."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return [""]


def _split(text: bytes, layout: CsvLayout) -> list[Sequence[str]]:
    """Split each line into fields."""
    lines = text.decode("utf-8", "replace").split("\n")[:-1]
    return [
        [""] if "\0" in line else split_line(line.rstrip("\r"), layout.separator) for line in lines
    ]


def _joined(rows: Sequence[Sequence[str]], layout: CsvLayout) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=layout.separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows(rows)
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
