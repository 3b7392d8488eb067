"""
Rows as files, written and read with the types of their columns: CSV, and Parquet with pyarrow.

CSV has all keys at full precision; a missing value is an empty field. Columns that are not declared
in `columns`, those of other tables, are read as numbers where they look like it.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO, StringIO
from itertools import islice
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any, cast

from rsjs.core.errors import CONTROL, InputError, described, printable
from rsjs.instances.io.bounded_files import MOST_BYTES, most_rows, read_bytes, read_text
from rsjs.instances.io.files import write_bytes
from rsjs.rows.columns import COLUMNS, Row

Table = Sequence[Mapping[str, Any]]

LONGEST_FIELD = 2**31 - 1  # characters
FORMULA = re.compile(r"'*[=+\-@]")  # text that spreadsheets would compute; written after a '
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
FLAGS = {"True": True, "False": False}
ARROW_TYPES = {str: "string", float: "float64", int: "int64", bool: "bool"}


def csv_text(rows: Table) -> str:
    """Return one line per row; a missing value is an empty field."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(keys)
    writer.writerows([_field(row.get(key)) for key in keys] for row in rows)
    return "".join(lines)


class _Lines(list[str]):
    r"""Lines that end in \n; the writer quotes the signs that end its own, which is both."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _field(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, Real):
        text = "" if value is None else str(value)
        return f"'{text}" if FORMULA.match(text) else text
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if isfinite(value) else ""


def read_rows(path: str | Path) -> list[Row]:
    """
    Read the rows of runs in a CSV file, or in a Parquet file if its name ends so.

    Raises
    ------
    InputError
        Naming the file, the row and the column: for a value that is not of its column's type, for
        more fields than columns, and for more rows than memory bears.
    """
    return cast(list[Row], read_table(path))


def read_table(path: str | Path) -> list[dict[str, Any]]:
    """Read the rows of a table that may have further columns; see `read_rows`."""
    if str(path).endswith(".parquet"):
        return _read_parquet(path)
    csv.field_size_limit(LONGEST_FIELD)
    try:
        lines = csv.reader(StringIO(read_text(path, encoding="utf-8-sig"), newline=""))
        keys = _names(next(lines, []))
        for key in sorted({key for key in keys if keys.count(key) > 1})[:1]:
            raise InputError("header", described(f"{key} twice"), "each column once", path)
        most = most_rows(len(keys))
        filled = filter(None, lines)  # no empty lines
        rows = [_row(keys, line, i, path) for i, line in enumerate(islice(filled, most), start=1)]
        if next(filled, None) is not None:
            raise InputError("", described(f"more than {most} rows"), "no more than that", path)
        return rows
    except csv.Error as error:
        raise InputError("", described(str(error)), "rows as CSV", path) from None


def _names(header: Sequence[str]) -> list[str]:
    """Return the names of the columns; files of version 0.1 call the own gap `gap`."""
    old = "gap" in header and "bound" in header and "own_gap" not in header
    return ["own_gap" if old and name == "gap" else name for name in header]


def _row(keys: Sequence[str], fields: Sequence[str], i: int, path: str | Path) -> dict[str, Any]:
    if len(fields) > len(keys):
        found = described(f"{len(fields) - len(keys)} more fields than columns")
        raise InputError(f"row {i}", found, f"{len(keys)} fields", path)
    row: dict[str, Any] = dict.fromkeys(keys)  # a row may have fewer fields
    for key, field in zip(keys, fields, strict=False):
        try:
            row[key] = _value(key, _safe(field))
        except ValueError as error:
            raise InputError(f"row {i}, {key}", field, str(error), path) from None
    return row


def _safe(value: Any) -> Any:
    """Return text with escapes for what would steer a terminal; lines may break."""
    if not isinstance(value, str):
        return value
    return CONTROL.sub(lambda sign: sign[0] if sign[0] in "\n\r\t" else printable(sign[0]), value)


def _value(key: str, field: str) -> Any:
    """Return the value of a field; ValueError says what was expected."""
    column = COLUMNS.get(key)
    if field.startswith("'") and FORMULA.match(field) and (column is None or column.type is str):
        return field[1:]
    if column is not None and column.type is str:
        return field if field or not column.optional else None
    if not field:
        return None
    if column is not None and column.type is bool:
        if field not in FLAGS:
            raise ValueError("True or False")
        return FLAGS[field]
    if NUMBER.fullmatch(field) and isfinite(number := float(field)):
        return number if set(field) & set(".eE") else int(field)
    if column is not None:
        raise ValueError("a number")
    return field


def _read_parquet(path: str | Path) -> list[dict[str, Any]]:
    if not has_parquet():
        raise InputError("", described("a Parquet file"), "the package pyarrow to read it", path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    key, columns = "", {}
    try:
        file = pq.ParquetFile(BytesIO(read_bytes(path)))
        found, groups = file.metadata, range(file.metadata.num_row_groups)
        unpacked, most = sum(found.row_group(i).total_byte_size for i in groups), MOST_BYTES
        if unpacked > most or found.num_rows > most_rows(found.num_columns):
            told = described(f"{found.num_rows} rows, {unpacked} bytes")
            expected = f"at most {most_rows(found.num_columns)} rows, {most} bytes"
            raise InputError("", told, expected, path)
        table = file.read()
        for key, values in zip(_names(table.column_names), table.columns, strict=True):
            columns[key] = values.cast(_arrow(key, values.type)).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(key, described(str(error)), "rows as Parquet", path) from None
    lines = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(_safe, line), strict=True)) for line in lines]


def has_parquet() -> bool:
    """Return whether Parquet can be written and read."""
    return find_spec("pyarrow") is not None


def write_all(rows: Table, skipped: Table, trajectories: Table, folder: Path) -> list[Path]:
    """Write rows.csv, events.json, skipped.csv if there is any, and Parquet; return the files."""
    written = {
        "rows.csv": csv_text(rows).encode(),
        "events.json": json.dumps(list(trajectories)).encode(),
    }
    if skipped:
        written["skipped.csv"] = csv_text(skipped).encode()
    if has_parquet() and rows:
        events = [
            {"run_id": trajectory["run_id"], **event}
            for trajectory in trajectories
            for event in trajectory["events"]
        ]
        written["rows.parquet"] = parquet(rows)
        written["events.parquet"] = parquet(events, ("run_id", "seconds", "incumbent", "bound"))
    for name in ("skipped.csv", "rows.parquet", "events.parquet"):
        if name not in written:  # of an earlier table
            (folder / name).unlink(missing_ok=True)
    for name, data in written.items():
        write_bytes(data, folder / name)
    return [folder / name for name in written]


def parquet(rows: Table, keys: Iterable[str] | None = None) -> bytes:
    """Return rows as Parquet, compressed with zstd; a column has its type without a value, too."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    keys = keys or dict.fromkeys(key for row in rows for key in row)
    table = pa.table({key: pa.array([row.get(key) for row in rows], _arrow(key)) for key in keys})
    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _arrow(key: str, otherwise: Any = None) -> Any:
    """Return the Arrow type of a column; of an event's numbers and others, `otherwise`."""
    import pyarrow as pa

    if key in ("seconds", "incumbent"):
        return pa.float64()
    return pa.type_for_alias(ARROW_TYPES[COLUMNS[key].type]) if key in COLUMNS else otherwise
