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
from collections.abc import Callable, Generator
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.errors import InputError
from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Workload
from rsjs.simulation.feasibility import Constraints, checked
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Kind, LoggedEvent, Outcome, totals
from rsjs.simulation.policy import TIE, Alarm, Policy, Status, Stopped, Watch
from rsjs.simulation.running_cluster import RunningCluster
from rsjs.simulation.state import State

KINDS = tuple(Kind)
Observer = Callable[[LoggedEvent], None]
#: yields the state at each decision and is sent the reply, and the seconds that it took
Steps = Generator[State, tuple[Any, float], None]


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


class Event(NamedTuple):
    """Event: all that happens at one time; jobs by position in the workload."""

    time: float  # h, the last of the times that are gathered
    kinds: tuple[Kind, ...]
    completed: Ints
    ends: Floats  # h, of those
    arrived: Ints
    switch: int  # the job that the policy wanted to be called for; -1 = none


def sent(steps: Steps, reply: tuple[Any, float]) -> State | None:
    """Return the state at the next event; None if there is none."""
    try:
        return steps.send(reply)
    except StopIteration:
        return None


class Simulation:
    """
    One workload under one policy; `run` once, or iterate over `steps` and supply the solutions.

    Attributes
    ----------
    memory : object
        Memory of the policy for its next call.
    cluster : RunningCluster
    """

    def __init__(self, workload: Workload, policy: Policy, options: Options) -> None:
        policy = policy if policy.told is None else policy.told(workload, options)
        self._workload, self._policy, self._options = workload, policy, options
        if policy.epochs not in (None, options.epochs):
            raise InputError("/epochs", options.epochs, f"{policy.epochs}, as the policy was made")
        self._whole = options.shown(workload)
        self._constraints = Constraints(self._whole)
        self.cluster = RunningCluster(workload, self._whole, options)
        self._authors = options.events == "authors"
        self._release: list[float] = [*workload.jobs.release.tolist(), inf]  # non-decreasing
        self._arrived = 0
        self._switch_at, self._switch, self._period_at = inf, -1, inf
        self.memory: Any = None
        self._decided_at = self.cluster.now
        self._watch = Watch()
        self._records: list[LoggedEvent] = []
        self._seconds: list[float] = []

    def run(self, observer: Observer | None = None) -> Outcome:
        """Simulate to the end, or as far as it goes."""
        status, message = Status.COMPLETE, ""
        try:
            with Alarm() as alarm:
                steps = self.steps(observer)
                state = next(steps, None)
                while state is not None:
                    try:
                        reply = alarm.ask(self._policy, state, self.memory)
                    except BaseException as error:
                        steps.throw(error)  # which keeps a record of the event
                        raise
                    state = sent(steps, reply)
        except Stopped as stop:
            status, message = stop.status, str(stop)
        except KeyboardInterrupt:
            status, message = Status.INTERRUPTED, "ended by Ctrl-C"
        if status != Status.COMPLETE:
            message = f"{self._policy.spelling} at {self.cluster.now:.9g} h: {message}"
        return Outcome(
            workload=self._workload,
            policy=self._policy.spelling,
            options=self._options,
            status=status,
            message=message,
            totals=totals(self._workload, self.cluster, self._records),
            completed_at=self.cluster.completed_at,
            records=self._records,
            seconds=self._seconds,
        )

    def steps(self, observer: Observer | None = None) -> Steps:
        """Process events and yield the state where a solution is due; `Stopped` if it fails."""
        while (time := self._next_time()) < inf:
            yield from self._take(self._event(time))
            if observer is not None:
                observer(self._records[-1])
        if self.cluster.rows.size:
            self._stop_left_over()

    def _next_time(self) -> float:
        """Return when the next event is; inf = never."""
        arrival, cluster = self._release[self._arrived], self.cluster
        if not cluster.rows.size:
            return arrival
        return min(cluster.next_end, arrival, self._switch_at, self._period_at)

    def _event(self, time: float) -> Event:
        """Return the event at this time, with all that comes within 1e-9 h of it."""
        cluster, first = self.cluster, self._arrived
        limit = max(time, cluster.now) + TIE
        completed, ends = cluster.ending(limit)
        times = [cluster.now, *ends.tolist()]
        if self._authors:
            self._arrived += self._release[first] <= limit
        else:
            self._arrived = bisect_right(self._release, limit, lo=first)
        times += self._release[first : self._arrived]
        times += [at for at in (self._switch_at, self._period_at) if at <= limit]
        switch, period = self._switch_at <= limit, self._period_at <= limit
        there = (completed.size > 0, self._arrived > first, switch, period)
        event = Event(
            time=max(times),
            kinds=tuple([kind for kind, some in zip(KINDS, there, strict=True) if some]),
            completed=completed,
            ends=ends,
            arrived=np.arange(first, self._arrived),
            switch=self._switch if switch else -1,
        )
        self._switch_at, self._switch, self._period_at = inf, -1, inf
        return event

    def _take(self, event: Event) -> Steps:
        """Let an event happen, decide, and keep a record, also of an event that stops the run."""
        cluster, ids = self.cluster, self._workload.jobs.id
        cluster.run_until(event.time)
        if event.completed.size:
            cluster.complete(event.completed, event.ends)
        if event.arrived.size:
            cluster.admit(event.arrived)
        changes: dict[str, Any] | None = None
        try:
            stuck = self._release[self._arrived] == inf and not cluster.running
            progress = bool(event.completed.size or event.arrived.size)
            self._watch.event(event.time, progress=progress, idle=stuck)
            if cluster.rows.size and (event.arrived.size or not self._loses_jobs()):
                changes = yield from self._decide()
            else:
                cluster.switch_off()
        finally:
            record = LoggedEvent(
                time=event.time,
                kinds=event.kinds,
                completed=[ids[j] for j in event.completed.tolist()],
                arrived=[ids[j] for j in event.arrived.tolist()],
                switch=ids[event.switch] if event.switch >= 0 else None,
                decided=changes is not None,
                waiting=cluster.waiting,
                in_use=cluster.nodes.in_use.tolist(),
                energy=cluster.nodes.energy,
                tardiness=cluster.tardiness,
                **(changes or {"run": {}, "wait": [], "nodes": {}}),
            )
            self._records.append(record)

    def _loses_jobs(self) -> bool:
        """Return whether none decides, as in the authors' program once all that ran have ended."""
        return self._authors and self._policy.keeps_running and not self.cluster.running

    def _decide(self) -> Generator[State, tuple[Any, float], dict[str, Any]]:
        """Ask for a decision, check it, put it into force; return what changes."""
        cluster, options = self.cluster, self._options
        number, (done, current) = len(self._seconds), cluster.seen()
        state = State(
            workload=self._whole,
            now=cluster.now,
            rows=cluster.rows,
            epochs_done=done,
            current=current,
            elapsed=cluster.now - self._decided_at,
            number=number,
            seed=options.seed_of(number),
            time_limit=options.decision_limit,
        )
        reply, seconds = yield state
        self._seconds.append(seconds)
        choice = checked(reply, len(state.rows))
        try:
            change = self._constraints.check(state, choice.solution)
        except InputError as error:  # shares whose packing takes too long
            raise Stopped(Status.ERROR, str(error)) from None
        changes = cluster.place(choice.solution, change)
        self.memory, self._decided_at = choice.memory, cluster.now
        self._period_at = cluster.now + (options.period or inf)
        if choice.change is not None and choice.change.size:
            first = int(choice.change.argmin())
            self._switch_at = cluster.now + float(choice.change[first])
            self._switch = int(state.rows[first])
        return changes

    def _stop_left_over(self) -> None:
        """Raise Stopped: jobs are left and nothing will happen any more."""
        ids = [self._workload.jobs.id[j] for j in self.cluster.rows.tolist()]
        shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
        if self._loses_jobs():
            raise Stopped(Status.LOST, f"lost {shown}, as the authors' program does")
        raise Stopped(Status.DEADLOCK, f"no job runs, none will come, and {shown} wait")
