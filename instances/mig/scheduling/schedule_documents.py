"""
Scheduling problems and schedules as JSON documents, and back.

A problem, `rsjs-mig-scheduling/1`, is a set of jobs with three more keys: units, reading and
objective. A schedule, `rsjs-mig-schedule/1`, names its problem by sha256.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.io import serialization
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig import job_documents
from rsjs.instances.mig.io import schema_text
from rsjs.instances.mig.scheduling.objective import ScheduleObjective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule

MIG_SCHEDULING, MIG_SCHEDULE = "rsjs-mig-scheduling/1", "rsjs-mig-schedule/1"


@dataclass(frozen=True, kw_only=True)
class ScheduleFile:
    """A schedule and what its file claims about it: a number per stage of the objective."""

    schedule: Schedule
    problem_digest: str
    method: str | None = None
    objective: tuple[float, ...] | None = None
    bound: tuple[float | None, ...] | None = None


def of_problem(problem: SchedulingProblem) -> Document:
    """The document of a problem."""
    units = zip(problem.units, problem.memory.tolist(), strict=True)
    return job_documents.document(problem.jobs) | {
        "format": MIG_SCHEDULING,
        "name": problem.name,
        "units": [{"name": name, "memory": memory} for name, memory in units],
        "reading": problem.reading,
        "objective": [dict(stage) for stage in problem.objective.stages],
    }


def problem_digest(problem: SchedulingProblem) -> str:
    """sha256 of the canonical text, the generator's version left out."""
    return serialization.digest(of_problem(problem))


def to_problem(document: Document) -> SchedulingProblem:
    """The problem of a document that fits its schema; InputError if it makes no sense."""
    return SchedulingProblem(
        name=document["name"],
        units=tuple(unit["name"] for unit in document["units"]),
        memory=np.array([unit["memory"] for unit in document["units"]], dtype=np.int64),
        jobs=job_documents.to_jobs(document),
        reading=document["reading"],
        objective=ScheduleObjective(
            tuple({term: int(w) for term, w in stage.items()} for stage in document["objective"])
        ),
    )


def of_schedule(
    problem: SchedulingProblem,
    schedule: Schedule,
    *,
    method: str | None = None,
    objective: Sequence[float] | None = None,
    bound: Sequence[float | None] | None = None,
) -> Document:
    """The document of a schedule, with what is claimed about it."""
    cuts = problem.jobs.start[1:-1]
    minutes, units = np.split(schedule.minute, cuts), np.split(schedule.unit, cuts)
    document: Document = {
        "format": MIG_SCHEDULE,
        "problem": problem.digest,
        "jobs": [
            {"minutes": minute.tolist(), "units": unit.tolist()}
            for minute, unit in zip(minutes, units, strict=True)
        ],
    }
    known = {"method": method, "objective": objective, "bound": bound}
    return document | {key: value for key, value in known.items() if value is not None}


def to_schedule(document: Document, problem: SchedulingProblem) -> ScheduleFile:
    """
    The schedule of a document that fits its schema, for its problem.

    Raises
    ------
    InputError
        If it is one for another problem, or a job has too few or too many minutes or units.
    """
    if document["problem"] != problem.digest:
        expected = f"{problem.digest}, the sha256 of {problem.name}"
        raise InputError("/problem", document["problem"], expected)
    rows = document["jobs"]
    if len(rows) != len(problem.jobs):
        raise InputError("/jobs", described(f"{len(rows)} jobs"), f"{len(problem.jobs)} jobs")
    for j, row in enumerate(rows):
        length = int(problem.jobs.run_length[j])
        for name in ("minutes", "units"):
            if len(row[name]) != length:
                found = described(f"{len(row[name])} {name}")
                raise InputError(f"/jobs/{j}/{name}", found, f"{length}, one per step")
    objective, bound = document.get("objective"), document.get("bound")
    return ScheduleFile(
        schedule=Schedule(
            minute=np.array([t for row in rows for t in row["minutes"]], dtype=np.int64),
            unit=np.array([i for row in rows for i in row["units"]], dtype=np.int64),
        ),
        problem_digest=document["problem"],
        method=document.get("method"),
        objective=None if objective is None else tuple(objective),
        bound=None if bound is None else tuple(bound),
    )


@cache
def problem_schema() -> str:
    """The JSON Schema of a problem, with that of sets of jobs, to which it refers."""
    schema = json.loads(schema_text("mig-scheduling"))
    jobs = json.loads(schema_text("mig-jobs")) | {"$id": "mig-jobs.schema.json"}
    return json.dumps(schema | {"$defs": schema["$defs"] | {"mig-jobs": jobs}})
