"""The rows of a trace that a workload is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.traces.flaws import KINDS, Kind, droppable, keepable, mask
from rsjs.instances.traces.io.line_blocks import Truncated
from rsjs.instances.traces.quality_report import Report
from rsjs.instances.traces.records import Rows
from rsjs.instances.traces.screen import Screen
from rsjs.instances.traces.tally import HOUR

MOST_JOBS = 100_000  # of a workload: larger files are read by nobody
_SPARE = 50_000  # rows beyond those wanted that are held for a while


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """
    Attributes
    ----------
    rows : Rows
        In order of submission, ties as in the file.
    dropped : mapping of kind to number of rows
        Each row counts once, as the first of its kinds.
    left : int
        Rows without a flaw that were not wanted: before `after` or beyond the number of jobs.
    """

    rows: Rows
    dropped: Mapping[str, int]
    left: int


def select(
    report: Report,
    screen: Screen,
    *,
    drop: Sequence[str],
    keep: Sequence[str],
    after: float,
    jobs: int | None,
) -> Selection:
    """
    Read the trace again and take the rows without flaws, but for those that are kept.

    Parameters
    ----------
    report : Report
        Of the same trace.
    screen : Screen
        A fresh one, as made the report.
    drop, keep : sequence of str
        Names of kinds: rows that are left out; rows that are taken although they have a flaw.
    after : float [h]
        Earlier submissions are left out, counted from the first of the trace.
    jobs : int or None
        So many jobs, the first submitted; None = all, if they are not too many.

    Raises
    ------
    InputError
        A kind that the report has and neither list names; no row that is left.
    """
    dropped, kept = droppable(drop), keepable(keep)
    _refuse(report, dropped, kept)
    unwanted = ~mask(kept)
    count: dict[str, int] = {kind.name: 0 for kind in dropped}
    held: list[Rows] = []
    good = 0
    most = MOST_JOBS + 1 if jobs is None else jobs
    with suppress(Truncated):  # the report told, and it is kept
        for rows in report.trace.rows():
            rows = screen(rows)
            flaw = rows.flaw & unwanted
            fine = flaw == 0
            for kind in dropped:
                own = (flaw & kind.bit) != 0
                count[kind.name] += int(own.sum())
                flaw[own] = 0
            good += int(fine.sum())
            held.append(rows.taken(fine & (rows.submit >= report.tally.first + after * HOUR)))
            if sum(map(len, held)) > most + _SPARE:
                held = [_first(held, most)]
    chosen = _first(held, most) if held else None
    if chosen is None or not len(chosen):
        raise InputError("", described("no row without a flaw"), "a job", _file(report))
    if jobs is None and len(chosen) > MOST_JOBS:
        raise InputError("/jobs", described(f"{good} rows"), f"-J of at most {MOST_JOBS}")
    return Selection(
        rows=chosen,
        dropped={name: number for name, number in count.items() if number},
        left=good - len(chosen),
    )


def _refuse(report: Report, dropped: Sequence[Kind], kept: Sequence[Kind]) -> None:
    flaws = report.tally.flaws
    open_ = [kind for kind in KINDS if flaws[kind.name] and kind not in (*dropped, *kept)]
    if not open_:
        return
    found = described(", ".join(f"{flaws[kind.name]} {kind.name}" for kind in open_))
    readable = not any(kind.whole and not kind.kept for kind in open_)
    allowed = "each kind in --drop or --keep" if readable else "a trace that can be read"
    expected = f"{allowed}; rsjs trace inspect tells them"
    raise InputError("/drop", found, expected)


def _first(held: Sequence[Rows], most: int) -> Rows:
    """The first rows by submission of several chunks, as one."""
    models: dict[str, int] = {}
    applications: dict[str, int] = {}

    def renamed(codes: np.ndarray, names: Sequence[str], known: dict[str, int]) -> np.ndarray:
        new = [known.setdefault(name, len(known)) for name in names]
        return np.asarray(np.array([*new, -1], dtype=np.int64)[codes])

    parts = [
        replace(
            rows,
            model=renamed(rows.model, rows.models, models),
            application=renamed(rows.application, rows.applications, applications),
        )
        for rows in held
    ]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(rows, name) for rows in parts])
        for name, value in vars(held[0]).items()
        if isinstance(value, np.ndarray)
    }
    order = np.argsort(columns["submit"], kind="stable")[:most]
    whole = replace(held[0], **columns, models=tuple(models), applications=tuple(applications))
    return whole.taken(order)


def _file(report: Report) -> str:
    return next(iter(report.trace.tables.values())).name
