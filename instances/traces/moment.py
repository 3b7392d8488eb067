"""Instances of traces at one moment: which jobs wait or run then, and what they have done."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pandas as pd

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.traces.quality_report import HOUR
from rsjs.instances.traces.records import JobRecords

DIGITS = 6  # of releases [h]: 4 ms


@dataclass(frozen=True, kw_only=True, eq=False)
class Queue:
    """The jobs of a workload that wait or run at one moment."""

    at: float  #: [h] from the first submission
    there: Ints  #: their positions
    start: Floats  #: [s] when each job of the workload started; NaN = it waits
    ended: int  #: number of jobs that ended until then
    later: int  #: number of jobs that are submitted later


def hours_until(date: str, first: float, zoned: bool | None) -> float:
    """Return the hours from the first submission [s] to a date in the form of the submissions."""
    expected = {
        None: "hours from the first submission: the trace has no dates",
        True: "a date with a time zone, as submissions have, such as 2024-01-31 10:00:00+01:00",
        False: "a date without a time zone, as submissions, such as 2024-01-31 10:00:00",
    }[zoned]
    try:
        moment = pd.Timestamp(datetime.fromisoformat(date))
    except ValueError:
        raise InputError("/at", date, expected) from None
    if zoned is None or (moment.tzinfo is not None) != zoned:
        raise InputError("/at", date, expected)
    utc = moment if zoned else moment.tz_localize("UTC")
    return float(round((utc.timestamp() - first) / HOUR, DIGITS))


def moment_text(at: float, first: float, zoned: bool | None) -> str:
    """Return a moment as hours from the first submission [s] and, of dates, as a date."""
    hours = f"{at:g} h after the first submission"
    if zoned is not None:
        with suppress(ValueError, OverflowError):  # beyond the dates of pandas
            date = pd.Timestamp(first + at * HOUR, unit="s", tz="UTC" if zoned else None)
            return f"{date.round('s')}, {hours}"
    return hours


def queue_at(rows: JobRecords, at: float, text: str, *, own: bool) -> Queue:
    """Return which jobs wait or run `at` hours after the first submission, by recorded times."""
    moment = rows.submit[0] + at * HOUR
    start = rows.start if own else np.where(np.isnan(rows.start), rows.submit, rows.start)
    end = start + rows.duration
    if own:
        end = np.where(np.isnan(rows.end), end, rows.end)
        end = np.where(np.isnan(end), np.inf, end)  # it waits
    submitted = rows.submit <= moment
    there = np.flatnonzero(submitted & (end > moment))
    if not len(there):
        found = described(f"no job that waits or runs at {text}")
        last = round((rows.submit[-1] - rows.submit[0]) / HOUR, DIGITS)
        raise InputError("/at", found, f"a moment from 0 to {last:g} h")
    later = int((~submitted).sum())
    return Queue(at=at, there=there, start=start, ended=len(rows) - later - len(there), later=later)


def instance_at(workload: Workload, rows: JobRecords, queue: Queue) -> Instance:
    """Build the instance of the jobs that wait or run; those that run have done their part."""
    at, there = queue.at, queue.there
    moment = rows.submit[0] + at * HOUR
    passed = np.clip((moment - queue.start) / rows.duration, 0.0, None)
    epochs = workload.realised_epochs
    done = np.where(np.isnan(passed), 0.0, np.round(passed * epochs, DIGITS))[there]
    origin = workload.generator
    jobs = workload.jobs.taken(there, np.minimum(done, epochs[there] * (1 - 10.0**-DIGITS)))
    return Instance(
        name=f"{workload.name.replace(f'-J{len(workload.jobs)}-s', '-s')}-at{at:g}-J{len(jobs)}",
        cluster=workload.cluster,
        jobs=jobs,
        laws=workload.laws,
        now=at,
        H=workload.H,
        rho=workload.rho,
        objective=workload.objective,
        generator={**origin, "parameters": {**origin["parameters"], "at_hours": at}},
    )
