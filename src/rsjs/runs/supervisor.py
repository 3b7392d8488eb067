"""
A worker process under supervision, from its start to the end of all that it started.

    T             the method's own limit, from when it is given the instance: the worker says so
                  once, at most `STARTUP` after its start, and what it says later does not count
    T + 1 s       SIGTERM: asked to return what it has
    T + 2 s       SIGKILL to its process group and every descendant seen
    memory        SIGKILL when the process tree's resident memory exceeds the limit, what its
                  processes share counted once
    output        SIGKILL when the files in its folder exceed the limit
    Ctrl-C        SIGTERM, 2 s to return, SIGKILL; the incumbent survives

The worker of a batch is ended by whatever ends one of its tasks, and by a task that was asked to
return: the next task has a new one.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import IO, Self

import psutil

from rsjs.core.call import ASKED, GRACE
from rsjs.core.errors import printable, told
from rsjs.core.own_code import DIRECTORY
from rsjs.core.report import SolveResult, Stop
from rsjs.runs.process_tree import (
    MARK,
    MEGABYTE,
    Family,
    killed_for_memory,
    marked,
    signal_name,
)
from rsjs.runs.task_files import (
    EVENTS,
    LAST,
    WARM_START,
    Line,
    Tail,
    Task,
    decision_digest,
    events,
    read_decision,
    read_result,
    salvaged,
)


class End(StrEnum):
    """How the worker process ended."""

    BY_ITSELF = "by itself"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    INTERRUPTED = "interrupted"


STOPS = {
    End.TIME: Stop.TIME_LIMIT,
    End.MEMORY: Stop.MEMORY_LIMIT,
    End.OUTPUT: Stop.OUTPUT_LIMIT,
    End.INTERRUPTED: Stop.INTERRUPTED,
}
STARTUP = 120.0  # seconds for imports, reading and compiling, before the method's clock starts
POLL, MEASURE, WEIGH = 0.02, 0.05, 0.25  # seconds between looks at events, memory, files
MOST_FILES = 20_000  # in the folder of a run
POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

OnEvent = Callable[[Line], None]


class Batch:
    """A worker process that several tasks share, one after the other."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._key: tuple[object, ...] = ()

    def give(
        self, folder: Path, key: tuple[object, ...], start: Callable[[], subprocess.Popen[bytes]]
    ) -> subprocess.Popen[bytes]:
        """Give the task in a folder to the worker of its key, started if there is none."""
        if self.process is None or key != self._key or self.process.poll() is not None:
            self.end()
            self.process, self._key = start(), key
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has died, which its end tells
            self.process.stdin.write(f"{folder}\n".encode())
            self.process.stdin.flush()
        return self.process

    def wait(self, seconds: float) -> bool:
        """Wait for the task; return whether it ended within so many seconds."""
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
        """Kill the worker process, if there is one."""
        process, self.process = self.process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    if pipe is not None:
                        pipe.close()


