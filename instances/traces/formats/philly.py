"""
Microsoft Philly (ATC '19): 117 325 jobs, a JSON array in cluster_job_log.

A job has status (Pass, Killed, Failed), vc, jobid, attempts [{start_time, end_time, detail: [{ip,
gpus: [...]}]}], submitted_time (2017-10-07 01:11:39) and user. Attempts may be none, times null or
"None"; without the last end_time the job was still running. GPUs are those of the last attempt,
the run time is the sum of all attempts. The GPU type is not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.traces.columns import as_text, job_records, seconds, state_bits
from rsjs.instances.traces.flaws import (
    FAILED,
    FIELDS,
    KILLED,
    PENDING,
    RUNNING,
    TIME,
    TIME_ZONE,
    mask,
)
from rsjs.instances.traces.formats.node_lists import node_list
from rsjs.instances.traces.io.json import objects
from rsjs.instances.traces.io.streams import Truncated
from rsjs.instances.traces.records import (
    ID_BYTES,
    JobRecords,
    Sources,
    TraceFormat,
    TraceTable,
    broken_lines,
    with_columns,
)

_JOBS, _NODES = "cluster_job_log", "cluster_machine_list"
_KEYS = ("status", "vc", "jobid", "attempts", "submitted_time", "user")
_NEEDED = ("jobid", "status", "attempts", "submitted_time")
_STARTS = re.compile(rf'\{{\s*"({"|".join(_KEYS)})"')
_STATES = {"Killed": KILLED, "Failed": FAILED}
_JOBS_OF_CHUNK = 20_000
_DATE = "S32"


@dataclass(frozen=True, kw_only=True)
class _Job:
    id: bytes
    submit: bytes
    status: str
    attempts: list[tuple[bytes, bytes]]
    gpus: int | None


def _missing(head: bytes) -> tuple[str, ...] | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"[") or (b'"attempts"' not in text and b'"jobid"' not in text):
        return None
    return tuple(key for key in _NEEDED if f'"{key}"'.encode() not in text)


def _rows(sources: Sources) -> Iterator[JobRecords]:
    source = sources[_JOBS]
    found: list[tuple[int, Any]] = []
    with source.open() as stream:
        try:
            for pair in objects(stream, source.name, _STARTS):
                found.append(pair)
                if len(found) == _JOBS_OF_CHUNK:
                    yield from _chunk(source.name, found)
                    found = []
        except Truncated:
            yield from _chunk(source.name, found)
            raise
    yield from _chunk(source.name, found)


def _chunk(file: str, found: list[tuple[int, Any]]) -> Iterator[JobRecords]:
    told = [(line, _job(entry)) for line, entry in found]
    broken = [line for line, job in told if job is None]
    jobs = [(line, job) for line, job in told if job is not None]
    if broken:
        yield broken_lines(file, np.array(broken), FIELDS)
    if jobs:
        yield _made(file, np.array([line for line, _ in jobs]), [job for _, job in jobs])


def _job(entry: Any) -> _Job | None:
    """What is used of a job; None if it is not built as it should be."""
    try:
        attempts = entry["attempts"] or []
        return _Job(
            id=as_text(entry["jobid"])[:ID_BYTES],
            submit=as_text(entry["submitted_time"]),
            status=str(entry["status"]),
            attempts=[(as_text(a["start_time"]), as_text(a["end_time"])) for a in attempts],
            gpus=_gpus(attempts[-1]["detail"]) if attempts else None,
        )
    except (KeyError, TypeError, IndexError):
        return None


def _gpus(detail: list[dict[str, Any]]) -> int:
    """GPUs of the machines of an attempt."""
    names = [machine["gpus"] for machine in detail]
    if not all(isinstance(own, list) for own in names):
        raise TypeError
    return sum(map(len, names))


def _made(file: str, line: Ints, jobs: list[_Job]) -> JobRecords:
    n = len(jobs)
    submit, flaw = seconds(np.array([job.submit for job in jobs], dtype=_DATE))
    owner = np.repeat(np.arange(n), [len(job.attempts) for job in jobs])
    pairs = np.array([pair for job in jobs for pair in job.attempts], dtype=_DATE).reshape(-1, 2)
    start, start_flaw = seconds(pairs[:, 0])
    end, end_flaw = seconds(pairs[:, 1])
    np.bitwise_or.at(flaw, owner, start_flaw | end_flaw)
    first, last = np.full(n, np.nan), np.full(n, np.nan)
    final = np.flatnonzero(np.diff(owner, append=n))  # the last attempt of each job
    last[owner[final]] = end[final]
    np.fmin.at(first, owner, start)
    duration = np.zeros(n)
    np.add.at(duration, owner, end - start)
    never = np.bincount(owner, minlength=n) == 0
    duration[never] = np.nan
    flaw[never] |= PENDING.bit
    goes_on = ~never & np.isnan(last) & (flaw & mask([TIME, TIME_ZONE]) == 0)
    flaw[goes_on] |= RUNNING.bit
    flaw |= state_bits(np.arange(n), [job.status for job in jobs], "Pass", _STATES)
    return job_records(
        file=file,
        line=line,
        id=np.array([job.id for job in jobs], dtype=f"S{ID_BYTES}"),
        submit=submit,
        start=first,
        end=np.full(n, np.nan),  # attempts have gaps between them
        duration=duration,
        gpus=np.array([np.nan if job.gpus is None else job.gpus for job in jobs]),
        flaw=flaw,
    )


PHILLY = TraceFormat(
    name="philly",
    title="Microsoft Philly cluster_job_log",
    tables=(
        TraceTable(name=_JOBS, missing=_missing),
        TraceTable(
            name=_NODES,
            missing=with_columns("machineId", "number of GPUs", "single GPU mem"),
            needed=False,
        ),
    ),
    rows=_rows,
    nodes={_NODES: node_list("number of GPUs", None)},
    gpu="P100",
)
