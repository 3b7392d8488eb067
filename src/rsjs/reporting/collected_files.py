"""The files that `rsjs collect` writes: CSV and JSON always, Parquet where pyarrow is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.instances.io.files import write_bytes
from rsjs.reporting.csv_rows import csv_text
from rsjs.reporting.rows import Row

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
