"""When the next event is, and what it consists of."""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.simulation.events import TIE, Kind
from rsjs.simulation.options import Options
from rsjs.simulation.running_cluster import RunningCluster


class Event(NamedTuple):
    """
    What happens at one time.

    Attributes
    ----------
    time : float [h]
        The last of the times that are gathered.
    completed, arrived : (n,) int
        Jobs by position in the workload.
    switch : int
        The job that the policy wanted to be called for; -1 = none.
    period : bool
        Whether a period has ended.
    """

    time: float
    completed: Ints
    arrived: Ints
    switch: int
    period: bool

    @property
    def progress(self) -> bool:
        """Whether a job has come or gone."""
        return bool(self.completed.size or self.arrived.size)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What it consists of, in order."""
        there = (self.completed.size, self.arrived.size, self.switch >= 0, self.period)
        return tuple(kind for kind, some in zip(Kind, there, strict=True) if some)


class Agenda:
    """
    Times of events to come.

    Parameters
    ----------
    release : (J,) float [h]
        Non-decreasing.
    options : Options
        For the period, and whether jobs are submitted one by one.
    """

    def __init__(self, release: Floats, options: Options) -> None:
        self._release: list[float] = [*release.tolist(), inf]
        self._one_by_one = options.events == "authors"
        self._period = inf if options.period is None else options.period
        self._arrived = 0
        self._switch_at, self._switch, self._period_at = inf, -1, inf

    @property
    def all_arrived(self) -> bool:
        """Whether no job will come any more."""
        return self._release[self._arrived] == inf

    def next_time(self, cluster: RunningCluster) -> float:
        """When the next event is; inf = never."""
        arrival = self._release[self._arrived]
        if not cluster.rows.size:
            return arrival
        end = float(cluster.jobs.end[cluster.rows].min())
        return min(end, arrival, self._switch_at, self._period_at)

    def take(self, time: float, cluster: RunningCluster) -> Event:
        """The event at this time, with all that comes within 1e-9 h of it."""
        limit, first = max(time, cluster.now) + TIE, self._arrived
        ends = cluster.jobs.end[cluster.rows]
        done = ends <= limit
        times = [cluster.now, *ends[done].tolist()]
        if self._one_by_one:
            self._arrived += self._release[first] <= limit
        else:
            self._arrived = bisect_right(self._release, limit, lo=first)
        times += self._release[first : self._arrived]
        times += [at for at in (self._switch_at, self._period_at) if at <= limit]
        event = Event(
            time=max(times),
            completed=cluster.rows[done],
            arrived=np.arange(first, self._arrived),
            switch=self._switch if self._switch_at <= limit else -1,
            period=self._period_at <= limit,
        )
        self._switch_at, self._switch, self._period_at = inf, -1, inf
        return event

    def decided(self, now: float, rows: Ints, change: Floats | None) -> None:
        """Take note of a decision, and of the hours until each job needs another one."""
        self._period_at = now + self._period
        if change is not None and change.size:
            first = int(change.argmin())
            self._switch_at, self._switch = now + float(change[first]), int(rows[first])
