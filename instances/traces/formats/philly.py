"""
Microsoft Philly (ATC '19): 117 325 jobs, a JSON array in cluster_job_log.

A job has status (Pass, Killed, Failed), vc, jobid, attempts [{start_time, end_time, detail: [{ip,
gpus: [...]}]}], submitted_time (2017-10-07 01:11:39) and user. Attempts may be none, times null or
"None"; without the last end_time the job was still running. GPUs are those of the last attempt,
the run time is the sum of all attempts. The GPU type is not recorded.

The array is read one object at a time: memory is that of a piece of the file and one object.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from json import JSONDecodeError, JSONDecoder
from typing import Any

import numpy as np
import pandas as pd

from rsjs.instances.traces import flaws
from rsjs.instances.traces.columns import TableBlock, job_records, parse_dates, read_nodes
from rsjs.instances.traces.io.streams import BLOCK, ByteSource, Truncated
from rsjs.instances.traces.records import (
    ID_BYTES,
    JobRecords,
    TraceFormat,
    TraceTable,
    broken_lines,
)

MAX_OBJECT = 1 << 24  # characters: a longer one is broken
MAX_TEXT = 1 << 16  # characters of a string: an error further from the end is a real one
_KEYS = ("status", "vc", "jobid", "attempts", "submitted_time", "user")
_NEEDED = ("jobid", "status", "attempts", "submitted_time")
_OBJECT = re.compile(rf'\{{\s*"({"|".join(_KEYS)})"')  # how a job begins
_BETWEEN = re.compile(r"[\s,\[\]\ufeff]*")
_STATES = {"Killed": flaws.KILLED, "Failed": flaws.FAILED}
_JOBS_OF_CHUNK = 20_000
_DATE = "S32"


def _identify(head: bytes) -> tuple[str, ...] | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"[") or (b'"attempts"' not in text and b'"jobid"' not in text):
        return None
    return tuple(key for key in _NEEDED if f'"{key}"'.encode() not in text)


_JOBS = TraceTable(name="cluster_job_log", identify=_identify)
_NODES = TraceTable(
    name="cluster_machine_list",
    columns={"machineId": "", "number of GPUs": "number", "single GPU mem": ""},
    required=False,
)


def _rows(sources: Mapping[str, ByteSource]) -> Iterator[JobRecords]:
    source = sources[_JOBS.name]
    chunk: list[tuple[int, Any]] = []
    try:
        for entry in read_objects(source):
            chunk.append(entry)
            if len(chunk) == _JOBS_OF_CHUNK:
                yield from _records(source.name, chunk)
                chunk = []
    except Truncated:
        yield from _records(source.name, chunk)
        raise
    yield from _records(source.name, chunk)


def read_objects(source: ByteSource) -> Iterator[tuple[int, Any]]:
    """
    Read the line on which each object starts, and the object; None where the JSON is broken.

    Raises
    ------
    Truncated
        Where the array does not end, or compressed data end early.
    """
    decoder, utf8 = JSONDecoder(), codecs.getincrementaldecoder("utf-8")("replace")
    text, at, line, ended, closed = "", 0, 1, False, False
    for piece in source.pieces(BLOCK):
        ended = not piece
        text, at = text[at:] + utf8.decode(piece, final=ended), 0
        while True:
            # Skip what separates objects, and note whether the array ended.
            separators = _BETWEEN.match(text, at)
            begin = separators.end() if separators else at
            line += text.count("\n", at, begin)
            closed = closed or "]" in text[at:begin]
            at = begin
            if at == len(text):
                break
            try:
                if text[at] != "{":
                    raise ValueError("what is left of a broken object")
                entry, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                # Wait for more text, or go on at the next object.
                place = error.pos if isinstance(error, JSONDecodeError) else at
                following = _OBJECT.search(text, at + 1)
                waits = len(text) - place < MAX_TEXT and len(text) - at < MAX_OBJECT
                if not ended and waits:
                    break
                if following is None and ended:
                    break
                entry, end = None, following.start() if following else len(text)
            closed = False
            yield line, entry
            line += text.count("\n", at, end)
            at = end
    if not (ended and closed) or at < len(text):
        raise Truncated(source.name, line)


def _records(file: str, chunk: Sequence[tuple[int, Any]]) -> Iterator[JobRecords]:
    parsed = [(line, _fields(entry)) for line, entry in chunk]
    broken = [line for line, fields in parsed if fields is None]
    jobs = [(line, *fields) for line, fields in parsed if fields is not None]
    if broken:
        yield broken_lines(file, np.array(broken), flaws.FIELDS)
    if jobs:
        yield _jobs(file, *zip(*jobs, strict=True))


def _fields(entry: Any) -> tuple[Any, ...] | None:
    """Return id, submission, status, attempts and GPUs of a job; None if it is not one."""
    try:
        attempts = entry["attempts"] or []
        return (
            _text(entry["jobid"])[:ID_BYTES],
            _text(entry["submitted_time"]),
            str(entry["status"]),
            [(_text(each["start_time"]), _text(each["end_time"])) for each in attempts],
            _gpus(attempts[-1]["detail"]) if attempts else np.nan,
        )
    except (KeyError, TypeError, IndexError):
        return None


def _text(value: Any) -> bytes:
    return b"" if value is None else str(value).encode("utf-8", "replace")


def _gpus(detail: list[dict[str, Any]]) -> int:
    """Count the GPUs of the machines of an attempt."""
    names = [machine["gpus"] for machine in detail]
    if not all(isinstance(each, list) for each in names):
        raise TypeError
    return sum(map(len, names))


def _jobs(
    file: str,
    line: Sequence[int],
    id: Sequence[bytes],
    submitted: Sequence[bytes],
    status: Sequence[str],
    attempts: Sequence[list[tuple[bytes, bytes]]],
    gpus: Sequence[float],
) -> JobRecords:
    n = len(line)
    block = TableBlock(file, np.array(line), pd.DataFrame({"status": pd.Categorical(status)}))
    block.note_states("status", "Pass", _STATES)
    submit, flaw = parse_dates(np.array(submitted, dtype=_DATE))
    # The attempts of all jobs one after the other: the job of each, its start and end.
    job = np.repeat(np.arange(n), [*map(len, attempts)])
    pairs = np.array([pair for each in attempts for pair in each], dtype=_DATE).reshape(-1, 2)
    start, start_flaw = parse_dates(pairs[:, 0])
    end, end_flaw = parse_dates(pairs[:, 1])
    np.bitwise_or.at(flaw, job, start_flaw | end_flaw)
    # First start, last end and sum of the run times of each job.
    first, last, duration = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n)
    last[job] = end  # the last attempt of a job counts
    np.fmin.at(first, job, start)
    np.add.at(duration, job, end - start)
    never = np.bincount(job, minlength=n) == 0
    duration[never] = np.nan
    flaw[never] |= flaws.PENDING.bit
    running = ~never & np.isnan(last) & (flaw & flaws.mask([flaws.TIME, flaws.TIME_ZONE]) == 0)
    flaw[running] |= flaws.RUNNING.bit
    block.flaw |= flaw
    return job_records(
        block,
        id=np.array(id, dtype=f"S{ID_BYTES}"),
        submit=submit,
        start=first,  # no end: attempts have gaps between them
        duration=duration,
        gpus=np.array(gpus, dtype=np.float64),
    )


PHILLY = TraceFormat(
    name="philly",
    title="Microsoft Philly cluster_job_log",
    licence="CC-BY-4.0",
    tables=(_JOBS, _NODES),
    rows=_rows,
    nodes=partial(read_nodes, _NODES, "number of GPUs", None),
    zoned=False,
    gpu="P100",
)
