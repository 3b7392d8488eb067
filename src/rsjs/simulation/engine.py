"""
The event-driven simulator.

Events are completions, arrivals, switches (T_j, asked for by the policy) and periods, in this order
at one time and then by job; those within 1e-9 h are one. After each event with jobs at hand the
policy decides, the decision is checked, and the clock runs to the next event. Nodes are charged by
`accounting`, tardiness eta_j max(0, C_j - d_j) at completion. A run that cannot go on ends with the
reason, and keeps its log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Workload
from rsjs.simulation.events import TIE, Changes, Kind, Record
from rsjs.simulation.feasibility import Constraints, checked
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome, outcome
from rsjs.simulation.policy import Alarm, Policy, Status, Stopped, Watch
from rsjs.simulation.running_cluster import RunningCluster
from rsjs.simulation.state import State, whole

Observer = Callable[[Record], None]


def simulate(
    workload: Workload,
    policy: Policy,
    options: Options | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """
    Run a workload under a policy until its last job is complete.

    An observer is called with each event.
    """
    return Simulation(workload, policy, options or Options()).run(observer)


class Simulation:
    """One workload under one policy; `run` once."""

    def __init__(self, workload: Workload, policy: Policy, options: Options) -> None:
        self._workload, self._policy, self._options = workload, policy, options
        self._whole = whole(workload)
        self._constraints = Constraints(self._whole)
        self._cluster = RunningCluster(workload, self._whole, options)
        self._agenda = Agenda(workload.jobs.release, options)
        self._memory: Any = None
        self._decided_at = self._cluster.now
        self._alarm, self._watch = Alarm(), Watch()
        self._records: list[Record] = []
        self._seconds: list[float] = []

    def run(self, observer: Observer | None = None) -> Outcome:
        """Simulate to the end, or as far as it goes."""
        status, message = Status.COMPLETE, ""
        try:
            with self._alarm:
                while (time := self._agenda.next_time(self._cluster)) < inf:
                    self._take(self._agenda.take(time, self._cluster))
                    if observer is not None:
                        observer(self._records[-1])
            if self._cluster.rows.size:
                status, message = self._left_over()
        except Stopped as stop:
            status, message = stop.status, str(stop)
        except KeyboardInterrupt:
            status, message = Status.INTERRUPTED, "ended by Ctrl-C"
        if status != Status.COMPLETE:
            message = f"{self._policy.spelling} at {self._cluster.now:.9g} h: {message}"
        return outcome(
            self._workload,
            self._cluster,
            status,
            message,
            policy=self._policy.spelling,
            options=self._options,
            records=self._records,
            seconds=self._seconds,
        )

    def _take(self, event: Event) -> None:
        """Let an event happen, decide, and keep a record, also of an event that stops the run."""
        cluster = self._cluster
        cluster.run_until(event.time)
        if event.completed.size:
            cluster.complete(event.completed)
        cluster.admit(event.arrived)
        changes: Changes | None = None
        failure: BaseException | None = None
        try:
            stuck = self._agenda.all_arrived and cluster.idle()
            progress = bool(event.completed.size or event.arrived.size)
            self._watch.event(event.time, progress=progress, idle=stuck)
            if cluster.rows.size and (event.arrived.size or not self._loses_jobs()):
                changes = self._decide()
            else:
                cluster.switch_off()
        except (Stopped, KeyboardInterrupt) as ended:
            failure = ended
        record = Record(
            time=event.time,
            kinds=event.kinds,
            completed=event.completed.tolist(),
            arrived=event.arrived.tolist(),
            switch=event.switch,
            changes=changes,
            waiting=cluster.waiting(),
            in_use=cluster.nodes.in_use.tolist(),
            energy=cluster.nodes.energy,
            tardiness=cluster.tardiness,
        )
        self._records.append(record)
        if failure is not None:
            raise failure

    def _loses_jobs(self) -> bool:
        """Return whether none decides, as in the authors' program once all that ran have ended."""
        authors = self._options.events == "authors" and self._policy.keeps_running
        return authors and self._cluster.idle()

    def _decide(self) -> Changes:
        """Ask the policy, check what it says, put it into force."""
        cluster, options = self._cluster, self._options
        number = len(self._seconds)
        state = State(
            workload=self._whole,
            now=cluster.now,
            rows=cluster.rows,
            epochs_done=cluster.jobs.epochs_done(cluster.rows, cluster.now),
            current=cluster.current(),
            elapsed=cluster.now - self._decided_at,
            number=number,
            seed=options.seed_of(number),
            time_limit=options.decision_limit,
        )
        reply, seconds = self._alarm.ask(self._policy, state, self._memory)
        self._seconds.append(seconds)
        choice = checked(reply, len(state.rows))
        change = self._constraints.check(state, choice.solution)
        changes = cluster.place(choice.solution, change)
        self._memory, self._decided_at = choice.memory, cluster.now
        self._agenda.decided(cluster.now, cluster.rows, choice.change)
        return changes

    def _left_over(self) -> tuple[Status, str]:
        """Return what it means that jobs are left and nothing will happen any more."""
        ids = [self._workload.jobs.id[j] for j in self._cluster.rows.tolist()]
        shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
        if self._loses_jobs():
            return Status.LOST, f"lost {shown}, as the authors' program does"
        return Status.DEADLOCK, f"no job runs, none will come, and {shown} wait"


class Event(NamedTuple):
    """What happens at one time."""

    time: float  # h, the last of the times that are gathered
    completed: Ints  # jobs by position in the workload
    arrived: Ints
    switch: int  # the job that the policy wanted to be called for; -1 = none
    period: bool  # whether a period has ended

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What it consists of, in order."""
        there = (self.completed.size, self.arrived.size, self.switch >= 0, self.period)
        return tuple(kind for kind, some in zip(Kind, there, strict=True) if some)


class Agenda:
    """Times of events to come."""

    def __init__(self, release: Floats, options: Options) -> None:
        self._release: list[float] = [*release.tolist(), inf]  # non-decreasing
        self._one_by_one = options.events == "authors"
        self._period = inf if options.period is None else options.period
        self._arrived = 0
        self._switch_at, self._switch, self._period_at = inf, -1, inf

    @property
    def all_arrived(self) -> bool:
        """Whether no job will come any more."""
        return self._release[self._arrived] == inf

    def next_time(self, cluster: RunningCluster) -> float:
        """Return when the next event is; inf = never."""
        arrival = self._release[self._arrived]
        if not cluster.rows.size:
            return arrival
        end = float(cluster.jobs.end[cluster.rows].min())
        return min(end, arrival, self._switch_at, self._period_at)

    def take(self, time: float, cluster: RunningCluster) -> Event:
        """Return the event at this time, with all that comes within 1e-9 h of it."""
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
