"""What a report is made of: rows of stores and tables, and what of the records is in no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rsjs.campaigns.collection import Collected, collect
from rsjs.campaigns.store import Store, instance_file
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.reporting.statistics.tidy import ROWS, StoredRow, read_stored
from rsjs.rows.build import ENDED_BY_STOP, quality, share_bounds
from rsjs.rows.csv import read_rows
from rsjs.rows.select import distinct, family_of, known, ordered
from rsjs.runs.kinds.base import KINDS, kind

STORE, SKIPPED, SUMS = "store.json", "skipped.csv", "SHA256SUMS"


class ReportRow(StoredRow, total=False):
    """A row with what its pages add; `ended` and `quality` also for rows of `rsjs compare`."""

    family: str  # of the instance
    anchor: str  # run_id, or a number of its own where the rows have none
    solution_sha256: str | None  # of the solution's file in the record


@dataclass(frozen=True, kw_only=True)
class Material:
    """The runs of a report."""

    sources: Sequence[Path]  # folders or files, as given
    rows: list[ReportRow]
    skipped: list[ReportRow]  # what was asked and not carried out, the reason in `message`
    corrupt: list[tuple[str, str]]  # path and reason
    lost: list[tuple[str, str]]  # id and reason of sessions whose file cannot be read
    missing: list[str]  # ids of runs that a plan has and no store
    sessions: Mapping[str, Mapping[str, Any]]  # id -> file of a session
    stores: Mapping[str, Path]  # run_id -> the store that has its record

    def record(self, row: ReportRow) -> Path | None:
        """Return the folder of the record of a row."""
        store = self.stores.get(row["anchor"])
        return None if store is None else Store(store).path(row["anchor"])

    def solved(self, row: ReportRow) -> Path | None:
        """Return the file of the instance in the order in which a run solved it."""
        store = self.stores.get(row["anchor"])
        return None if store is None else instance_file(store, row["solved_sha256"])


def gathered(sources: Sequence[Path]) -> Material:
    """
    Return the rows of stores of `rsjs run`, folders of `collect` or `compare`, or rows.csv files.

    InputError for a source that is none of these, or without a single run.
    """
    stores = [path for path in sources if (path / STORE).exists()]
    tables = [path for path in sources if path not in stores]
    found = collect(stores) if stores else Collected()
    rows: list[StoredRow] = [
        {**row, "events": trajectory["events"]}
        for row, trajectory in zip(found.rows, found.trajectories, strict=True)
    ]
    skipped = [*found.skipped]
    for path in tables:
        if path.is_dir() and not (path / ROWS).exists():
            expected = "a store of `rsjs run`, or a folder of `rsjs collect` or `rsjs compare`"
            raise InputError("", described("a folder with other files"), expected, path)
        rows += read_stored(path)
        file = path / SKIPPED
        skipped += read_rows(file) if file.exists() else []
    if not rows:
        raise InputError("", described("no records"), "runs; see `rsjs run`", sources[0])
    if len(sources) > 1 and tables:  # bounds hold for the runs of a problem in all sources
        share_bounds(rows)
    places = {
        row["run_id"]: next(path for path in stores if Store(path).path(row["run_id"]).exists())
        for row in found.rows
    }
    return Material(
        sources=sources,
        rows=[_completed(row, i, places) for i, row in enumerate(ordered(distinct(rows)))],
        skipped=[cast(ReportRow, {**row, "family": family_of(row)}) for row in skipped],
        corrupt=found.corrupt,
        missing=found.missing,
        sessions=found.sessions,
        lost=found.lost,
        stores=places,
    )


def _completed(row: StoredRow, place: int, stores: Mapping[str, Path]) -> ReportRow:
    stop = Stop(row["stop"])
    failed = "SOLVER_ERROR" if stop is Stop.ERROR else "FINISHED"
    run_id = known(row, "run_id")
    made = {
        **row,
        "family": family_of(row),
        "anchor": run_id or f"row{place + 1}",
        "ended": known(row, "ended") or ENDED_BY_STOP.get(stop, failed),
        "quality": known(row, "quality") or quality(row),
        "solution_sha256": _solution_sha256(run_id, stores.get(run_id)) if run_id else None,
        "message": row.get("message") or "",
        "events": row.get("events"),
    }
    return cast(ReportRow, made)


def _solution_sha256(run_id: str, store: Path | None) -> str | None:
    if store is None:
        return None
    lines = (Store(store).path(run_id) / SUMS).read_text("utf-8").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    files = (kind(name).solution_file for name in KINDS)
    return next((sums[file] for file in files if file in sums), None)
