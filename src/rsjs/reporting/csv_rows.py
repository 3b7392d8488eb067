"""Rows as CSV, all keys at full precision, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from rsjs.reporting.rows import Row

TEXT = {  # columns that hold text, however much like a number it looks
    "instance",
    "instance_sha256",
    "method",
    "stop",
    "status",
    "rsjs_version",
    "solver_version",
    "message",
    # of a campaign
    "run_id",
    "campaign",
    "ended",
    "quality",
    "spelling",
    "environment",
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


def csv_text(rows: Sequence[Row]) -> str:
    """One line per row; a missing value is an empty field."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(keys)
    writer.writerows([_field(row.get(key)) for key in keys] for row in rows)
    return out.getvalue()


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """The rows of a file that `csv_text` made, for making its tables and pictures again."""
    with Path(path).open(encoding="utf-8", newline="") as lines:
        return [
            {key: _value(key, field) for key, field in line.items()}
            for line in csv.DictReader(lines)
        ]


def _field(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, Real):
        return "" if value is None else str(value)
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if isfinite(value) else ""


def _value(key: str, field: str) -> Any:
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
