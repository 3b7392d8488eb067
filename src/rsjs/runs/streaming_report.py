"""A report that outlives the process of a method: what it reports is on the disk at once."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.report import Report
from rsjs.instances.solution import Solution
from rsjs.runs.solution_arrays import append_decision, write_decision
from rsjs.runs.task_files import INCUMBENTS, EventLog, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rsjs.instances.mig.scheduling.schedule import Schedule


class LimitReached(BaseException):
    """The time limit passed while a model was being built; no library may swallow it."""


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise LimitReached in this block when the time is up, where the system has timers."""
    if seconds is None or not hasattr(signal, "setitimer") or seconds == float("inf"):
        yield
        return

    def ring(*_: object) -> None:
        raise LimitReached

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


class StreamingReport(Report):
    """A report whose events outlive the process; the worker starts its clock."""

    def __init__(self, folder: Path, task: Task) -> None:
        super().__init__(task.limits.time_limit)
        self.folder, self.task, self.log = folder, task, EventLog(folder)
        self.stop_event = threading.Event()
        self._started = False

    def start_clock(self) -> None:
        """The time limit counts from here, that is from the first call."""
        if not self._started:
            self._started, self._start = True, time.monotonic()
            self.log.append({"event": "started"})

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        try:
            with super().phase(name), _limited(self.remaining() if name == "build" else None):
                yield
        finally:
            self.log.append({"event": "phase", "name": name, "seconds": self.seconds[name]})

    def publish(self, solution: Solution, objective: float) -> None:
        write_decision(solution, self.folder / "incumbent.npz")
        if self.task.every_incumbent:
            append_decision(solution, self.folder / INCUMBENTS)
        self._log_incumbent(objective)

    def publish_schedule(self, schedule: Schedule, objective: float) -> None:
        from rsjs.runs.kinds import mig_schedule

        mig_schedule.write_schedule(schedule, self.folder)
        if self.task.every_incumbent:
            mig_schedule.append_schedule(schedule, self.folder / INCUMBENTS)
        self._log_incumbent(objective)

    def _log_incumbent(self, objective: float) -> None:
        self.log.append({"event": "incumbent", "seconds": self.elapsed(), "value": objective})

    def publish_bound(self, value: float) -> None:
        self.log.append({"event": "bound", "seconds": self.elapsed(), "value": value})

    def stop_requested(self) -> bool:
        return self.stop_event.is_set()
