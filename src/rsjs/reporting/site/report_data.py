"""
What a report is made of: rows of stores and tables, and what of the records is in no row.

Rows stand by families of instances, each analysed once; a footer tells what rows have in common.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import pandas as pd

from rsjs.campaigns.collection import Collected, collect
from rsjs.campaigns.store import Store, instance_file
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.reporting.figures import figure_style
from rsjs.reporting.references import references, referred
from rsjs.reporting.statistics.analysis import Analysis, baseline_of
from rsjs.reporting.statistics.tables import summary_table, tables
from rsjs.reporting.statistics.tidy import ROWS, StoredRow, read_stored
from rsjs.reporting.tables.comparison import LIMITS, solver_versions
from rsjs.reporting.tables.formats import DASH, counted
from rsjs.reporting.tables.table import Table
from rsjs.rows.build import ENDED_BY_STOP, quality, share_bounds
from rsjs.rows.csv import read_rows
from rsjs.rows.select import (
    are_shared,
    by_family,
    competing,
    distinct,
    disturbed,
    family_of,
    group_by,
    is_simulated,
    known,
    method_places,
    ordered,
)
from rsjs.runs.kinds.base import KINDS, kind

STORE, SKIPPED, SUMS = "store.json", "skipped.csv", "SHA256SUMS"
DIGITS = 12  # of a hash
SHOWN = {key: show for key, show in LIMITS.items() if key != "seed"}
SHOWN["memory_limit_mb"] = "{:g} MB".format

R = TypeVar("R", bound=Mapping[str, Any])


class ReportRow(StoredRow, total=False):
    """A row with what its pages add; `ended` and `quality` also for rows of `rsjs compare`."""

    family: str  # of the instance
    fetched: str  # command before the one that repeats it
    source: str  # on a board, the folder of results that it is of
    anchor: str  # run_id, or a number of its own where the rows have none
    record: Path | None  # its folder in a store
    problem_file: Path | None  # in a store, in the order in which the run solved it
    solution_sha256: str | None  # of the solution's file in the record
    over_best: float | None  # cost / best cost
    spent: float | None  # cost without postponement [$]


@dataclass(frozen=True, kw_only=True)
class Material(Collected):
    """What stores and tables hold."""

    sources: Sequence[Path]  # folders or files, as given
    rows: list[Any]  # each a ReportRow


def gathered(sources: Sequence[Path]) -> Material:
    """
    Return the rows of stores of `rsjs run`, folders of `collect` or `compare`, or rows.csv files.

    InputError for a source that is none of these, or without a single run.
    """
    stores = [path for path in sources if (path / STORE).exists()]
    tables = [path for path in sources if path not in stores]
    found = collect(stores)
    rows: list[ReportRow] = []
    for row, trajectory in zip(found.rows, found.trajectories, strict=True):
        store = next(path for path in stores if Store(path).path(row["run_id"]).exists())
        record = Store(store).path(row["run_id"])
        file = instance_file(store, row["solved_sha256"])
        more = {"events": trajectory["events"], "record": record, "problem_file": file}
        rows.append(cast(ReportRow, {**row, **more}))
    skipped = [*found.skipped]
    for path in tables:
        if path.is_dir() and not (path / ROWS).exists():
            expected = "a store of `rsjs run`, or a folder of `rsjs collect` or `rsjs compare`"
            raise InputError("", described("a folder with other files"), expected, path)
        rows += cast(list[ReportRow], read_stored(path))
        skipped += read_rows(path / SKIPPED) if (path / SKIPPED).exists() else []
    if not rows:
        raise InputError("", described("no records"), "runs; see `rsjs run`", sources[0])
    several = len(sources) > 1 and bool(tables)
    more = {"sources": sources, "rows": completed(rows, several=several), "skipped": skipped}
    return Material(**{**vars(found), **more})


def completed(rows: list[ReportRow], *, several: bool) -> list[ReportRow]:
    """
    Return rows with what pages add to them, by method, see `ReportRow`.

    Of `several` sources the bounds of one hold for the runs of all on a problem.
    """
    if several:
        share_bounds(rows)
    told = referred(ordered(distinct(rows)), references(rows))
    place = method_places(rows)
    told.sort(key=lambda row: place[row["method"]])
    return [_completed(row, i) for i, row in enumerate(told, start=1)]


def _completed(row: ReportRow, place: int) -> ReportRow:
    stop, sums = Stop(row["stop"]), {}
    if (record := row.get("record")) is not None:
        lines = (record / SUMS).read_text("utf-8").splitlines()
        sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    name = str(known(row, "run_id") or "")
    failed = "SOLVER_ERROR" if stop is Stop.ERROR else "FINISHED"
    solutions = (sums.get(kind(name).solution_file) for name in KINDS)
    made = {
        **row,
        "family": family_of(row),
        "anchor": name if re.fullmatch(r"\w+", name, re.ASCII) else f"row{place}",
        "ended": known(row, "ended") or ENDED_BY_STOP.get(stop, failed),
        "quality": quality(row),  # anew: a bound of another source may refute the run
        "record": record,
        "problem_file": row.get("problem_file"),
        "solution_sha256": next(filter(None, solutions), None),
        "message": row.get("message") or "",
        "events": row.get("events"),
    }
    return cast(ReportRow, made)


@dataclass(frozen=True, kw_only=True)
class Family:
    """The runs of a family of instances and their statistics."""

    name: str
    rows: list[ReportRow]
    order: Sequence[str] = ()  # all methods of the report: each has one colour in all families
    baseline: str | None = None  # see `Analysis`

    @cached_property
    def analysis(self) -> Analysis:
        """Its statistics."""
        return Analysis(rows=self.rows, baseline=self.baseline)

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Its tables by name."""
        return {table.name: table for table in tables(self.analysis)}

    @cached_property
    def footer(self) -> str:
        """What its runs have in common, see `footer`."""
        return footer(self.rows)

    @property
    def unfair(self) -> list[Mapping[str, Any]]:
        """The findings of the fairness audit that favour a method."""
        return [row for row in self.tables["fairness"].rows if row["weight"] == "UNFAIR"]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The ranked summary, a line per method, see `Analysis.summary`."""
        return self.analysis.summary

    @cached_property
    def styles(self) -> dict[str, dict[str, Any]]:
        """How each method is drawn, see `figure_style.styles`."""
        return figure_style.styles([*self.order, *grouped(self.rows, "method")])

    @cached_property
    def ranked(self) -> list[Mapping[str, Any]]:
        """The lines of the ranked summary that have a rank, with the mean of the bootstrap's."""
        return [line for line in summary_table({"": self.analysis}).rows if not line["unranked"]]


