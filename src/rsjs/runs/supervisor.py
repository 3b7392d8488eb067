"""
A worker process under watch, from its start to the end of all that it started.

    T             the method's own limit, from when it is given the instance: the worker says so
                  once, at most `STARTUP` after its start, and what it says later does not count
    T + 1 s       SIGTERM: asked to return what it has
    T + 2 s       SIGKILL to its process group and every descendant seen
    memory        SIGKILL when the process tree's resident memory exceeds the limit, what its
                  processes share counted once
    output        SIGKILL when the files in its folder exceed the limit
    Ctrl-C        SIGTERM, 2 s to return, SIGKILL; the incumbent survives

On systems without process groups the worker and its children are ended one by one. The worker of a
batch is ended by whatever ends one of its tasks, and by a task that was asked to return: the next
task has a new one.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import IO

import psutil

from rsjs.core.call import ASKED, GRACE
from rsjs.runs.process_tree import MARK, MEGABYTE, Family, marked
from rsjs.runs.task_files import LAST, Events, Line, Tail, Task


class End(StrEnum):
    """How the worker came to its end."""

    BY_ITSELF = "by itself"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    Where a worker runs.

    Attributes
    ----------
    python : str
        The interpreter; its rsjs is the one that runs.
    alone : bool
        This process has no other children and is a subreaper: every descendant is the run's.
    inside : bool
        The run's folder is its working folder and that of its temporary files.
    """

    python: str = sys.executable
    alone: bool = False
    inside: bool = False