@dataclass(kw_only=True, eq=False)
class Supervisor:
    """A worker process and its task; `run` records how it ended."""

    folder: Path  # keeps the files of `task_files`
    task: Task
    python: str = sys.executable  # interpreter; its rsjs is the one that runs
    # this process is a subreaper without other children: all are the run's; the worker's working
    # folder, and that of its temporary files, is `folder`
    alone: bool = False
    on_event: OnEvent | None = None
    batch: Batch | None = None

    result: SolveResult = field(init=False)
    end: End = field(init=False)
    cores: list[int] = field(init=False)  # it was pinned to; empty = none
    returncode: int | None = None  # -n if signal n ended it
    strays: int = 0  # processes that it left behind, now ended
    seconds: float = 0.0  # wall clock from the start of the process to its end
    clock_seconds: float | None = None  # from the start of the method's clock to that end
    asked: bool = False  # to return because its time was up

    def __post_init__(self) -> None:
        self._ended = False  # the task of a batch, and its worker goes on
        self._clock: float | None = None
        paths = self.folder / EVENTS, self.folder / "stderr.txt"
        for path in paths:
            path.touch()
        self._events, self._output = map(Tail, paths)

    def run(self) -> Self:
        """Run the task, in a batch by its worker, until it ends or is ended."""
        self.task.write(self.folder)
        start = read_decision(self.folder / WARM_START)
        killed = killed_for_memory()
        threads = self.task.limits.threads
        with (self.folder / "stderr.txt").open("w+b") as errors, claimed(threads) as self.cores:
            self.end = self._supervise(errors)
            result = self._result(errors, killed)
        begun_from = {} if start is None else {"warm_start_sha256": decision_digest(start)}
        self.result = replace(
            result,
            peak_memory_mb=max(result.peak_memory_mb or 0.0, self._family.peak_mb) or None,
            seconds={**result.seconds, "process": self.seconds},
            options={**result.options, **begun_from},
        )
        return self

    def _supervise(self, errors: IO[bytes]) -> End:
        self._start(errors)
        try:
            if self.cores or self.batch is not None:  # which was on others before: without any, all
                with suppress(psutil.Error, OSError):
                    psutil.Process(self._process.pid).cpu_affinity(self.cores)
            end = self._poll()
        except KeyboardInterrupt:
            end = End.INTERRUPTED
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                self._process.wait(GRACE)
        finally:
            self._end()
        self._forward()
        if self._clock is not None:
            self.clock_seconds = self._begin + self.seconds - self._clock
        return end

    def _start(self, errors: IO[bytes]) -> None:
        threads = str(self.task.limits.threads)
        mark = {} if self.alone else marked()
        environment = {**os.environ, "PYTHONHASHSEED": "0", **dict.fromkeys(POOLS, threads), **mark}
        with suppress(OSError):  # it has been removed
            environment.setdefault(DIRECTORY, str(Path.cwd()))
        if self.alone:
            environment["TMPDIR"] = str(self.folder)
        self._begin = time.monotonic()

        def start(*folder: str) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [self.python, "-m", "rsjs.runs.worker", *folder],
                stdin=subprocess.DEVNULL if folder else subprocess.PIPE,
                stdout=errors if folder else subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=self.folder if self.alone else None,
                start_new_session=True,
            )

        if self.batch is None:
            self._process = start(str(self.folder))
        else:
            key = self.python, threads, self.task.output_limit_mb  # what it was started with
            self._process = self.batch.give(self.folder, key, start)
        root = os.getpid() if self.alone else self._process.pid
        self._family = Family(root, with_root=not self.alone, mark=mark.get(MARK, ""))

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
        """Return the seconds past the limit."""
        now = time.monotonic()
        if self._clock is None:
            return now - self._begin - STARTUP
        return now - self._clock - self.task.limits.time_limit

    def _end(self) -> None:
        """Let no process of this run survive, but the worker of a batch whose task has ended."""
        if self._ended and not self.asked and self.batch and self.batch.process:
            self.returncode, self.seconds = 0, time.monotonic() - self._begin
            self.strays = self._family.kill(but=self._process.pid)
            return
        if self.batch is not None:
            self.batch.end()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()  # before its family: who reaps it knows the code
        self.returncode = 0 if self._ended else code
        self.seconds = time.monotonic() - self._begin
        self.strays = self._family.kill()

    def _forward(self) -> None:
        """Hand on what the worker has reported since the last look."""
        for line in events(self._events.lines()):
            if line["event"] == "started" and self._clock is None:
                self._clock = time.monotonic()
            if self.on_event is not None:
                self.on_event(line)
        if self.task.log:
            for text in self._output.lines():
                print(text, file=sys.stderr)

    def _result(self, errors: IO[bytes], killed: int | None) -> SolveResult:
        """Read what the worker left; files that make no sense are its own fault, not ours."""
        stop, what = Stop.ERROR, "the result"
        try:
            result = read_result(self.folder)
            if result is None:
                stop, why = STOPS.get(self.end, stop), self._why(errors, killed)
                what = f"{why}; what it left"
                return salvaged(self.folder, stop, why)
        except Exception as error:
            return SolveResult(stop=stop, message=f"{what} cannot be read: {told(error)}")
        if self.end is End.INTERRUPTED:
            return replace(result, stop=Stop.INTERRUPTED)
        if self.asked and result.stop is Stop.INTERRUPTED:
            return replace(result, stop=Stop.TIME_LIMIT)  # we did, not the user
        return result

    def _why(self, errors: IO[bytes], killed: int | None) -> str:
        """Return why a worker left no result; `killed` is `killed_for_memory` before its start."""
        if self.end is End.TIME:
            if self.clock_seconds is None:
                return f"ended: imports, reading and compiling took more than {STARTUP:g} s"
            return f"ended {GRACE:g} s after its time limit"
        if self.end is End.MEMORY:
            return f"ended at {self._family.peak_mb:.0f} MB of resident memory"
        if self.end is End.OUTPUT:
            return f"ended at more than {self.task.output_limit_mb or 0:g} MB of output"
        if self.end is End.INTERRUPTED:
            return "ended before it returned"
        errors.seek(max(0, errors.seek(0, 2) - 10_000))  # also where the file has been removed
        text = errors.read().decode("utf-8", errors="replace").strip()
        last = " ".join(text.splitlines()[-1].split()) if text else "nothing on standard error"
        how = ending(self.returncode, killed, killed_for_memory())
        return f"worker {how}: {printable(last[:500])}"


