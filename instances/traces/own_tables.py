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
"node_"). Without `submit`, all jobs wait at one moment, from which due dates count. Dates are those
of ISO 8601, such as 2024-01-31 10:00:00+01:00.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsjs.core.errors import InputError, described, nearest
from rsjs.core.types import Floats
from rsjs.instances.catalogue.gpus import gpu_names, networks
from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import (
    END_OF_DATES,
    FIRST_DATE,
    MAX_TIME,
    TableBlock,
    is_missing,
    job_records,
    read_nodes,
    read_table,
)
from rsjs.instances.traces.convert import OWN
from rsjs.instances.traces.imputation import gpus_of, stand_ins
from rsjs.instances.traces.io.csv import split_line
from rsjs.instances.traces.io.streams import ByteSource, list_sources
from rsjs.instances.traces.quality_report import QualityReport, inspect
from rsjs.instances.traces.records import JobRecords, TraceFormat, TraceNodes, TraceTable
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
MOST_LINES = 1000  # from which the form of times is told
_ZONE = re.compile(rb".*\d\d:\d\d.*?(Z|[+-]\d\d(:?\d\d)?|[A-Z]{3,4})")
_UTC = re.compile(rb" ?(UTC|GMT)$")


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
        CSV in UTF-8 with a header: plain, .gz, or alone in an archive. The separator is a comma,
        semicolon, tab or bar, whichever the header has most of.
    columns : mapping of str to str
        Role -> column, perhaps with ":unit".

    Raises
    ------
    InputError
        For a role or unit that does not exist, a column that is not there or stands twice, times
        of different forms, and where neither `duration` nor `start` and `end`, or no `gpus`, is
        known.
    """
    return _opened(_file(jobs), None if nodes is None else _file(nodes), columns or {})


def open_frames(
    jobs: pd.DataFrame,
    nodes: pd.DataFrame | None = None,
    columns: Mapping[str, str] | None = None,
) -> Trace:
    """
    Open DataFrames as `open_tables` opens their CSV; rows are counted from 0 and take its place.

    Time differences need no unit.
    """
    given = {role: _named(column) for role, column in (columns or {}).items()}
    kinds = zip(jobs.columns, jobs.dtypes, strict=True)
    differences = {_named(column) for column, dtype in kinds if dtype.kind == "m"}
    for role, spelled in given.items():
        if spelled not in differences and spelled.rpartition(":")[0] in differences:
            expected = "no unit: the column has time differences"
            raise InputError("/columns", f"{role}={spelled}", expected)
    return _opened(
        _rendered(jobs, "jobs"), None if nodes is None else _rendered(nodes, "nodes"), given
    )


def _named(column: Any) -> str:
    """Return the name of a column of a DataFrame as it stands in CSV."""
    return " ".join(str(column).split())


def inspect_tables(
    trace: Trace,
    *,
    nodes: Sequence[TraceNodes] | None = None,
    gpus: Mapping[str, str] | None = None,
) -> QualityReport:
    """
    Report on tables of a user's own, see `quality_report.inspect`.

    Raises
    ------
    InputError
        Without nodes or with two lists of them, and for nodes of a GPU type that the catalogue
        lacks: jobs could use none.
    """
    listed = trace.nodes()
    if nodes is not None and listed:
        found = described("nodes, and a list of nodes")
        raise InputError("/cluster", found, "one of both")
    nodes = listed if nodes is None else nodes
    if not nodes:
        expected = "the nodes: a list of nodes, or GPU:GPUS:NODES,... such as V100:8:100"
        raise InputError("/cluster", None, expected)
    known = stand_ins(gpus or {}, trace.format.gpu)
    for group in nodes:
        if not gpus_of(group.model, known):
            found = described(f"nodes with the GPU type {group.model}")
            expected = f"{group.model}=GPU, one of {', '.join(gpu_names())} that stands for it"
            raise InputError("/gpus", found, expected)
    return inspect(trace, nodes=nodes, gpus=gpus)


def _opened(jobs: ByteSource, nodes: ByteSource | None, given: Mapping[str, str]) -> Trace:
    known = {**JOB_ROLES, **NODE_ROLES}
    for role in given:
        if role not in known:
            raise InputError("/columns", role, f"one of the roles {', '.join(known)}")
        if role in NODE_ROLES and nodes is None:
            raise InputError("/columns", role, "a list of nodes with that column")
    job_table, factors, zoned = _job_table(jobs, given)
    tables, sources = [job_table], {job_table.name: jobs}
    node_columns: dict[str, str | None] = {}
    if nodes is not None:
        node_table, node_columns = _node_table(nodes, given)
        tables.append(node_table)
        sources[node_table.name] = nodes
    format = TraceFormat(
        name=OWN,
        title="tables of the user",
        tables=tuple(tables),
        rows=partial(read_table, job_table, partial(_jobs, factors, zoned, jobs.unit)),
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
        zoned=zoned.get("submit"),
        network={name: name for name in networks()},
    )
    return Trace(format=format, tables=sources, missing={}, ignored=())


def _file(path: Path) -> ByteSource:
    sources = [source for source, _ in list_sources(path)]
    if len(sources) != 1:
        found = described(f"an archive of {len(sources)} tables")
        raise InputError("", found, "one table: plain, .gz, or alone in an archive", path)
    return sources[0]


def _rendered(frame: pd.DataFrame, name: str) -> ByteSource:
    """Return a DataFrame as CSV, each row in one line."""
    columns = [_cells(frame.iloc[:, i]) for i in range(frame.shape[1])]
    header = [*map(_named, frame.columns)]
    text = ""
    if columns:
        table = pd.concat(columns, axis=1, ignore_index=True)
        text = table.to_csv(index=False, header=header, lineterminator="\n")
    return ByteSource(Path(name), data=text.encode("utf-8", "replace"))


def _cells(column: pd.Series) -> pd.Series:
    if column.dtype.kind == "m":
        return column.dt.total_seconds()
    # Whole numbers of which some are missing are floats in pandas: a name 7 would be 7.0.
    if column.dtype.kind == "f" and (column.dropna().abs() < MAX_TIME).all():
        return column.astype("Int64") if (column.dropna() % 1 == 0).all() else column
    if column.dtype.kind in "iufbM":
        return column
    # of texts and other objects
    return column.astype(object).map(lambda cell: " ".join(str(cell).split()), na_action="ignore")


def _job_table(
    source: ByteSource, given: Mapping[str, str]
) -> tuple[TraceTable, dict[str, tuple[str, float]], dict[str, bool]]:
    """Return the table of jobs, (column, factor) by role, and whether dates have a time zone."""
    head, separator, header = _head(source)
    columns = {role: given[role] for role in JOB_ROLES if role in given}
    columns |= {role: role for role in JOB_ROLES if role not in given and role in header}
    factors = {role: _column(role, spelled, header, source) for role, spelled in columns.items()}
    absent = [] if "gpus" in factors else ["gpus"]
    if "duration" not in factors and not {"start", "end"} <= {*factors}:
        absent.append("duration, or start and end")
    _refuse_absent(absent, header, source)
    entries = _entries(head, separator, header)
    kinds = {factors[role][0]: kind for role, kind in JOB_ROLES.items() if kind and role in factors}
    zoned: dict[str, bool] = {}
    # Numbers or dates, with or without time zones, as most entries are; without any as submissions.
    for role in filter(factors.__contains__, MOMENTS):
        column = factors[role][0]
        texts = entries[column]
        dates = [text for text in texts if not _is_number(text)]
        kinds[column] = "date" if 2 * len(dates) > len(texts) else "number"
        if kinds[column] == "date":
            zoned[role] = 2 * sum(_ZONE.fullmatch(text) is not None for text in dates) > len(dates)
        elif not texts and "submit" in zoned:
            kinds[column], zoned[role] = "date", zoned["submit"]
    _refuse_mixture(factors, zoned, source)
    table = TraceTable(name="jobs", columns=kinds, separator=separator)
    return table, factors, zoned


def _refuse_mixture(
    factors: Mapping[str, tuple[str, float]], zoned: Mapping[str, bool], source: ByteSource
) -> None:
    """Refuse times that cannot be compared: numbers with dates, zones with none."""
    forms = {None: "numbers", True: "dates with time zones", False: "dates without time zones"}
    pairs = (("submit", "start"), ("submit", "due"), ("start", "end"), ("submit", "end"))
    for first, role in pairs:
        if role in factors and first in factors and zoned.get(first) != zoned.get(role):
            found = described(f"{role}={factors[role][0]}, {forms[zoned.get(role)]}")
            expected = f"{forms[zoned.get(first)]} as {first}={factors[first][0]}"
            raise InputError("/columns", found, expected, source.name)
    if "due" in zoned and "submit" not in factors:
        found = described(f"due={factors['due'][0]}, dates")
        raise InputError("/columns", found, "submit=COLUMN, or numbers from now on", source.name)


def _node_table(
    source: ByteSource, given: Mapping[str, str]
) -> tuple[TraceTable, dict[str, str | None]]:
    """Return the table of nodes, and column by role."""
    _, separator, header = _head(source)
    columns: dict[str, str | None] = dict.fromkeys(NODE_ROLES)
    for role in NODE_ROLES:
        short = role.removeprefix(NODE)
        if role in given or short in header:
            columns[role] = _column(role, given.get(role, short), header, source)[0]
    _refuse_absent(["node_gpus"] if columns["node_gpus"] is None else [], header, source)
    kinds = {column: NODE_ROLES[role] for role, column in columns.items() if column is not None}
    return TraceTable(name="nodes", columns=kinds, separator=separator), columns


def _head(source: ByteSource) -> tuple[bytes, str, tuple[str, ...]]:
    """Return the first bytes of a table, its separator, and the columns in its header."""
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError("", described("UTF-16"), "UTF-8", source.name)
    line = re.split(rb"[\r\n]", head, maxsplit=1)[0].decode("utf-8", "replace")
    if not line.strip():
        raise InputError(
            "", described("nothing"), "a header with the names of columns", source.name
        )
    separator = max(SEPARATORS, key=line.count)
    return head, separator, tuple(name.strip() for name in split_line(line, separator))


def _column(
    role: str, spelled: str, header: Sequence[str], source: ByteSource
) -> tuple[str, float]:
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
        found = f"{role}={name}, " + (f"which stands {count} times" if count else "no column")
        expected = "one column of that name" if count else f"e.g. {nearest(name, header)}"
        raise InputError("/columns", described(found), expected, source.name)
    return name, units.get(unit, 1.0)


def _refuse_absent(roles: Sequence[str], header: Sequence[str], source: ByteSource) -> None:
    if roles:
        found = described(f"no column for {' and '.join(roles)} among {', '.join(header)}")
        wanted = " and ".join(f"{role.split(',')[0]}=COLUMN" for role in roles)
        raise InputError("/columns", found, wanted, source.name)


def _entries(head: bytes, separator: str, header: Sequence[str]) -> dict[str, list[bytes]]:
    """Return the entries of each column that are not missing, of the lines in the head."""
    entries: dict[str, list[bytes]] = {name: [] for name in header}
    for line in head.split(b"\n")[1:MOST_LINES]:
        fields = split_line(line.decode("utf-8", "replace").rstrip("\r"), separator)
        if len(fields) == len(header):
            for name, field in zip(header, fields, strict=True):
                if not is_missing(text := field.strip().encode()):
                    entries[name].append(text)
    return entries


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _jobs(
    factors: Mapping[str, tuple[str, float]],
    zoned: Mapping[str, bool],
    unit: str,
    block: TableBlock,
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
    if share is not None:
        block.flaw[(share < 1) & (gpus > 1)] |= flaws.SHARE.bit
    names = block.text(factors["id"][0]) if "id" in factors else np.zeros(len(block.line), "S1")
    return job_records(
        block,
        id=np.where(names == b"", _lines(block, unit), names),
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


def _lines(block: TableBlock, unit: str) -> np.ndarray:
    """Return names of jobs that have none: their lines."""
    return np.char.add(unit.encode(), block.line.astype("S"))


def _moments(block: TableBlock, column: str, zoned: bool) -> Floats:
    """Return dates as seconds from 1970, of UTC if they have time zones; others are flaws."""
    texts = [text.strip() for text in block.text(column)]
    missing = np.array([is_missing(text) for text in texts], dtype=bool)
    other = np.array([(_ZONE.fullmatch(text) is not None) != zoned for text in texts], dtype=bool)
    good = ~missing & ~other
    readable = [
        _UTC.sub(b"Z", text).decode("utf-8", "replace")
        for text, fine in zip(texts, good, strict=True)
        if fine
    ]
    moments = pd.to_datetime(
        pd.Series(readable, dtype=object), format="ISO8601", errors="coerce", utc=True
    )
    values = np.full(len(texts), np.nan)
    instants = moments.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    instants[(instants < FIRST_DATE) | (instants >= END_OF_DATES)] = "NaT"
    values[good] = np.where(np.isnat(instants), np.nan, instants.astype(np.int64) / 1e6)
    block.flaw[~missing & other] |= flaws.TIME_ZONE.bit
    block.flaw[good & np.isnan(values)] |= (flaws.TIME_ZONE if zoned else flaws.TIME).bit
    return values