class Batch:
    """A worker process that several tasks share, one after the other."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._key: tuple[object, ...] = ()

    def give(
        self, folder: Path, key: tuple[object, ...], start: Callable[[], subprocess.Popen[bytes]]
    ) -> subprocess.Popen[bytes]:
        """Have the task in a folder run by a worker, started if there is none of the same key."""
        if self.process is None or key != self._key or self.process.poll() is not None:
            self.end()
            self.process, self._key = start(), key
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has died, which its end tells
            self.process.stdin.write(f"{folder}\n".encode())
            self.process.stdin.flush()
        return self.process

    def wait(self, seconds: float) -> bool:
        """Whether the task ends within so many seconds."""
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        told = os.read(self.process.stdout.fileno(), 1) if ready else b""
        if ready and not told:  # the end of its output, soon of itself
            time.sleep(seconds)
        if told == LAST:
            self.end()
        return bool(told)

    def end(self) -> None:
        """Kill the worker, if there is one."""
        process, self.process = self.process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    if pipe is not None:
                        pipe.close()


STARTUP = 120.0  # seconds for imports, reading and compiling, before the method's clock starts
POLL, MEASURE, WEIGH = 0.02, 0.05, 0.25  # seconds between looks at events, memory, files
MOST_FILES = 20_000  # in the folder of a run

OnEvent = Callable[[Line], None]


class Watch:
    """
    A worker under watch.

    Attributes
    ----------
    peak_mb : float
        See `Family`.
    seconds : float
        Wall clock from the start of the process to its end.
    clock_seconds : float or None
        The same from the start of the method's clock.
    returncode : int or None
        -n if signal n ended it.
    strays : int
        Processes that the worker left behind.
    asked : bool
        Whether it was asked to return because its time was up.
    """

    def __init__(
        self,
        folder: Path,
        task: Task,
        surroundings: Surroundings,
        on_event: OnEvent | None,
        batch: Batch | None = None,
    ) -> None:
        self.folder, self.task, self.surroundings = folder, task, surroundings
        self.on_event, self.batch = on_event, batch
        self.seconds = 0.0
        self.clock_seconds: float | None = None
        self.returncode: int | None = None
        self.strays = 0
        self.asked = False
        self._ended = False  # the task of a batch, and its worker goes on
        self._clock: float | None = None
        self._events = Events(folder)
        self._output = Tail(folder / "stderr.txt")

    @property
    def peak_mb(self) -> float:
        return self._family.peak_mb

    def run(self, errors: IO[bytes], cores: list[int]) -> End:
        """Start the worker and wait until it ends or is ended."""
        self._start(errors)
        try:
            _pin(self._process.pid, cores, anew=self.batch is not None)
            end = self._poll()
        except KeyboardInterrupt:
            end = End.INTERRUPTED
            self._ask_to_stop()
        finally:
            self._end()
        self._forward()
        if self._clock is not None:
            self.clock_seconds = self._begin + self.seconds - self._clock
        return end

    def _start(self, errors: IO[bytes]) -> None:
        threads, around = str(self.task.limits.threads), self.surroundings
        pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        mark = {} if around.alone else marked()
        environment = {**os.environ, "PYTHONHASHSEED": "0", **dict.fromkeys(pools, threads), **mark}
        if around.inside:
            environment["TMPDIR"] = str(self.folder)
        self._begin = time.monotonic()

        def start(folder: list[str]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [around.python, "-m", "rsjs.runs.worker", *folder],
                stdin=subprocess.DEVNULL if folder else subprocess.PIPE,
                stdout=errors if folder else subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=self.folder if around.inside else None,
                start_new_session=True,
            )

        if self.batch is None:
            self._process = start([str(self.folder)])
        else:
            key = around.python, threads, self.task.output_limit_mb  # what it was started with
            self._process = self.batch.give(self.folder, key, lambda: start([]))
        root = os.getpid() if around.alone else self._process.pid
        self._family = Family(root, with_root=not around.alone, mark=mark.get(MARK, ""))

    def _poll(self) -> End:
        weighed = time.monotonic()
        measured = 0.0 if self.batch is None else weighed
        memory, output = self.task.limits.memory_limit_mb or inf, self.task.output_limit_mb
        while self._process.poll() is None:
            self._forward()
            now = time.monotonic()
            if now - measured >= MEASURE:
                measured = now
                self._family.measure(memory)
            if self._family.resident_mb > memory:
                return End.MEMORY
            if output is not None and now - weighed >= WEIGH:
                weighed = now
                if _weight_mb(self.folder) > output:
                    return End.OUTPUT
            over = self._over()
            if over > GRACE:
                return End.TIME
            if over > ASKED and not self.asked:
                self.asked = True
                self._process.terminate()
            if self.batch is None:
                time.sleep(POLL)
            elif self.batch.wait(POLL):
                self._ended = True
                return End.BY_ITSELF
        return End.BY_ITSELF

    def _over(self) -> float:
        """Seconds past the limit."""
        now = time.monotonic()
        if self._clock is None:
            return now - self._begin - STARTUP
        return now - self._clock - self.task.limits.time_limit

    def _ask_to_stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(GRACE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            return

    def _end(self) -> None:
        """No process of this run survives, but the worker of a batch whose task has ended."""
        if self._ended and not self.asked and self.batch and self.batch.process:
            self.returncode, self.seconds = 0, time.monotonic() - self._begin
            self.strays = self._family.kill(but=self._process.pid)
            return
        if self.batch is not None:
            self.batch.end()
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        code = self._process.wait()  # before its family: who reaps it knows the code
        self.returncode = 0 if self._ended else code
        self.seconds = time.monotonic() - self._begin
        self.strays = self._family.kill()

    def _forward(self) -> None:
        """Hand on what the worker has reported since the last look."""
        for line in self._events.new():
            if line["event"] == "started" and self._clock is None:
                self._clock = time.monotonic()
            if self.on_event is not None:
                self.on_event(line)
        if self.task.log:
            for text in self._output.lines():
                print(text, file=sys.stderr)


def _weight_mb(folder: Path) -> float:
    """What the files in a folder take; infinite for more than MOST_FILES, which take time."""
    total, left = 0, MOST_FILES
    for place, folders, names in os.walk(folder):
        left -= len(folders) + len(names)
        if left < 0:
            return float("inf")
        for name in names:
            with suppress(OSError):  # those that vanish meanwhile count nothing
                total += Path(place, name).lstat().st_size
    return total / MEGABYTE


def _pin(pid: int, cores: list[int], *, anew: bool) -> None:
    """Keep a worker on its cores; one that was on others before, without any on all."""
    if cores or anew:
        with suppress(psutil.Error, OSError):
            psutil.Process(pid).cpu_affinity(cores)