def ending(returncode: int | None, before: int | None, after: int | None) -> str:
    """
    Return how a process ended, as far as it is known.

    Parameters
    ----------
    returncode : -n if signal n ended it
    before, after : `killed_for_memory` before its start and after its end
    """
    if returncode is None or returncode >= 0:
        return f"ended with code {returncode}"
    name = signal_name(-returncode)
    if name != "SIGKILL":
        return f"ended by {name}"
    if before is None or after is None:
        return f"ended by {name}, sent by another process or by the kernel for want of memory"
    if before == after:
        return f"ended by {name}, sent by another process: the kernel ended none for want of memory"
    return f"ended by {name} while the kernel ended {after - before} for want of memory"


@contextmanager
def claimed(threads: int) -> Iterator[list[int]]:
    """
    Claim as many cores as a run has threads by file locks, so that no two runs share one.

    None where that many are not free, where the run may as well use all cores, or where the
    system cannot pin; the run is then left to the scheduler.
    """
    with ExitStack() as locks:
        cores: list[int] = []
        try:
            available: list[int] = psutil.Process().cpu_affinity()
        except (AttributeError, OSError):
            available = []
        if threads < len(available):
            firsts = {_first_sibling(core) for core in available}
            # high numbers first; a second hardware thread of a core comes after all first ones
            for core in sorted(available, key=lambda core: (core not in firsts, -core)):
                if len(cores) < threads and _lock(core, locks):
                    cores.append(core)
        yield cores if len(cores) == threads else []


def _first_sibling(core: int) -> int:
    """Return the first hardware thread of the core that this one is of."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    try:
        return min(map(int, re.findall(r"\d+", path.read_text("ascii"))))
    except (OSError, ValueError):
        return core


def _lock(core: int, locks: ExitStack) -> bool:
    """
    Claim a core until the locks are left; False where another run or somebody else has it.

    The folder of the locks is this user's alone: another may have made one of this name.
    """
    try:
        folder = Path(tempfile.gettempdir()) / f"rsjs-cores-{os.getuid()}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            return False
        # neither follows a link nor waits for the reader of a pipe, and empties nothing
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        file = locks.enter_context(os.fdopen(os.open(folder / str(core), flags, 0o600), "rb"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _weight_mb(folder: Path) -> float:
    """Return what the files in a folder take; infinite for more than MOST_FILES."""
    total, left = 0, MOST_FILES
    for place, folders, names in os.walk(folder):
        left -= len(folders) + len(names)
        if left < 0:
            return inf
        for name in names:
            with suppress(OSError):  # those that vanish meanwhile count nothing
                total += Path(place, name).lstat().st_size
    return total / MEGABYTE
