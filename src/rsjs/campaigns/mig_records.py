"""
What the record of a schedule on MIG instances says, besides what that of every run does.

The schedule that the worker left is checked where the run is watched, and kept as a file of format
`rsjs-mig-schedule/1` with what was claimed of each stage; `rsjs check` reads it. The columns of
a row are those of `mig_outcome`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.campaigns.records import SCHEDULE, Record
from rsjs.campaigns.run import Run
from rsjs.core.report import SolveResult
from rsjs.instances.check import Verdict
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.problem import read_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, write_schedule
from rsjs.runs.compare import Row
from rsjs.runs.kinds.mig_launcher import finished
from rsjs.runs.kinds.mig_outcome import columns

Figures = dict[str, Any]
problem_in = lru_cache(maxsize=4)(read_problem)


def verified(
    run: Run, problem: str, result: SolveResult, work: Path
) -> tuple[SolveResult, Verdict | None, Figures]:
    """
    The result with the check among its phases, the verdict on the schedule, and its figures.

    Parameters
    ----------
    problem : str
        Path of its file.
    work : path
        Where the worker left its files, and where that of the schedule is written.
    """
    found = finished(problem_in(problem), run.method, result, work)
    if found.schedule is not None:
        claims = found.figures
        write_schedule(
            found.problem,
            found.schedule,
            work / SCHEDULE,
            method=run.method,
            objective=claims["stage_values"],
            bound=claims["stage_bounds"],
        )
    return found.result, found.verdict, dict(found.figures)


def price(problem: str, schedule: Schedule) -> float | None:
    """The value of the first stage; None if the schedule breaks a constraint."""
    try:
        values = check_schedule(problem_in(problem), schedule).values
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return None if values is None else float(values[0])


def columns_of(record: Record) -> Row:
    """The columns of a row."""
    return columns(record.figures, record.verdict, record.result.seconds)
