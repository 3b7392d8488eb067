"""Rows under results/: what may be stored, and what is still to be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.csv_rows import csv_text, read_rows


def refuse_false(rows: Sequence[Mapping[str, Any]]) -> None:
    """End the program at the first run that failed or made a false claim, and say why."""
    for row in rows:
        if row.get("status", "ok") not in ("ok", "no_solution") or row.get("stop") == "error":
            raise SystemExit(f"{row['method']} on {row['instance']}: {row['message']}")


def store(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write rows in place of those before; end the program at a false one or one without commit."""
    refuse_false(rows)
    if not all(row["commit"] for row in rows):
        raise SystemExit(f"{path}: rows without commit, expected a git checkout of the project")
    write_bytes(csv_text(rows).encode(), path)


def is_measured(path: Path) -> bool:
    """Return whether the rows of a file are there and each names the commit that made it."""
    return path.exists() and all(row.get("commit") for row in read_rows(path))
