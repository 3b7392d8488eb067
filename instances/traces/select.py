"""
The rows of a trace that a workload is made of.

How a workload is made of a trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, integer, one_of
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.traces.flaws import KINDS, FlawKind, droppable, keepable, mask
from rsjs.instances.traces.io.streams import Truncated
from rsjs.instances.traces.quality_report import HOUR, CrossRowChecks, QualityReport
from rsjs.instances.traces.records import JobRecords

MAX_JOBS = 100_000  # of a workload: larger files are read by nobody
_SPARE = 50_000  # rows beyond those wanted that are held for a while


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """
    Attributes
    ----------
    rows : JobRecords
        In order of submission, ties as in the file.
    dropped : mapping of kind to number of rows
        Each row counts once, as the first of its kinds.
    left : int
        Rows without a flaw that were not wanted: before `after` or beyond the number of jobs.
    """

    rows: JobRecords
    dropped: Mapping[str, int]
    left: int


def select(
    report: QualityReport,
    screen: CrossRowChecks,
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
    report : QualityReport
        Of the same trace.
    screen : CrossRowChecks
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
    held: list[JobRecords] = []
    good = 0
    most = MAX_JOBS + 1 if jobs is None else jobs
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
    if jobs is None and len(chosen) > MAX_JOBS:
        raise InputError("/jobs", described(f"{good} rows"), f"-J of at most {MAX_JOBS}")
    return Selection(
        rows=chosen,
        dropped={name: number for name, number in count.items() if number},
        left=good - len(chosen),
    )


def _refuse(report: QualityReport, dropped: Sequence[FlawKind], kept: Sequence[FlawKind]) -> None:
    flaws = report.tally.flaws
    open_ = [kind for kind in KINDS if flaws[kind.name] and kind not in (*dropped, *kept)]
    if not open_:
        return
    found = described(", ".join(f"{flaws[kind.name]} {kind.name}" for kind in open_))
    readable = not any(kind.whole and not kind.kept for kind in open_)
    allowed = "each kind in --drop or --keep" if readable else "a trace that can be read"
    expected = f"{allowed}; rsjs trace inspect tells them"
    raise InputError("/drop", found, expected)


def _first(held: Sequence[JobRecords], most: int) -> JobRecords:
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


def _file(report: QualityReport) -> str:
    return next(iter(report.trace.tables.values())).name


RULES = ("sts", "jahani")
LAWS = (*epoch_models.VARIANTS, FIXED)
SHARING = ("none", "recorded")


@dataclass(frozen=True, kw_only=True)
class ConversionOptions:
    """
    How a workload is made.

    Attributes
    ----------
    drop, keep, after, jobs
        See `selection.select`.
    gpus : mapping
        GPU type as recorded ("" = not recorded) -> that of the catalogue.
    rules : "sts" | "jahani"
        Objective, due dates and weights of Filippini 2024 or of Jahani 2019.
    laws : "base" | "mild" | "strong" | "fixed"
        Of the number of epochs; Jahani's jobs always run all.
    sharing : "none" | "recorded"
        Whether jobs that had a share of a GPU may run on one as large, in quarters.
    seed : int
    """

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    after: float = 0.0
    jobs: int | None = None
    gpus: Mapping[str, str] = field(default_factory=dict)
    rules: str = "sts"
    laws: str = "base"
    sharing: str = "none"
    seed: int = 1

    def __post_init__(self) -> None:
        one_of("rules", self.rules, RULES)
        one_of("laws", self.laws, LAWS)
        one_of("sharing", self.sharing, SHARING)
        integer("seed", self.seed, 0)
        if self.jobs is not None:
            integer("jobs", self.jobs, 1)
        if not 0 <= self.after < np.inf:
            raise InputError("/after", self.after, "hours >= 0")
        plain = {"laws": FIXED, "sharing": "none"} if self.rules == "jahani" else {}
        for option, value in plain.items():
            if getattr(self, option) != value:
                raise InputError(f"/{option}", getattr(self, option), f"{value} with jahani")

    def with_gpus(self, gpus: Mapping[str, str]) -> ConversionOptions:
        """The same with stand-ins of GPU types."""
        return replace(self, gpus=gpus)
