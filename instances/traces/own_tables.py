"""
Tables of a user's own: a list of jobs, and a list of nodes, as CSV with columns of any names.

Which column is what is said by role, with a unit where it is not the first one:

    id                      name of the job; otherwise its line
    submit, start, end, due dates with times, in one time zone or none, or numbers: s, ms, min, h, d
    duration                run time on the recorded GPUs: s, ms, min, h, d; otherwise end - start
    gpus                    number of GPUs
    share                   share of one GPU, in (0, 1], or percent
    gpu                     GPU type
    memory                  GPU memory on each GPU: GB, MB, GiB, MiB
    weight                  cost of one hour of tardiness [$/h]
    application             network of the catalogue, perhaps with " (batch size N)"
    node_gpus, node_gpu     of the list of nodes: GPUs of a node, and their type
    node_count              of the list of nodes: identical nodes on this line; otherwise 1

A role whose column is not named has that of its own name, if there is one (those of nodes without
"node_"). Without `submit`, all jobs wait at one moment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import (
    TableBlock,
    is_missing,
    job_records,
    read_nodes,
    read_table,
)
from rsjs.instances.traces.io.streams import ByteSource, list_sources
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceTable
from rsjs.instances.traces.registry import Trace

TIME = {"s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0, "d": 86400.0}
MEMORY = {"GB": 1.0, "MB": 1e-3, "GiB": 1.073741824, "MiB": 1.048576e-3}
SHARE = {"": 1.0, "percent": 0.01}
UNITS: Mapping[str, Mapping[str, float]] = {  # role -> factor by unit, the first by default
    **dict.fromkeys(("submit", "start", "end", "due", "duration"), TIME),
    "memory": MEMORY,
    "share": SHARE,
}
MOMENTS = ("submit", "start", "end", "due")
JOB_ROLES = {
    "id": "text",
    "submit": "",  # a number or a date, as its first entry is
    "start": "",
    "end": "",
    "due": "",
    "duration": "number",
    "gpus": "number",
    "share": "number",
    "gpu": "word",
    "memory": "number",
    "weight": "number",
    "application": "word",
}
NODE = "node_"
NODE_ROLES = {"node_gpus": "number", "node_gpu": "word", "node_count": "number"}
SEPARATORS = ",;\t|"
_ZONE = re.compile(rb".*\d\d:\d\d.*?(Z|[+-]\d\d:?\d\d|[A-Z]{3,4})")


def parse_columns(text: str) -> dict[str, str]:
    """
    Return role -> column[:unit] of a list such as "submit=time,duration=elapsed:min".

    InputError at the part that is no role=column, or names a role twice.
    """
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        role, equals, column = part.partition("=")
        if not equals or not column:
            raise InputError("/columns", part, "ROLE=COLUMN, such as duration=elapsed:min")
        if role in columns:
            raise InputError("/columns", part, f"{role} once")
        columns[role] = column
    return columns


def open_tables(
    jobs: Path, nodes: Path | None = None, columns: Mapping[str, str] | None = None
) -> Trace:
    """
    Open a list of jobs, and perhaps one of nodes, as a trace.

    Parameters
    ----------
    jobs, nodes : Path
        CSV with a header: plain, .gz, or alone in an archive. The separator is a comma, semicolon,
        tab or bar, whichever the header has most of.
    columns : mapping of str to str
        Role -> column, perhaps with ":unit".

    Raises
    ------
    InputError
        For a role or unit that does not exist, a column that is not there or stands twice, and
        where neither `duration` nor `start` and `end`, or no `gpus`, is known.
    """
    given = dict(columns or {})
    known = {**JOB_ROLES, **NODE_ROLES}
    for role in given:
        if role not in known:
            raise InputError("/columns", role, f"one of the roles {', '.join(known)}")
        if role in NODE_ROLES and nodes is None:
            raise InputError("/columns", role, "a list of nodes with that column")
    job_table, factors, zoned = _job_table(jobs, given)
    tables, sources = [job_table], {job_table.name: ByteSource(jobs)}
    node_columns: dict[str, str | None] = {}
    if nodes is not None:
        node_table, node_columns = _node_table(nodes, given)
        tables.append(node_table)
        sources[node_table.name] = ByteSource(nodes)
    format = TraceFormat(
        name="own",
        title="tables of the user",
        tables=tuple(tables),
        rows=partial(read_table, job_table, partial(_jobs, factors, zoned)),
        nodes=partial(
            read_nodes,
            tables[-1],
            node_columns.get("node_gpus") or "",
            node_columns.get("node_gpu"),
            count=node_columns.get("node_count"),
        )
        if nodes is not None
        else lambda sources: [],
        gpu="V100",
        arrivals="submit" in factors,
        network={name: name for name in _networks()},
    )
    return Trace(format=format, tables=sources, missing={}, ignored=())


def _networks() -> Sequence[str]:
    from rsjs.instances.catalogue.gpus import networks

    return networks()


def _job_table(
    path: Path, given: Mapping[str, str]
) -> tuple[TraceTable, dict[str, tuple[str, float]], dict[str, bool]]:
    """Return the table of jobs, (column, factor) by role, and whether dates have a time zone."""
    head, separator, header = _head(path)
    columns = {role: given[role] for role in JOB_ROLES if role in given}
    columns |= {role: role for role in JOB_ROLES if role not in given and role in header}
    factors = {role: _column(role, spelled, header, path) for role, spelled in columns.items()}
    if "gpus" not in factors:
        _refuse_absent("gpus", header, path)
    if "duration" not in factors and not {"start", "end"} <= {*factors}:
        _refuse_absent("duration, or start and end", header, path)
    first = _first_entries(head, separator, header)
    kinds, zoned = {}, {}
    for role, (column, _) in factors.items():
        kind = JOB_ROLES[role] or ("number" if _is_number(first.get(column, b"")) else "date")
        if kind == "date":
            zoned[role] = _ZONE.fullmatch(first[column].strip()) is not None
        kinds[column] = kind
    table = TraceTable(name="jobs", columns=kinds, separator=separator)
    return table, factors, zoned


def _node_table(path: Path, given: Mapping[str, str]) -> tuple[TraceTable, dict[str, str | None]]:
    """Return the table of nodes, and column by role."""
    _, separator, header = _head(path)
    columns = {role: given.get(role) for role in NODE_ROLES}
    for role in NODE_ROLES:
        short = role.removeprefix(NODE)
        if columns[role] is None and short in header:
            columns[role] = short
        elif (named := columns[role]) is not None:
            columns[role] = _column(role, named, header, path)[0]
    if columns["node_gpus"] is None:
        _refuse_absent("node_gpus", header, path)
    kinds = {column: NODE_ROLES[role] for role, column in columns.items() if column is not None}
    return TraceTable(name="nodes", columns=kinds, separator=separator), columns


def _head(path: Path) -> tuple[bytes, str, tuple[str, ...]]:
    """Return the first bytes of a table, its separator, and the columns in its header."""
    sources = list(list_sources(path))
    if len(sources) != 1 or sources[0][0].member:
        raise InputError("", described("an archive"), "one table: plain or .gz", path)
    head = sources[0][1].removeprefix(b"\xef\xbb\xbf")
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    if not line.strip():
        raise InputError("/1", described("nothing"), "a header with the names of columns", path)
    separator = max(SEPARATORS, key=line.count)
    header = tuple(name.strip().strip('"') for name in line.split(separator))
    return head, separator, header


def _column(role: str, spelled: str, header: Sequence[str], path: Path) -> tuple[str, float]:
    """Return the column that a role has, and the factor of its unit."""
    units = UNITS.get(role, {})
    name, colon, unit = spelled.rpartition(":")
    if spelled in header or not colon:
        name, unit = spelled, next(iter(units), "")
    elif unit not in units:
        expected = f"one of the units {', '.join(filter(None, units))}" if units else "no unit"
        raise InputError("/columns", f"{role}={spelled}", expected)
    count = header.count(name)
    if count != 1:
        found = described(f"{role}={name}, a column that stands {count} times")
        raise InputError("/columns", found, f"one of {', '.join(header)}", path)
    return name, units.get(unit, 1.0)


def _refuse_absent(role: str, header: Sequence[str], path: Path) -> None:
    found = described(f"no column for {role} among {', '.join(header)}")
    raise InputError("/columns", found, f"{role.split(',')[0]}=COLUMN in --columns", path)


def _first_entries(head: bytes, separator: str, header: Sequence[str]) -> dict[str, bytes]:
    """Return the first entry of each column that is not missing, of the lines in the head."""
    entries: dict[str, bytes] = {}
    for line in head.split(b"\n")[1:]:
        fields = line.rstrip(b"\r").split(separator.encode())
        if len(fields) == len(header):
            for name, field in zip(header, fields, strict=True):
                if name not in entries and not is_missing(field.strip(b' "')):
                    entries[name] = field.strip(b' "')
    return entries


def _is_number(text: bytes) -> bool:
    try:
        float(text or b"0")
    except ValueError:
        return False
    return True


def _jobs(
    factors: Mapping[str, tuple[str, float]], zoned: Mapping[str, bool], block: TableBlock
) -> JobRecords:
    """Build the records of a block of jobs."""

    def numbers(role: str) -> Floats | None:
        if role not in factors:
            return None
        column, factor = factors[role]
        if role in zoned:
            return _moments(block, column, zoned[role])
        values = block.time(column) if role in MOMENTS else block.number(column)
        return values * factor

    def words(role: str) -> tuple[np.ndarray, Sequence[str]] | None:
        if role not in factors:
            return None
        codes, names = block.word(factors[role][0])
        return codes, [name.strip() for name in names]

    gpus = numbers("gpus")
    assert gpus is not None  # `_job_table` asks for it
    submit = numbers("submit")
    optional = {role: numbers(role) for role in ("due", "weight", "memory")}
    for role, values in optional.items():
        if values is not None and role != "due":
            block.flaw[values < 0] |= flaws.NEGATIVE.bit
    share = numbers("share")
    return job_records(
        block,
        id=block.text(factors["id"][0]) if "id" in factors else _lines(block),
        submit=np.zeros(len(block.line)) if submit is None else submit,
        start=numbers("start"),
        end=numbers("end"),
        duration=numbers("duration"),
        gpus=gpus,
        share=None if share is None else np.where(np.isnan(share), 1.0, share),
        model=words("gpu"),
        application=words("application"),
        **optional,
    )


def _lines(block: TableBlock) -> np.ndarray:
    """Return names of jobs that have none: their lines."""
    return np.char.add(b"line", block.line.astype("S"))


def _moments(block: TableBlock, column: str, zoned: bool) -> Floats:
    """Return dates as seconds from 1970, of UTC if they have time zones; others are flaws."""
    texts = [text.strip() for text in block.text(column)]
    missing = np.array([is_missing(text) for text in texts], dtype=bool)
    other = np.array([(_ZONE.fullmatch(text) is not None) != zoned for text in texts], dtype=bool)
    good = ~missing & ~other
    readable = [
        text.decode("utf-8", "replace") for text, fine in zip(texts, good, strict=True) if fine
    ]
    moments = pd.to_datetime(
        pd.Series(readable, dtype=object), format="ISO8601", errors="coerce", utc=True
    )
    values = np.full(len(texts), np.nan)
    values[good] = (moments - pd.Timestamp(0, tz="UTC")).dt.total_seconds().to_numpy(dtype=float)
    block.flaw[~missing & other] |= flaws.TIME_ZONE.bit
    block.flaw[good & np.isnan(values)] |= flaws.TIME.bit
    return values
