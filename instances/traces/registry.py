"""The trace formats, and which of them some files are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.instances.traces.formats.gavel import GAVEL
from rsjs.instances.traces.formats.helios import HELIOS
from rsjs.instances.traces.formats.openb import OPENB
from rsjs.instances.traces.formats.pai import PAI
from rsjs.instances.traces.formats.philly import PHILLY
from rsjs.instances.traces.formats.spot import SPOT
from rsjs.instances.traces.io.streams import ByteSource, sources
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceNodes, TraceTable

FORMATS: Mapping[str, TraceFormat] = {
    each.name: each for each in (OPENB, PAI, SPOT, PHILLY, HELIOS, GAVEL)
}


@dataclass(frozen=True, kw_only=True)
class Trace:
    """
    A trace that can be read, as often as one likes.

    Attributes
    ----------
    format : TraceFormat
    tables : mapping of str to ByteSource
        Table -> where it is.
    missing : mapping of str to tuple of str
        Table -> columns that it lacks; there are no rows if any does.
    ignored : tuple of str
        Members of archives that are no table of the format.
    """

    format: TraceFormat
    tables: Mapping[str, ByteSource]
    missing: Mapping[str, tuple[str, ...]]
    ignored: tuple[str, ...]

    def rows(self) -> Iterator[JobRecords]:
        """All rows in chunks; `Truncated` after the last of a file that ends early."""
        return self.format.rows(self.tables)

    def nodes(self) -> list[TraceNodes]:
        """The nodes of the node list; none without one."""
        lists = [table for table in self.format.nodes if table in self.tables]
        return [group for table in lists for group in self.format.nodes[table](self.tables[table])]


def open_trace(paths: Sequence[Path]) -> Trace:
    """
    The trace in some files, told by their first bytes.

    Parameters
    ----------
    paths : sequence of Path
        Plain, .gz, or archives (.zip, .tar, .tar.gz) with the tables of one trace.

    Raises
    ------
    InputError
        A file of no format, of two formats, a table twice, or a table that is needed missing.
    """
    found: dict[tuple[str, str], tuple[ByteSource, tuple[str, ...]]] = {}
    ignored = []
    for path in paths:
        some = False
        for source, head in sources(path):
            told = _told(head)
            if told is None:
                ignored.append(source.name)
                continue
            format, table, missing = told
            if (format.name, table.name) in found:
                raise InputError("", described(f"a second {table.name}"), "one", source.name)
            found[format.name, table.name] = source, missing
            some = True
        if not some:
            expected = f"a table of one of the formats {', '.join(FORMATS)}"
            raise InputError("", described("no table of a known trace"), expected, path)
    names = sorted({format for format, _ in found})
    if len(names) > 1:
        raise InputError(
            "", described(f"tables of {' and '.join(names)}"), "of one format", paths[0]
        )
    format = FORMATS[names[0]]
    tables = {table: source for (_, table), (source, _) in found.items()}
    absent = [table.name for table in format.tables if table.needed and table.name not in tables]
    if absent:
        known = described(f"the {', '.join(tables)} of {format.name}")
        raise InputError("", known, f"the {', '.join(absent)} too", paths[0])
    return Trace(
        format=format,
        tables=tables,
        missing={table: missing for (_, table), (_, missing) in found.items() if missing},
        ignored=tuple(ignored),
    )


def _told(head: bytes) -> tuple[TraceFormat, TraceTable, tuple[str, ...]] | None:
    """The table whose first bytes these are: the one that lacks the fewest columns."""
    candidates = [
        (len(missing), i, format, table, missing)
        for i, format in enumerate(FORMATS.values())
        for table in format.tables
        if (missing := table.missing(head)) is not None
    ]
    if not candidates:
        return None
    _, _, format, table, missing = min(candidates, key=lambda each: each[:2])
    return format, table, missing
