"""
The tables of Alibaba cluster-trace-gpu-v2020 (PAI), which have no header.

    job    job_name, inst_id, user, status, start_time (= submission), end_time [s]
    task   job_name, task_name, inst_num, status, start_time (= launch), end_time, plan_cpu,
           plan_mem, plan_gpu [% of a GPU, of an instance; empty = none], gpu_type
    spec   machine, gpu_type, cap_cpu, cap_mem, cap_gpu

A table to which somebody has put its header is read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

from rsjs.instances.traces.flaws import FAILED, PENDING, RUNNING, Kind
from rsjs.instances.traces.io.csv import Layout
from rsjs.instances.traces.io.streams import HEAD, Source, pieces
from rsjs.instances.traces.trace_format import header_of

JOB = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
TASK = (
    "job_name",
    "task_name",
    "inst_num",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
    "plan_gpu",
    "gpu_type",
)
SPEC = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")
STATES: Mapping[str, Kind] = {"Running": RUNNING, "Failed": FAILED, "Waiting": PENDING}
DONE = "Terminated"
_LINES = 20  # from which a table is told: some may be damaged


def like(columns: tuple[str, ...]) -> Callable[[bytes], tuple[str, ...] | None]:
    """`Table.missing` of a table with or without its header."""

    def missing(head: bytes) -> tuple[str, ...] | None:
        if header_of(head) == columns:
            return ()
        lines = head.decode("utf-8", "replace").splitlines()[:-1] or [
            head.decode("utf-8", "replace")
        ]
        rows = (line.split(",") for line in islice(lines, _LINES))
        return () if any(_fits(row, columns) for row in rows) else None

    return missing


def layout(source: Source, columns: tuple[str, ...], wanted: Mapping[str, str]) -> Layout:
    """How one of the tables is written."""
    with source.open() as stream:
        head = next(pieces(stream, HEAD), b"")
    return Layout(columns=columns, wanted=wanted, header=header_of(head) == columns)


def _fits(row: list[str], columns: tuple[str, ...]) -> bool:
    if len(row) != len(columns):
        return False
    if columns is SPEC:
        numeric = [entry.strip().replace(".", "", 1).isdigit() for entry in row]
        return not numeric[1] and all(numeric[2:])  # no GPU type is a number: pods of openb
    return row[columns.index("status")] in {DONE, *STATES}
