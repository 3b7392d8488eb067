"""
Controllers side by side, each process solving one part after another.

The processes are started afresh, as a solver that has run must not be forked. A message to a
process is (instance, call), or None: stop. Its messages are None, its clock starts, or the result
with the seconds of its phases. No process survives the call, nor the death of this process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from rsjs.formulations.controllers import add_seconds, attempt, share
from rsjs.instances.lifeline import die_with_parent
from rsjs.instances.method import Call, Report, Run
from rsjs.instances.schema import Instance
from rsjs.instances.solution import SolveResult, Stop

LATE = 0.3  # seconds past the limit when those still running are asked to stop
PATIENCE = 0.5  # seconds they have to return what they have
POLL = 0.05

Answer = tuple[int, SolveResult]


def side_by_side(
    solve: Run, instances: Sequence[Instance], call: Call, report: Report, processes: int
) -> Iterator[Answer]:
    """Position and result of each controller as it ends; those that do not return are missing."""
    waiting = deque(range(len(instances)))
    team = [_Process(solve) for _ in range(processes)]
    asked: float | None = None
    started = answered = False  # the clock runs from the last start before the first answer
    try:
        while True:
            late = started and report.elapsed() > report.time_limit + LATE
            if asked is None and (late or report.stop_requested()):
                asked = time.monotonic()
                waiting.clear()
                for member in team:
                    member.ask_to_stop()
            for member in team:
                if member.position is None and waiting and report.remaining() > 0:
                    request = share(call, report, len(waiting), processes)
                    position = waiting.popleft()
                    member.begin(position, instances[position], request)
            busy = [member for member in team if member.position is not None]
            if not busy or (asked is not None and time.monotonic() > asked + PATIENCE):
                return
            ready = wait([member.ears for member in busy], POLL)
            for member in (member for member in busy if member.ears in ready):
                answer = member.answer(report)
                if answer is not None:
                    answered = True
                    yield answer
                elif not answered:
                    started = True
                    report.start_clock()
    finally:
        for member in team:
            member.end()


class _Process:
    """
    One process, replaced when it dies, and what it is doing.

    Attributes
    ----------
    position : int or None
        The controller it runs; None = idle.
    ears : Connection
    """

    def __init__(self, solve: Run) -> None:
        self.position: int | None = None
        self._solve = solve
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.ears, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._solve), daemon=True)
        self._process.start()
        theirs.close()  # so that its end is heard

    def begin(self, position: int, instance: Instance, call: Call) -> None:
        """Let it solve a part."""
        self.position = position
        with suppress(OSError):  # a dead process is heard of as one
            self.ears.send((instance, call))

    def ask_to_stop(self) -> None:
        """Let it return what it has."""
        with suppress(OSError):
            self.ears.send(None)

    def answer(self, report: Report) -> Answer | None:
        """What it says: its controller's result; None = its clock has started."""
        assert self.position is not None
        try:
            said: tuple[SolveResult, dict[str, float]] | None = self.ears.recv()
        except (EOFError, OSError):
            self.end()
            message = f"its process ended with code {self._process.exitcode}"
            result = SolveResult(stop=Stop.ERROR, message=message)
            answer = self.position, result
            self._start()
        else:
            if said is None:
                return None
            add_seconds(report, said[1])
            answer = self.position, said[0]
        self.position = None
        return answer

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.ears.close()


class _PipeReport(Report):
    """The report of a controller in a process of its own; any message means stop."""

    def __init__(self, ears: Connection, time_limit: float) -> None:
        super().__init__(time_limit)
        self._ears = ears

    def start_clock(self) -> None:
        """The controller's time limit counts from here."""
        super().start_clock()
        self._ears.send(None)

    def stop_requested(self) -> bool:
        """Whether the whole was asked to end, or nobody is there to listen."""
        return self._ears.poll()


def _serve(ears: Connection, solve: Run) -> None:
    """Solve what comes until told to stop."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    with suppress(EOFError):
        while (message := ears.recv()) is not None:
            instance, call = message
            report = _PipeReport(ears, call.limits.time_limit)
            report.start_clock()
            result = attempt(solve, instance, call, report)
            ears.send((replace(result, seconds={}, events=()), report.seconds))
