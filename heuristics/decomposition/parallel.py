"""
Controllers of a decomposition: one after another in this process, or in worker processes.

Each controller solves its part within its share of the time that is left. When i controllers have
not begun, the next one among p processes gets the remaining time over ceil(i / p), or a second if
that is more: no solver answers at once. What it leaves unused goes to those after it. An exception
of a controller is its result.

Worker processes are spawned, as a solver that has run must not be forked, and before the clock of
the whole starts where that is possible. A message to a worker is (method, instance, call), or None:
stop. Its messages are None, it is ready, or the result with the seconds of its phases. No worker
survives the call, nor the death of this process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from rsjs.core.call import Call
from rsjs.core.errors import told
from rsjs.core.method import InnerMethod, MethodFunction
from rsjs.core.process import die_with_parent
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.instance import Instance

MIN_SECONDS = 1.0  # that a controller gets
LATE = 0.3  # seconds past the limit when those still running are asked to stop
PATIENCE = 0.5  # seconds they have to return what they have
POLL = 0.05

Answer = tuple[int, SolveResult]
Ready = tuple[InnerMethod, Call, int]


def share(call: Call, report: Report, left: int, processes: int) -> Call:
    """Return the call to the next controller when `left` have not begun, it among them."""
    remaining = report.remaining()
    seconds = min(remaining, max(MIN_SECONDS, remaining / -(-left // processes)))
    return replace(call, limits=replace(call.limits, time_limit=seconds))


def attempt(solve: MethodFunction, instance: Instance, call: Call, report: Report) -> SolveResult:
    """Return the result of a controller; an exception is one, too."""
    try:
        return solve(instance, call, report)
    except Exception as error:
        traceback.print_exc()
        return SolveResult(stop=Stop.ERROR, message=told(error))


def one_by_one(
    solve: MethodFunction, instances: Sequence[Instance], call: Call, report: Report
) -> Iterator[Answer]:
    """Yield position and result of each controller, while there is time and nobody says stop."""
    for position, instance in enumerate(instances):
        if report.stop_requested() or report.remaining() <= 0:
            return
        asked = share(call, report, len(instances) - position, 1)
        child = report.child(asked.limits.time_limit)
        yield position, attempt(solve, instance, asked, child)


def side_by_side(
    solve: MethodFunction,
    instances: Sequence[Instance],
    call: Call,
    report: Report,
    workers: Sequence[Worker],
) -> Iterator[Answer]:
    """Yield position and result of each controller as it ends; those that do not return miss."""
    waiting = deque(range(len(instances)))
    asked: float | None = None
    try:
        while True:
            late = report.elapsed() > report.time_limit + LATE
            if asked is None and (late or report.stop_requested()):
                asked = time.monotonic()
                waiting.clear()
                for worker in workers:
                    worker.ask_to_stop()
            for worker in workers:
                if worker.position is None and waiting and report.remaining() > 0:
                    request = share(call, report, len(waiting), len(workers))
                    position = waiting.popleft()
                    worker.begin(position, solve, instances[position], request)
            busy = [worker for worker in workers if worker.position is not None]
            if not busy or (asked is not None and time.monotonic() > asked + PATIENCE):
                return
            ready = wait([worker.pipe for worker in busy], POLL)
            for worker in (worker for worker in busy if worker.pipe in ready):
                answer = worker.answer(report)
                if answer is not None:
                    yield answer
    finally:
        for worker in workers:
            worker.end()


class Worker:
    """
    A worker process, replaced when it dies, and the controller that it runs.

    Parameters
    ----------
    ready : (method, call, jobs), optional
        What the process prepares before it is ready.
    """

    def __init__(self, ready: Ready | None = None) -> None:
        self.position: int | None = None  # of the instance that it solves; None = idle
        self._ready = ready
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, workers_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(workers_end, self._ready), daemon=True)
        self._process.start()
        workers_end.close()  # so that its death closes the pipe

    def wait(self) -> None:
        """Wait until it is ready, or has died."""
        self.pipe.poll(None)

    def begin(self, position: int, solve: MethodFunction, instance: Instance, call: Call) -> None:
        """Send it a part to solve."""
        self.position = position
        with suppress(OSError):  # `answer` notices that it is dead
            self.pipe.send((solve, instance, call))

    def ask_to_stop(self) -> None:
        """Ask it to return what it has."""
        with suppress(OSError):
            self.pipe.send(None)

    def answer(self, report: Report) -> Answer | None:
        """Return its controller's result; None if it only says that it is ready."""
        assert self.position is not None
        try:
            message: tuple[SolveResult, dict[str, float]] | None = self.pipe.recv()
        except (EOFError, OSError):
            self.end()
            ended = f"its process ended with code {self._process.exitcode}"
            answer = self.position, SolveResult(stop=Stop.ERROR, message=ended)
            self._start()
        else:
            if message is None:
                return None
            result, seconds = message
            report.add_seconds(seconds)
            answer = self.position, result
        self.position = None
        return answer

    def end(self) -> None:
        """Terminate the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: Connection, ready: Ready | None) -> None:
    """Get ready, then solve each part that comes, until asked to stop."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    if ready is not None:
        solve, call, jobs = ready
        with suppress(Exception):  # what fails here fails again, and is reported, with a part
            solve.prepare(call, jobs)
    with suppress(EOFError):
        pipe.send(None)
        while (message := pipe.recv()) is not None:
            solve, instance, call = message
            report = Report(call.limits.time_limit, stop=pipe.poll)  # any message means stop
            result = attempt(solve, instance, call, report)
            pipe.send((replace(result, seconds={}, events=()), report.seconds))
