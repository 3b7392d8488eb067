"""
Sets of MIG jobs as JSON documents, format `rsjs-mig-jobs/1`, and back.

The text is canonical (`rsjs.instances.io.serialization`): sorted keys, no spaces, shortest
numbers. It is written column by column, since sets come by the thousand.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.io.serialization import Document, canonical_text
from rsjs.instances.mig.jobs import JobSet

if TYPE_CHECKING:
    from collections.abc import Sequence


MIG_JOBS = "rsjs-mig-jobs/1"
_EXACT = 2.0**53  # integers of a double up to here


def document(jobs: JobSet) -> Document:
    """The document of a set of jobs."""
    found: Document = json.loads(text(jobs))
    return found


def text(jobs: JobSet) -> str:
    """The document as canonical text, one line, without a line end."""
    return _text(jobs, _jobs_text(jobs), jobs.generator)


def digest(jobs: JobSet) -> str:
    """sha256 of the text, the generator's version left out."""
    return text_and_digest(jobs)[1]


def text_and_digest(jobs: JobSet) -> tuple[str, str]:
    """Both at the cost of one."""
    body = _jobs_text(jobs)
    pinned = {k: v for k, v in (jobs.generator or {}).items() if k != "version"}
    found = sha256(_text(jobs, body, pinned).encode()).hexdigest()
    return _text(jobs, body, jobs.generator), found


def to_jobs(document: Document) -> JobSet:
    """The set of a document that fits its schema; InputError if it makes no sense."""
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
        deadline=np.array([_or_inf(row["deadline"]) for row in rows], dtype=np.float64),
        job_class=np.array([place[row["class"]] for row in rows], dtype=np.int64),
        classes=classes,
        extra={name: tuple(row.get("extra", {}).get(name) for row in rows) for name in names},
        generator=document.get("generator"),
    )


def plain(values: NDArray[Any]) -> list[Any]:
    """A column as Python numbers, integral ones as integers."""
    if values.dtype.kind != "f":
        return list(values.tolist())
    if ((values == np.floor(values)) & (np.abs(values) < _EXACT)).all():
        return list(values.astype(np.int64).tolist())
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _text(jobs: JobSet, body: str, generator: Any) -> str:
    made = f',"generator":{canonical_text(generator)}' if generator else ""
    name, unit = _quoted(jobs.name), _quoted(jobs.time_unit)
    return f'{{"format":"{MIG_JOBS}"{made},"jobs":{body},"name":{name},"time_unit":{unit}}}'


def _jobs_text(jobs: JobSet) -> str:
    memory, start = plain(jobs.memory), jobs.start.tolist()
    deadline = [None if value == inf else value for value in jobs.deadline.tolist()]
    columns: dict[str, Sequence[Any]] = {  # sorted by key
        "arrival": plain(jobs.arrival),
        "class": [jobs.classes[i] for i in jobs.job_class.tolist()],
        "cuda_cores": jobs.cuda_cores.tolist(),
        "deadline": [
            int(value) if value is not None and value.is_integer() else value for value in deadline
        ],
        "interruptible": jobs.interruptible.tolist(),
        "memory": [memory[a:b] for a, b in pairwise(start)],
        "migratable": jobs.migratable.tolist(),
        "priority": jobs.priority.tolist(),
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if not jobs.extra:
        return _quoted(rows)
    for j, row in enumerate(rows):
        own = {name: values[j] for name, values in jobs.extra.items() if values[j] is not None}
        row |= {"extra": own} if own else {}
    return canonical_text(rows)  # type: ignore[arg-type]


def _quoted(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _or_inf(value: float | None) -> float:
    return inf if value is None else value
