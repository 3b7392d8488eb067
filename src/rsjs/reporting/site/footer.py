"""The line below each table: which runs, of which code, when, on what, within which limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from rsjs.reporting.tables.comparison import LIMITS
from rsjs.reporting.tables.formats import DASH, counted
from rsjs.rows.select import known

DIGITS = 12  # of a hash
SHOWN = {key: show for key, show in LIMITS.items() if key != "seed"}
SHOWN["memory_limit_mb"] = "{:g} MB".format
Row = Mapping[str, Any]


def run_set(rows: Sequence[Row]) -> str:
    """
    A name for a set of runs: sha256 of their sorted ids, one per line.

    Rows without run ids count by instance, method and seed.
    """
    names = sorted(
        str(
            known(row, "run_id")
            or f"{row['instance_sha256']} {row['method']} {row['seed']} {known(row, 'repetition')}"
        )
        for row in rows
    )
    return sha256("\n".join(names).encode()).hexdigest()[:DIGITS]


def footing(rows: Sequence[Row]) -> str:
    """Run set, commit, dates, processors, limits, timing; what is not recorded is left out."""
    parts = [f"Run set {run_set(rows)}, {counted(len(rows), 'run')}"]
    parts += _told("commit", [_commit(row) for row in rows if known(row, "commit")])
    parts += _dates(rows)
    parts += _told("", [str(row["cpu_model"]) for row in rows if known(row, "cpu_model")])
    for key, show in SHOWN.items():
        found = sorted({row[key] for row in rows if known(row, key) is not None})
        parts += _told("", [show(value) for value in found])
    timing = sorted({str(row["timing"]) for row in rows if known(row, "timing")})
    parts += [f"{' and '.join(timing)} timing"] if timing else []
    return " · ".join(parts)


def _commit(row: Row) -> str:
    return str(row["commit"])[:DIGITS] + (" with changes" if str(row["dirty"]) == "True" else "")


def _dates(rows: Sequence[Row]) -> list[str]:
    days = sorted({str(row["begun"])[:10] for row in rows if known(row, "begun")})
    if not days:
        return []
    return [days[0] if len(days) == 1 else f"{days[0]} {DASH} {days[-1]}"]


def _told(what: str, values: Sequence[str]) -> list[str]:
    distinct = list(dict.fromkeys(values))
    return [f"{what} {' or '.join(distinct)}".strip()] if distinct else []
