"""
The process in which one method runs: `python -m rsjs.runs.worker FOLDER`.

It reads the task left in the folder, streams incumbents and bounds there, and leaves the result.
Without a folder it is the worker of a batch: it reads folders from standard input, a line each, and
says on standard output when the task in one has ended.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from errno import EFBIG
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, told
from rsjs.core.own_code import place_of
from rsjs.core.process import die_with_parent, memory_mb
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.runs.kinds.base import kind
from rsjs.runs.task_files import EVENTS, LAST, NEXT, Line, Task, salvaged, write_result


class LimitReached(BaseException):
    """The time limit passed while a model was being built; no library may swallow it."""


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise LimitReached in this block when the time is up."""
    if seconds is None or seconds == float("inf"):
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
    """A report that outlives the process: everything reported is on the disk at once."""

    def __init__(self, folder: Path, task: Task) -> None:
        super().__init__(task.limits.time_limit)
        self.folder, self.task = folder, task
        self.events_file = os.open(folder / EVENTS, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        self.stop_event = threading.Event()
        self._started = False

    def log(self, line: Line) -> None:
        """Write one event, a line; a reader drops an incomplete last one."""
        os.write(self.events_file, (json.dumps(line) + "\n").encode())

    def start_clock(self) -> None:
        """Start the clock of the time limit, at the first call."""
        if not self._started:
            self._started, self._start = True, time.monotonic()
            self.log({"event": "started"})

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        try:
            with super().phase(name), _limited(self.remaining() if name == "build" else None):
                yield
        finally:
            self.log({"event": "phase", "name": name, "seconds": self.seconds[name]})

    def publish(self, solution: Any, objective: float) -> None:
        own, every = kind(self.task.kind), self.task.every_incumbent
        own.write_incumbent(solution, objective, self.folder, every)
        self.log({"event": "incumbent", "seconds": self.elapsed(), "value": objective})

    def publish_bound(self, value: float) -> None:
        self.log({"event": "bound", "seconds": self.elapsed(), "value": value})

    def stop_requested(self) -> bool:
        return self.stop_event.is_set()


def run(folder: Path) -> None:
    """Run the task in a folder and leave its result there."""
    task = Task.read(folder)
    die_with_parent(task.launcher)
    _limit_files(task.output_limit_mb)
    report = StreamingReport(folder, task)
    _stop_on_sigterm(report.stop_event)
    try:
        if task.plugins or task.shipped:
            from rsjs.methods import receive, refuse_other_sources

            with report.phase("import"):
                receive(task.shipped)
                refuse_other_sources(task.plugins or {})
        begin = time.monotonic()
        own = kind(task.kind)
        report.add_seconds({"import": time.monotonic() - begin})
        result = own.run(task, report, folder)
    except LimitReached:
        result = salvaged(folder, Stop.TIME_LIMIT, "limit reached while the model was built")
    except Exception as error:
        result = _failed(error, place_of(error, task.shipped))
        if isinstance(error, MemoryError):
            result = salvaged(folder, Stop.MEMORY_LIMIT, result.message)
        elif isinstance(error, OSError) and error.errno == EFBIG:  # see `_limit_files`
            result = salvaged(folder, Stop.OUTPUT_LIMIT, result.message)
    report.seconds["total"] = report.elapsed()
    try:
        write_result(_completed(result, report), folder)
    except (AttributeError, TypeError, ValueError) as error:  # it is no result
        write_result(_completed(_failed(error), report), folder)
    os.close(report.events_file)


def serve() -> None:
    """Run the tasks of a batch, each in its folder as if it were alone, until the input ends."""
    folders, ended = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    _stop_on_sigterm(threading.Event())
    worker = os.getpid()
    for line in folders:
        folder, threads = Path(line.removesuffix("\n")), threading.active_count()
        _enter(folder)
        run(folder)
        if os.getpid() != worker:  # a task forked, and its child returns: the batch is not its own
            os._exit(0)
        os.chdir("/")
        _flush()
        for descriptor in (1, 2):
            os.dup2(nowhere, descriptor)
        goes_on = threading.active_count() > threads  # something of this task: no other beside it
        os.write(ended, LAST if goes_on else NEXT)


def _enter(folder: Path) -> None:
    """Make a run's folder the place of this process, and its output a file there."""
    output = os.open(folder / "stderr.txt", os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    with suppress(OSError):  # the peak of memory is that of this task
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def _completed(result: SolveResult, report: StreamingReport) -> SolveResult:
    return replace(
        result,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        peak_memory_mb=memory_mb().get("VmHWM"),
    )


def _failed(error: Exception, place: str = "") -> SolveResult:
    if isinstance(error, InputError):
        return SolveResult(stop=Stop.ERROR, message=str(error))
    with suppress(OSError, UnicodeError):  # its output may be full, its message no text
        traceback.print_exc()
    return SolveResult(stop=Stop.ERROR, message=f"{told(error)}{place}")


def _limit_files(megabytes: float | None) -> None:
    """No file of this process and its children grows beyond that; Python raises OSError."""
    if megabytes is not None:
        size, hard = int(megabytes * 2**20), resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        if hard != resource.RLIM_INFINITY:  # the site's own limit, which only root may raise
            size = min(size, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


_STOP: list[threading.Event] = []  # of the task that runs


def _stop_on_sigterm(stop: threading.Event) -> None:
    """SIGTERM asks for the end; a thread hears it even while the main thread is in a solver."""
    listens = bool(_STOP)
    _STOP[:] = [stop]
    if listens:
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: None)

    def listen() -> None:
        while os.read(reader, 1)[0] != signal.SIGTERM:
            pass
        _STOP[0].set()

    threading.Thread(target=listen, daemon=True).start()


def _flush() -> None:
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    if sys.argv[1:]:
        run(Path(sys.argv[1]))
    else:
        serve()
    _flush()
    os._exit(0)  # solver threads that linger must not keep a finished worker alive
