"""Files of jobs for a GPU that is divided anew, `rsjs-mig-repartition/1`, and of schedules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rsjs.instances.errors import InputError
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.gpus import document_of, gpu_of
from rsjs.instances.mig.reconfiguration.problem import Repartition, Schedule
from rsjs.instances.mig.typed_files import read_document

JOBS, SCHEDULE = "rsjs-mig-repartition/1", "rsjs-mig-repartitioned/1"


@dataclass(frozen=True, kw_only=True)
class ScheduleFile:
    """A schedule and what its file claims about it."""

    schedule: Schedule
    digest: str
    method: str | None
    makespan: float | None
    bound: float | None


def document(jobs: Repartition) -> Document:
    """The document of a set of jobs."""
    rows: list[Document] = [
        {"id": name, "release": release, "options": []}
        for name, release in zip(jobs.id, jobs.release.tolist(), strict=True)
    ]
    for j, p, d in zip(
        jobs.job.tolist(), jobs.profile.tolist(), jobs.duration.tolist(), strict=True
    ):
        rows[j]["options"].append({"profile": jobs.gpu.profiles[p].name, "duration": d})
    head = {"format": JOBS, "name": jobs.name, "time_unit": jobs.time_unit, "delta": jobs.delta}
    made = {"generator": dict(jobs.generator)} if jobs.generator else {}
    return {**head, **made, "gpu": document_of(jobs.gpu), "jobs": rows}


def to_repartition(document: Document) -> Repartition:
    """The jobs of a document that fits its schema; InputError if they make no sense."""
    gpu = gpu_of(document["gpu"], "/gpu")
    columns: list[tuple[int, int, int]] = []
    known: set[str] = set()
    for j, row in enumerate(document["jobs"]):
        if row["id"] in known:
            raise InputError(f"/jobs/{j}/id", row["id"], "an id of its own")
        known.add(row["id"])
        seen: set[int] = set()
        for k, option in enumerate(row["options"]):
            where = f"/jobs/{j}/options/{k}/profile"
            p = gpu.index(option["profile"], where)
            if p in seen:
                raise InputError(where, option["profile"], "a profile once")
            seen.add(p)
            columns.append((j, p, int(option["duration"])))
    job, profile, duration = np.array(columns, dtype=np.int64).T.copy()
    return Repartition(
        name=document["name"],
        time_unit=document["time_unit"],
        gpu=gpu,
        delta=int(document["delta"]),
        id=tuple(row["id"] for row in document["jobs"]),
        release=np.array([row["release"] for row in document["jobs"]], dtype=np.int64),
        job=job,
        profile=profile,
        duration=duration,
        generator=document.get("generator"),
    )


def read_repartition(path: str | Path) -> Repartition:
    """Read jobs; an InputError names file, pointer, value and what was expected."""
    found = read_document(path, JOBS, "mig-repartition")
    try:
        return to_repartition(found)
    except InputError as error:
        raise error.at(path) from None


def write_repartition(jobs: Repartition, path: str | Path) -> None:
    """Write jobs; a `.gz` name compresses."""
    write_document(document(jobs), path)


def write_schedule(
    jobs: Repartition,
    schedule: Schedule,
    path: str | Path,
    *,
    method: str | None = None,
    makespan: int | None = None,
    bound: int | None = None,
) -> None:
    """Write a schedule with what is claimed about it."""
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    rows = [
        {"profile": jobs.gpu.profiles[p].name, "start": start, "begin": begin}
        for p, start, begin in zip(*columns, strict=True)
    ]
    claimed = {"method": method, "makespan": makespan, "bound": bound}
    head = {"format": SCHEDULE, "repartition": jobs.digest}
    write_document({**head, **claimed, "jobs": rows}, path)


def read_schedule(jobs: Repartition, path: str | Path) -> ScheduleFile:
    """Read a schedule of these jobs."""
    found = read_document(path, SCHEDULE, "mig-repartitioned")
    if found["repartition"] != jobs.digest:
        expected = f"{jobs.digest}, the sha256 of {jobs.name}"
        raise InputError("/repartition", found["repartition"], expected, path)
    if len(found["jobs"]) != len(jobs):
        raise InputError("/jobs", len(found["jobs"]), f"{len(jobs)} entries", path)
    try:
        placed = {
            j: (jobs.gpu.index(row["profile"], f"/jobs/{j}/profile"), row["start"], row["begin"])
            for j, row in enumerate(found["jobs"])
        }
    except InputError as error:
        raise error.at(path) from None
    return ScheduleFile(
        schedule=Schedule.of(jobs, placed),
        digest=found["repartition"],
        method=found["method"],
        makespan=found["makespan"],
        bound=found["bound"],
    )