def families(rows: Sequence[ReportRow], baseline: str | None = None) -> list[Family]:
    """
    Return the families that there are, in the order of the catalogue.

    InputError for a baseline that is no method of the rows; a family without it has none.
    """
    order, chosen = [*grouped(competing(rows), "method")], baseline_of(rows, baseline)
    return [
        Family(name=name, rows=group, order=order, baseline=chosen)
        for name, group in by_family(rows).items()
    ]


def grouped(rows: Sequence[R], key: str) -> dict[str, list[R]]:
    """Return the rows by one of their columns: instances as in `ordered`, methods as they stand."""
    rows = ordered(rows) if key == "instance" else rows
    return group_by(rows, lambda row: str(row[key]))


def run_set(rows: Sequence[Mapping[str, Any]]) -> str:
    """
    Return a name for a set of runs: sha256 of their sorted ids, one per line.

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


def footer(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return run set, commit, dates, processors, limits and timing, as far as they are recorded."""

    def values(key: str) -> list[Any]:
        return list(dict.fromkeys(row[key] for row in rows if known(row, key) is not None))

    commits = dict.fromkeys(
        str(row["commit"])[:DIGITS] + (" with changes" if str(row["dirty"]) == "True" else "")
        for row in rows
        if known(row, "commit")
    )
    loaded = " asked for, on a loaded machine" if disturbed(rows) and are_shared(rows) else ""
    days = sorted({str(begun)[:10] for begun in values("begun")})
    parts = [
        f"Run set {run_set(rows)}, {counted(len(rows), 'run')}",
        f"commit {' or '.join(commits)}" if commits else "",
        f" {DASH} ".join(dict.fromkeys([days[0], days[-1]])) if days else "",
        " or ".join(map(str, values("cpu_model"))),
        *(
            " or ".join(map(show, sorted(values(key))))
            for key, show in SHOWN.items()
            if key != "gap_limit" or not all(map(is_simulated, rows))
        ),
        f"{' and '.join(sorted(values('timing')))} timing{loaded}" if values("timing") else "",
    ]
    return " · ".join(filter(None, parts))


def versions(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the versions of solvers, by name, and of the package that runs had."""
    own = sorted({str(found) for row in rows if (found := known(row, "rsjs_version"))})
    return {**dict(sorted(solver_versions(rows).items())), "rsjs-bench": own}
