"""Rows under results/: what may be stored, and what is still to be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rsjs.instances.io.files import write_bytes
from rsjs.rows.csv import csv_text, read_rows


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


def rows_by(key: str, path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a file by their value in a column; none without a file."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows(path) if path.exists() else []:
        groups.setdefault(row[key], []).append(row)
    return groups


def store_part(rows: Sequence[dict[str, Any]], key: str, part: str, path: Path) -> None:
    """Write rows in place of those with this value in a column; those of other values stay."""
    groups = rows_by(key, path) | {part: [{key: part, **row} for row in rows]}
    store([row for group in groups.values() for row in group], path)


def have_commits(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether there are rows and each names the commit that made it."""
    return bool(rows) and all(row.get("commit") for row in rows)


def is_measured(path: Path) -> bool:
    """Return whether the rows of a file are there and each names the commit that made it."""
    return path.exists() and have_commits(read_rows(path))
