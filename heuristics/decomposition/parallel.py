"""
Controllers one after another: each solves its part within its share of the time that is left.

When i controllers are not begun, the next one among p processes gets the time left over
ceil(i / p), or a second if that is more: no solver answers at once. What it leaves unused goes to
those after it. An exception of one is its result.

Controllers side by side, each process solving one part after another.

The processes are started afresh, as a solver that has run must not be forked, and before the clock
of the whole where that is possible. A message to a process is (method, instance, call), or None:
stop. Its messages are None, it is ready, or the result with the seconds of its phases. No process
survives the call, nor the death of this process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from rsjs.core.errors import told
from rsjs.core.method import Call, Prepares, Report, Run, SolveResult, Stop
from rsjs.core.process import die_with_parent
from rsjs.instances.instance import Instance

LEAST = 1.0  # seconds


def share(call: Call, report: Report, left: int, processes: int) -> Call:
    """The call to the next controller when `left` are not begun, it among them."""
    remaining = report.remaining()
    seconds = min(remaining, max(LEAST, remaining / -(-left // processes)))
    return replace(call, limits=replace(call.limits, time_limit=seconds))


def attempt(solve: Run, instance: Instance, call: Call, report: Report) -> SolveResult:
    """The result of a controller; an exception is one, too."""
    try:
        return solve(instance, call, report)
    except Exception as error:
        traceback.print_exc()
        return SolveResult(stop=Stop.ERROR, message=told(error))


def add_seconds(report: Report, seconds: dict[str, float]) -> None:
    """Phases of a controller, summed over the controllers."""
    for name, value in seconds.items():
        report.seconds[name] = report.seconds.get(name, 0.0) + value


class TurnReport(Report):
    """
    The report of a controller that runs in this process.

    Phases and the wish to stop are those of the whole; its incumbents and bounds say nothing
    about the whole.
    """

    def __init__(self, whole: Report, time_limit: float) -> None:
        super().__init__(time_limit)
        self._whole = whole

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to a phase of the whole."""
        with self._whole.phase(name):
            yield

    def stop_requested(self) -> bool:
        """Whether the whole was asked to end."""
        return self._whole.stop_requested()


def one_by_one(
    solve: Run, instances: Sequence[Instance], call: Call, report: Report
) -> Iterator[tuple[int, SolveResult]]:
    """Position and result of each controller, as long as there is time and nobody says stop."""
    for position, instance in enumerate(instances):
        if report.stop_requested() or report.remaining() <= 0:
            return
        asked = share(call, report, len(instances) - position, 1)
        turn = TurnReport(report, asked.limits.time_limit)
        result = attempt(solve, instance, asked, turn)
        add_seconds(report, turn.seconds)
        yield position, result


LATE = 0.3  # seconds past the limit when those still running are asked to stop
PATIENCE = 0.5  # seconds they have to return what they have
POLL = 0.05

Answer = tuple[int, SolveResult]
Ready = tuple[Prepares, Call, int]


class Team:
    """
    Processes for controllers.

    Parameters
    ----------
    ready : (method, call, jobs), optional
        What each process prepares before it is ready.
    """

    def __init__(self, processes: int, ready: Ready | None = None) -> None:
        self.members = [Process(ready) for _ in range(processes)]

    def wait(self) -> None:
        """Return when all processes are ready, or have died."""
        for member in self.members:
            member.wait()

    def end(self) -> None:
        """End the processes, whatever they do."""
        for member in self.members:
            member.end()


def side_by_side(
    solve: Run, instances: Sequence[Instance], call: Call, report: Report, team: Team
) -> Iterator[Answer]:
    """Position and result of each controller as it ends; those that do not return are missing."""
    waiting = deque(range(len(instances)))
    asked: float | None = None
    try:
        while True:
            late = report.elapsed() > report.time_limit + LATE
            if asked is None and (late or report.stop_requested()):
                asked = time.monotonic()
                waiting.clear()
                for member in team.members:
                    member.ask_to_stop()
            for member in team.members:
                if member.position is None and waiting and report.remaining() > 0:
                    request = share(call, report, len(waiting), len(team.members))
                    position = waiting.popleft()
                    member.begin(position, solve, instances[position], request)
            busy = [member for member in team.members if member.position is not None]
            if not busy or (asked is not None and time.monotonic() > asked + PATIENCE):
                return
            ready = wait([member.ears for member in busy], POLL)
            for member in (member for member in busy if member.ears in ready):
                answer = member.answer(report)
                if answer is not None:
                    yield answer
    finally:
        team.end()


class Process:
    """
    One process, replaced when it dies, and what it is doing.

    Attributes
    ----------
    position : int or None
        The controller it runs; None = idle.
    ears : Connection
    """

    def __init__(self, ready: Ready | None) -> None:
        self.position: int | None = None
        self._ready = ready
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.ears, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._ready), daemon=True)
        self._process.start()
        theirs.close()  # so that its end is heard

    def wait(self) -> None:
        """Return when it is ready, or has died."""
        self.ears.poll(None)

    def begin(self, position: int, solve: Run, instance: Instance, call: Call) -> None:
        """Let it solve a part."""
        self.position = position
        with suppress(OSError):  # a dead process is heard of as one
            self.ears.send((solve, instance, call))

    def ask_to_stop(self) -> None:
        """Let it return what it has."""
        with suppress(OSError):
            self.ears.send(None)

    def answer(self, report: Report) -> Answer | None:
        """What it says: its controller's result; None = it is ready."""
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

    def stop_requested(self) -> bool:
        """Whether the whole was asked to end, or nobody is there to listen."""
        return self._ears.poll()


def _serve(ears: Connection, ready: Ready | None) -> None:
    """Get ready, then solve what comes until told to stop."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    if ready is not None:
        solve, call, jobs = ready
        with suppress(Exception):  # what fails here fails again, and is told, with a part
            solve.prepare(call, jobs)
    with suppress(EOFError):
        ears.send(None)
        while (message := ears.recv()) is not None:
            solve, instance, call = message
            report = _PipeReport(ears, call.limits.time_limit)
            result = attempt(solve, instance, call, report)
            ears.send((replace(result, seconds={}, events=()), report.seconds))
