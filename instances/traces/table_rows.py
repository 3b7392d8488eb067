"""The rows of a table with a header, as the common record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rsjs.instances.traces.columns import Columns, Index
from rsjs.instances.traces.flaws import FIELDS
from rsjs.instances.traces.io.csv import Layout, blocks
from rsjs.instances.traces.io.streams import HEAD, Source, pieces
from rsjs.instances.traces.records import Rows, flawed
from rsjs.instances.traces.trace_format import header_of

Make = Callable[[Columns, str, Index], Rows]


def table_rows(source: Source, wanted: Mapping[str, str], make: Make) -> Iterator[Rows]:
    """
    A chunk for each block of lines, and one for the lines that are no rows.

    Parameters
    ----------
    wanted : mapping
        See `csv_blocks.Layout`.
    make : function of the columns, the name of the file and the (n,) lines
    """
    with source.open() as stream:
        columns = header_of(next(pieces(stream, HEAD), b""))
    yield from layout_rows(source, Layout(columns=columns, wanted=wanted), make)


def layout_rows(source: Source, layout: Layout, make: Make) -> Iterator[Rows]:
    """The same for a layout that is known."""
    with source.open() as stream:
        for block in blocks(stream, source.name, layout):
            if len(block.other):
                yield flawed(source.name, block.other, FIELDS)
            if len(block.line):
                yield make(Columns(block), source.name, block.line)
