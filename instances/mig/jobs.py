"""
A set of jobs for MIG instances: arrivals, and the GPU memory of every job in every time unit.

Its file, format `rsjs-mig-jobs/1`, is canonical (`rsjs.instances.io.serialization`): sorted keys,
no spaces, shortest numbers. The text is written column by column, since sets come by the thousand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.types import Bools, Floats, Ints, ReadOnly
from rsjs.instances.io.serialization import Document, canonical_text

MIG_JOBS = "rsjs-mig-jobs/1"
_EXACT = 2.0**53  # integers of a double up to here
LARGEST = 1e15  # of any number: sums stay exact enough
_TABLE = ("priority", "run_length", "cuda_cores", "interruptible", "migratable", "deadline")


@dataclass(frozen=True, kw_only=True, eq=False)
class JobSet(ReadOnly):
    """J jobs in order of arrival; a job is known by its place, from 0."""

    name: str
    time_unit: str  #: what 1 is in all times below, e.g. "minute"
    arrival: Floats  #: (J,) >= 0, never decreasing
    priority: Ints  #: (J,)
    run_length: Ints  #: (J,) >= 1, time units of run time, L_j
    #: (sum of L_j,) >= 0, peak memory w_jk [MB] in each time unit k of a run, job after job
    memory: Floats
    cuda_cores: Ints  #: (J,)
    interruptible: Bools  #: (J,) whether the job may be stopped after a time unit and go on later
    migratable: Bools  #: (J,) whether it may then go on on another instance
    deadline: Floats  #: (J,) absolute; inf = none
    job_class: Ints  #: (J,) index into `classes`
    classes: tuple[str, ...]
    #: name -> J values of a further field, not interpreted; None = the job has no such field
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    generator: Mapping[str, Any] | None = None  #: what made the set: name, parameters, version

    def __post_init__(self) -> None:
        _check(self)
        for name in ("arrival", "memory", "job_class", *_TABLE):
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.arrival)

    @cached_property
    def start(self) -> Ints:
        """(J + 1,) where the memory of each job begins; the last is where all end."""
        return np.append(0, np.cumsum(self.run_length))

    @cached_property
    def peak(self) -> Floats:
        """(J,) largest memory of each job [MB]."""
        return np.maximum.reduceat(self.memory, self.start[:-1]) if len(self) else np.zeros(0)

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        return text_and_digest(self)[1]


def document(jobs: JobSet) -> Document:
    """Return the document of a set of jobs."""
    parsed: Document = json.loads(text_and_digest(jobs)[0])
    return parsed


def text_and_digest(jobs: JobSet) -> tuple[str, str]:
    """
    Return the document as canonical text, one line without a line end, and its digest.

    The digest is the sha256 of the text without the generator's version.
    """
    memory, start = plain(jobs.memory), jobs.start.tolist()
    columns: dict[str, Sequence[Any]] = {  # sorted by key
        "arrival": plain(jobs.arrival),
        "class": [jobs.classes[i] for i in jobs.job_class.tolist()],
        "cuda_cores": jobs.cuda_cores.tolist(),
        "deadline": [None if value == inf else value for value in plain(jobs.deadline)],
        "interruptible": jobs.interruptible.tolist(),
        "memory": [memory[a:b] for a, b in pairwise(start)],
        "migratable": jobs.migratable.tolist(),
        "priority": jobs.priority.tolist(),
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for name, values in jobs.extra.items():
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row.setdefault("extra", {})[name] = value
    # Rows without further fields are canonical already.
    body = canonical_text(rows) if jobs.extra else _quoted(rows)  # type: ignore[arg-type]

    def text(generator: Mapping[str, Any]) -> str:
        maker = f',"generator":{canonical_text(dict(generator))}' if generator else ""
        name, unit = _quoted(jobs.name), _quoted(jobs.time_unit)
        return f'{{"format":"{MIG_JOBS}"{maker},"jobs":{body},"name":{name},"time_unit":{unit}}}'

    generator = jobs.generator or {}
    pinned = {key: value for key, value in generator.items() if key != "version"}
    return text(generator), sha256(text(pinned).encode()).hexdigest()


def to_jobs(document: Document) -> JobSet:
    """Build the set of a document that fits its schema; InputError if it makes no sense."""
    rows = document["jobs"]
    classes = tuple(dict.fromkeys(row["class"] for row in rows))
    place = {name: i for i, name in enumerate(classes)}
    names = sorted({name for row in rows for name in row.get("extra", ())})
    return JobSet(
        name=document["name"],
        time_unit=document["time_unit"],
        arrival=np.array([row["arrival"] for row in rows], dtype=np.float64),
        priority=np.array([row["priority"] for row in rows], dtype=np.int64),
        run_length=np.array([len(row["memory"]) for row in rows], dtype=np.int64),
        memory=np.array([w for row in rows for w in row["memory"]], dtype=np.float64),
        cuda_cores=np.array([row["cuda_cores"] for row in rows], dtype=np.int64),
        interruptible=np.array([row["interruptible"] for row in rows], dtype=np.bool_),
        migratable=np.array([row["migratable"] for row in rows], dtype=np.bool_),
        deadline=np.array(
            [inf if row["deadline"] is None else row["deadline"] for row in rows], dtype=np.float64
        ),
        job_class=np.array([place[row["class"]] for row in rows], dtype=np.int64),
        classes=classes,
        extra={name: tuple(row.get("extra", {}).get(name) for row in rows) for name in names},
        generator=document.get("generator"),
    )


def plain(values: NDArray[Any]) -> list[Any]:
    """Return a column as Python numbers, integral ones as integers."""
    if values.dtype.kind != "f":
        return list(values.tolist())
    if ((values == np.floor(values)) & (np.abs(values) < _EXACT)).all():
        return list(values.astype(np.int64).tolist())
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _quoted(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _check(jobs: JobSet) -> None:
    """Raise InputError at the first entry that makes no sense."""
    n = len(jobs.arrival)
    refuse_control("/name", jobs.name)
    refuse_control("/time_unit", jobs.time_unit)
    refuse_control("/jobs", *jobs.classes)
    for name in (*_TABLE, "job_class"):
        if len(getattr(jobs, name)) != n:
            found = described(f"{len(getattr(jobs, name))} values of {name}")
            raise InputError("/jobs", found, f"{n}, one per job")
    late = np.append(False, np.diff(jobs.arrival) < 0)
    _refuse("arrival", ~_within(jobs.arrival, 0), jobs.arrival, f"a number >= 0, <= {LARGEST:g}")
    _refuse("arrival", late, jobs.arrival, "an arrival no earlier than that of the job before")
    _refuse("run_length", jobs.run_length < 1, jobs.run_length, "an integer >= 1")
    if jobs.run_length.sum() != len(jobs.memory):
        found = described(f"{len(jobs.memory)} values of memory")
        raise InputError("/jobs", found, f"{jobs.run_length.sum()}, one per time unit of each job")
    # The job and the time unit of the first bad value.
    if (bad := np.flatnonzero(~_within(jobs.memory, 0))).size:
        j = int(np.searchsorted(np.cumsum(jobs.run_length), bad[0], side="right"))
        k = int(bad[0] - jobs.run_length[:j].sum())
        expected = f"a number of MB >= 0, <= {LARGEST:g}"
        raise InputError(f"/jobs/{j}/memory/{k}", float(jobs.memory[bad[0]]), expected)
    unknown = (jobs.job_class < 0) | (jobs.job_class >= len(jobs.classes))
    _refuse("class", unknown, jobs.job_class, f"the index of one of {len(jobs.classes)} classes")
    undefined = np.isnan(jobs.deadline) | (np.abs(jobs.deadline) > LARGEST)
    _refuse("deadline", undefined & (jobs.deadline != np.inf), jobs.deadline, "a number")


def _within(values: Floats, least: float) -> Bools:
    return (values >= least) & (values <= LARGEST)


def _refuse(name: str, bad: Bools, values: NDArray[Any], expected: str) -> None:
    if bad.any():
        j = int(bad.argmax())
        raise InputError(f"/jobs/{j}/{name}", values[j].item(), expected)
