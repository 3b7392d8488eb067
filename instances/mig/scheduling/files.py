"""Files of scheduling problems and of schedules, checked on the way in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_document
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.io import of_format, read_document
from rsjs.instances.mig.job_files import read_jobs
from rsjs.instances.mig.scheduling import problem as schedule_documents
from rsjs.instances.mig.scheduling.objective import ScheduleObjective
from rsjs.instances.mig.scheduling.problem import (
    MIG_SCHEDULE,
    MIG_SCHEDULING,
    PAPER_UNITS,
    Schedule,
    ScheduleFile,
    SchedulingProblem,
    numbered,
    paper_problem,
)


def read_problem(path: str | Path) -> SchedulingProblem:
    """
    Read an `rsjs-mig-scheduling/1` file.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    return _problem(of_format(read_json(path), MIG_SCHEDULING, path), path)


def write_problem(problem: SchedulingProblem, path: str | Path) -> None:
    """Write a problem; a `.gz` name compresses."""
    write_document(schedule_documents.of_problem(problem), path)


def read_problem_or_jobs(
    path: str | Path,
    *,
    reading: str | None = None,
    objective: ScheduleObjective | None = None,
    memory: Sequence[int] | None = None,
) -> SchedulingProblem:
    """
    A problem from its file or from one of a set of jobs; what is given replaces what is there.

    A set of jobs has no units, reading or objective: 2000, 1000 and 1000 MB, A and the
    makespan if not given.
    """
    document = read_json(path)
    given: dict[str, Any] = {"reading": reading, "objective": objective}
    if memory is not None:
        given["memory"] = np.array(memory, dtype=np.int64)
        given["units"] = numbered(len(memory))
    try:
        if is_problem(document):
            found = _problem(document, path)
            changes = {key: value for key, value in given.items() if value is not None}
            return replace(found, **changes) if changes else found
        default = ScheduleObjective(({"makespan": 1},))
        sizes = PAPER_UNITS if memory is None else tuple(memory)
        return paper_problem(read_jobs(path), reading or "A", objective or default, sizes)
    except InputError as error:
        raise error if error.file else error.at(path) from None


def is_problem(document: Any) -> bool:
    """Whether a document is one of a problem, not of a set of jobs."""
    return isinstance(document, dict) and document.get("format") == MIG_SCHEDULING


def read_schedule(path: str | Path, problem: SchedulingProblem) -> ScheduleFile:
    """Read an `rsjs-mig-schedule/1` file, which must be one for this problem."""
    document = read_document(path, MIG_SCHEDULE, "mig-schedule")
    try:
        return schedule_documents.to_schedule(document, problem)
    except InputError as error:
        raise error.at(path) from None


def write_schedule(
    problem: SchedulingProblem,
    schedule: Schedule,
    path: str | Path,
    *,
    method: str | None = None,
    objective: Sequence[float] | None = None,
    bound: Sequence[float | None] | None = None,
) -> None:
    """Write a schedule with what is claimed about it."""
    document = schedule_documents.of_schedule(
        problem, schedule, method=method, objective=objective, bound=bound
    )
    write_document(document, path)


def _problem(document: Any, path: str | Path) -> SchedulingProblem:
    fit(document, schedule_documents.problem_schema(), path)
    try:
        return schedule_documents.to_problem(document)
    except InputError as error:
        raise error.at(path) from None
