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
from numpy.typing import NDArray

from rsjs.instances.streams import Floats
from rsjs.instances.traces.line_blocks import BLOCK, line_blocks, lines_of

_NEWLINE, _QUOTE, _RETURN, _NUL = 0x0A, b'"', b"\r", b"\0"
_DTYPE = {"text": "S64", "date": "S32", "word": "category"}


@dataclass(frozen=True, kw_only=True)
class Layout:
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
class Block:
    """
    Some consecutive rows.

    Attributes
    ----------
    line : (n,) int
    frame : DataFrame with the wanted columns
    other : (m,) int
        Lines that do not have the fields of the header.
    """

    line: NDArray[np.int64]
    frame: Any
    other: NDArray[np.int64]


def blocks(
    stream: io.BufferedIOBase, file: str, layout: Layout, size: int = BLOCK
) -> Iterator[Block]:
    """All rows; `Truncated` after the last of a file that ends early."""
    for first, text in line_blocks(stream, file, size):
        if first == 1 and layout.header:
            text = text[text.index(b"\n") + 1 :]
            first = 2
        if text:
            yield _block(first, text, layout)


def numbers(column: Any) -> tuple[Floats, NDArray[np.bool_]]:
    """(n,) values, NaN where there is none; (n,) whether a text stands there that is no number."""
    if column.dtype.kind in "iuf":
        values = column.to_numpy(dtype=np.float64)
        wrong = np.isinf(values)
    else:
        texts = column.astype(object).where(column.notna(), None).map(_text)
        values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
        wrong = column.notna().to_numpy() & ~np.isfinite(values)
    return np.where(wrong, np.nan, values), wrong


def words(column: Any) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """(n,) positions in the different words, -1 where there is none, and the words."""
    codes = column.cat.codes.to_numpy().astype(np.int64)
    return codes, tuple(str(word) for word in column.cat.categories)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _block(first: int, text: bytes, layout: Layout) -> Block:
    n = lines_of(text)
    line = np.arange(first, first + n, dtype=np.int64)
    whole = np.ones(n, dtype=bool)
    if not _is_regular(text, layout):
        rows = _taken_apart(text, layout)
        whole = np.array([len(row) == len(layout.columns) for row in rows])
        filled = np.array([bool(row) for row in rows])
        line, whole = line[filled], whole[filled]
        text = _written([row for row in rows if len(row) == len(layout.columns)], layout)
    return Block(line=line[whole], frame=_frame(text, layout), other=line[~whole])


def _is_regular(text: bytes, layout: Layout) -> bool:
    """Whether each line has the fields of the header and nothing is odd."""
    if (
        _QUOTE in text
        or _NUL in text
        or (_RETURN in text and text.count(_RETURN) != text.count(b"\r\n"))
    ):
        return False
    data = np.frombuffer(text, dtype=np.uint8)
    ends = data == _NEWLINE
    marks = np.flatnonzero(ends | (data == ord(layout.separator)))
    fields = np.diff(np.flatnonzero(ends[marks]), prepend=-1)
    return bool((fields == len(layout.columns)).all())


def _taken_apart(text: bytes, layout: Layout) -> list[Sequence[str]]:
    """The fields of each line; none of a blank line, "" alone of a line that is no CSV."""
    rows: list[Sequence[str]] = []
    for entry in text.decode("utf-8", "replace").split("\n")[:-1]:
        try:
            found = next(csv.reader([entry.rstrip("\r")], delimiter=layout.separator), [])
        except csv.Error:
            found = [""]
        rows.append([""] if "\0" in entry else found)
    return rows


def _written(rows: Sequence[Sequence[str]], layout: Layout) -> bytes:
    out = io.StringIO(newline="")
    kind = {"delimiter": layout.separator, "quoting": csv.QUOTE_ALL, "lineterminator": "\n"}
    csv.writer(out, **kind).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().replace(_RETURN.decode(), " ").encode("utf-8", "replace")


def _frame(text: bytes, layout: Layout) -> Any:
    position = {name: f"c{i}" for i, name in enumerate(layout.columns)}
    frame = pd.read_csv(
        io.BytesIO(layout.separator.join(position.values()).encode() + b"\n" + text),
        sep=layout.separator,
        usecols=[position[name] for name in layout.wanted],
        dtype={position[n]: _DTYPE[kind] for n, kind in layout.wanted.items() if kind in _DTYPE},
        encoding_errors="replace",
        low_memory=False,
        engine="c",
        skip_blank_lines=False,
    )
    return frame.rename(columns={short: name for name, short in position.items()})
