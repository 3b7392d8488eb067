"""
Rows as CSV, all keys at full precision, and back.

The files that `rsjs collect` writes: CSV and JSON always, Parquet where pyarrow is installed.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from itertools import islice
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from rsjs.core.errors import CONTROL, InputError, described, printable
from rsjs.instances.io.bounded_files import most_rows, read_text
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.select import Row

TEXT = {  # columns that hold text, however much like a number it looks
    "instance",
    "instance_sha256",
    "method",
    "stop",
    "status",
    "rsjs_version",
    "solver_version",
    "warm_start_sha256",
    "message",
    # of a schedule on MIG instances
    "reading",
    "goal",
    "units",
    "stages",
    "stage_bounds",
    # of a campaign
    "run_id",
    "campaign",
    "ended",
    "quality",
    "spelling",
    "environment",
    "plugins",
    "solved_sha256",
    "timing",
    "bound_source",
    "bound_variant",
    "cores",
    "options",
    "begun",
    "session",
    "commit",
    "dirty",
    "python_version",
    "environment_sha256",
    "host",
    "cpu_model",
}


NUMBERS = (
    "objective",
    "tardiness",
    "postponement",
    "energy",
    "idle",
    "bound",
    "best_bound",
    "gap",
    "gap_to_best",
    "gap_without_postponement",
    "gap_over_energy",
    "nodes",
    "jobs",
    "executed",
    "build_s",
    "solve_s",
    "total_s",
    "process_s",
    "peak_memory_mb",
    "time_limit",
    "gap_limit",
    "threads",
    "seed",
    "repetition",
    "load_before",
    "load_after",
    "hardware_threads",
    "calibration_before",
    "calibration_after",
)
LONGEST_FIELD = 2**31 - 1  # characters
_FORMULA = re.compile(r"'*[=+\-@]")  # text that spreadsheets would compute; written after a '


def csv_text(rows: Sequence[Row]) -> str:
    """One line per row; a missing value is an empty field."""
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


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """
    The rows of a file that `csv_text` made, for making its tables and pictures again.

    Raises
    ------
    InputError
        Naming the file and the row: for text in place of a number, and for more fields than
        columns.
    """
    csv.field_size_limit(LONGEST_FIELD)
    try:
        lines = csv.DictReader(StringIO(read_text(path, encoding="utf-8-sig"), newline=""))
        most = most_rows(len(lines.fieldnames or ()))
        rows = [_row(line, i, path) for i, line in enumerate(islice(lines, most), start=1)]
        if next(lines, None) is not None:
            raise InputError("", described(f"more than {most} rows"), "no more than that", path)
        return rows
    except csv.Error as error:
        raise InputError("", described(str(error)), "rows as CSV", path) from None


def _row(line: dict[str | None, Any], i: int, path: str | Path) -> dict[str, Any]:
    if None in line:
        found = described(f"{len(line[None])} more fields than columns")
        raise InputError(f"row {i}", found, f"{len(line) - 1} fields", path)
    row = {str(key): _value(str(key), field) for key, field in line.items()}
    for key in NUMBERS:
        if isinstance(row.get(key), str):
            raise InputError(f"row {i}, {key}", row[key], "a number", path)
    return row


def _field(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, Real):
        text = "" if value is None else str(value)
        return f"'{text}" if _FORMULA.match(text) else text
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if isfinite(value) else ""


def _escaped(sign: re.Match[str]) -> str:
    """What would steer a terminal as an escape; lines may break."""
    return sign[0] if sign[0] in "\n\r\t" else printable(sign[0])


def _value(key: str, field: str | None) -> Any:
    if field is None:  # a row with fewer fields than columns
        return None
    field = CONTROL.sub(_escaped, field)
    if field.startswith("'") and _FORMULA.match(field):
        return field[1:]
    if key in TEXT:
        return field if field or key == "message" else None
    if not field:
        return None
    for kind in (int, float):
        try:
            return kind(field)
        except ValueError:
            continue
    return field


Course = Mapping[str, Any]


def has_parquet() -> bool:
    """Whether Parquet can be written."""
    return find_spec("pyarrow") is not None


def write_all(
    rows: Sequence[Row], skipped: Sequence[Row], courses: Sequence[Course], folder: Path
) -> list[Path]:
    """Write rows.csv, events.json, skipped.csv if there is any, and Parquet; return the files."""
    written = {
        "rows.csv": csv_text(rows).encode(),
        "events.json": json.dumps(list(courses)).encode(),
    }
    if skipped:
        written["skipped.csv"] = csv_text(skipped).encode()
    for name, data in written.items():
        write_bytes(data, folder / name)
    paths = [folder / name for name in written]
    return [*paths, *_parquet(rows, courses, folder)] if has_parquet() and rows else paths


def _parquet(rows: Sequence[Row], courses: Sequence[Course], folder: Path) -> list[Path]:
    """The same rows, and one line per event, compressed with zstd."""
    import pandas as pd

    events = [
        {"run_id": course["run_id"], **event} for course in courses for event in course["events"]
    ]
    tables = {"rows.parquet": pd.DataFrame(rows), "events.parquet": pd.DataFrame(events)}
    for name, table in tables.items():
        table.to_parquet(folder / name, compression="zstd", index=False)
    return [folder / name for name in tables]
