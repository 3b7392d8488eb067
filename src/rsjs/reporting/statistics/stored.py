"""Stored comparisons read back: rows, and the course of each run where it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.experiments.campaigns import formats
from rsjs.instances.io.strict_json import read_json
from rsjs.reporting.csv_rows import read_rows

ROWS, EVENTS = "rows.csv", "events.json"
KEY = ("instance_sha256", "method")
NEEDED_IN_FILE = ("instance", *KEY)
KEYS = (("run_id",), (*KEY, "seed"))  # what courses may be told apart by, best first


def read_stored(path: str | Path) -> list[dict[str, Any]]:
    """
    Rows of `rsjs compare` or `rsjs collect`.

    Parameters
    ----------
    path : path
        A folder with rows.csv, or such a file; events.json is looked for beside it.

    Returns
    -------
    list of dict
        With `events` where events.json tells the course of the run.

    Raises
    ------
    InputError
        For a file without rows, or events of a run that is told twice.
    """
    path = Path(path)
    path = path / ROWS if path.is_dir() else path
    rows = read_rows(path)
    if not rows or not all(key in rows[0] for key in NEEDED_IN_FILE):
        found = described("no rows" if not rows else "other columns")
        raise InputError("", found, "rows as `rsjs compare` writes them", path)
    events = path.with_name(EVENTS)
    if not events.exists():
        return rows
    courses = read_json(events)
    formats.fit_schema(courses, "courses", events)
    return _joined(rows, courses, events)


def _joined(
    rows: Sequence[dict[str, Any]], courses: Sequence[Mapping[str, Any]], file: Path
) -> list[dict[str, Any]]:
    of_run: dict[tuple[str, ...], list[Any]] = {}
    names = next((names for names in KEYS if all(names[-1] in course for course in courses)), KEY)
    for i, course in enumerate(courses):
        key = tuple(str(course.get(name)) for name in names)
        if key in of_run:
            found = described(f"{course.get('method')} on {course.get('instance')} a second time")
            raise InputError(f"/{i}", found, "one course for each run", file)
        of_run[key] = course["events"]
    return [
        {**row, "events": of_run.get(tuple(str(row.get(name)) for name in names))} for row in rows
    ]
