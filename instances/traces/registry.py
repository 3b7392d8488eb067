"""The trace formats, and which of them a set of files is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances import decision_points
from rsjs.instances.traces.formats.gavel import GAVEL
from rsjs.instances.traces.formats.helios import HELIOS
from rsjs.instances.traces.formats.openb import OPENB
from rsjs.instances.traces.formats.pai import PAI
from rsjs.instances.traces.formats.philly import PHILLY
from rsjs.instances.traces.formats.spot import SPOT
from rsjs.instances.traces.io.streams import ByteSource, list_sources
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceNodes

FORMATS: Mapping[str, TraceFormat] = {
    each.name: each for each in (OPENB, PAI, SPOT, PHILLY, HELIOS, GAVEL)
}


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A trace that can be read, as often as one likes."""

    format: TraceFormat
    tables: Mapping[str, ByteSource]  #: table -> where it is
    #: table -> columns that it lacks; there are no rows if any does
    missing: Mapping[str, tuple[str, ...]]
    ignored: tuple[str, ...]  #: members of archives that are no table of the format

    def rows(self) -> Iterator[JobRecords]:
        """Read all rows in chunks; `Truncated` after the last of a file that ends early."""
        return self.format.rows(self.tables)

    def nodes(self) -> list[TraceNodes]:
        """Read the nodes of the node list; none without one."""
        return self.format.nodes(self.tables)

    @property
    def file(self) -> str:
        """Return the name of the first file, for messages about the whole trace."""
        return next(iter(self.tables.values())).name


def format_of(generator: Mapping[str, Any]) -> TraceFormat | None:
    """Return the public trace that a `generator` block names; None if it names none."""
    parameters = generator.get("parameters", {})
    if generator.get("name") == decision_points.NAME:
        return format_of(parameters["workload"]["generator"])
    return FORMATS.get(parameters.get("format")) if generator.get("name") == "trace" else None


def refuse_unlicensed(generator: Mapping[str, Any]) -> None:
    """Raise InputError for what is made of a trace without a licence: it is not redistributed."""
    trace = format_of(generator)
    if trace is not None and trace.licence is None:
        found = described(f"data of {trace.title}, which states no licence")
        expected = "data that may be redistributed; give the recipe instead: docs/guides/points.md"
        raise InputError("/generator", found, expected)


def open_trace(paths: Sequence[Path]) -> Trace:
    """
    Open the trace in some files, identified by their first bytes.

    Parameters
    ----------
    paths : sequence of Path
        Plain, .gz, or archives (.zip, .tar, .tar.gz) with the tables of one trace.

    Raises
    ------
    InputError
        A file of no format, of two formats, a table twice, or a table that is needed missing.
    """
    sources: dict[tuple[str, str], tuple[ByteSource, tuple[str, ...]]] = {}
    ignored = []
    for path in paths:
        known = len(sources)
        for source, head in list_sources(path):
            table = _identify(head)
            if table is None:
                ignored.append(source.name)
                continue
            format_name, table_name, missing = table
            if (format_name, table_name) in sources:
                raise InputError("", described(f"a second {table_name}"), "one", source.name)
            sources[format_name, table_name] = source, missing
        if len(sources) == known:
            expected = f"a table of one of the formats {', '.join(FORMATS)}"
            raise InputError("", described("no table of a known trace"), expected, path)
    names = sorted({name for name, _ in sources})
    if len(names) > 1:
        mixture = described(f"tables of {' and '.join(names)}")
        raise InputError("", mixture, "of one format", paths[0])
    format = FORMATS[names[0]]
    tables = {table: source for (_, table), (source, _) in sources.items()}
    absent = [table.name for table in format.tables if table.required and table.name not in tables]
    if absent:
        present = described(f"the {', '.join(tables)} of {format.name}")
        raise InputError("", present, f"the {', '.join(absent)} too", paths[0])
    return Trace(
        format=format,
        tables=tables,
        missing={table: missing for (_, table), (_, missing) in sources.items() if missing},
        ignored=tuple(ignored),
    )


def _identify(head: bytes) -> tuple[str, str, tuple[str, ...]] | None:
    """Return format, table and missing columns of these first bytes: the fewest are missing."""
    candidates = [
        (format.name, table.name, missing)
        for format in FORMATS.values()
        for table in format.tables
        if (missing := table.missing(head)) is not None
    ]
    return min(candidates, key=lambda candidate: len(candidate[2]), default=None)
