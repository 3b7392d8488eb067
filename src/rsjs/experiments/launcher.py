"""
Starts one worker process for one method run and holds it to its limits.

    T             the method's own limit, from the start of the build
    T + 1 s       SIGTERM: asked to return what it has
    T + 2 s       SIGKILL to its process group and every descendant seen
    memory        SIGKILL when the process tree's resident memory exceeds the limit
    Ctrl-C        SIGTERM, 2 s to return, SIGKILL; the incumbent survives

On systems without process groups the worker and its children are ended one by one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import psutil

from rsjs.experiments.cores import claimed
from rsjs.experiments.protocol import (
    Line,
    Tail,
    Task,
    events_of,
    read_result,
    salvaged,
    write_decision,
)
from rsjs.instances.files import write_instance
from rsjs.instances.method import Limits
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

GRACE_SOFT, GRACE_HARD = 1.0, 2.0  # seconds after the limit
STARTUP = 120.0  # seconds for imports and reading, before the method's clock starts
POLL = 0.02
MEGABYTE = 2**20

OnEvent = Callable[[Line], None]


def run(
    instance: Instance,
    method: str,
    limits: Limits,
    *,
    warm_start: Solution | None = None,
    log: bool = False,
    on_event: OnEvent | None = None,
) -> SolveResult:
    """
    Run one method in a worker process.

    Parameters
    ----------
    method : str
        Canonical spelling.
    log : bool
        Let the solver's log through to standard error.
    on_event : callable, optional
        Called with each event line as it arrives.
    """
    with tempfile.TemporaryDirectory(prefix="rsjs-") as name:
        folder = Path(name)
        path = folder / "instance.json"
        write_instance(instance, path)
        if warm_start is not None:
            write_decision(warm_start, folder / "warm_start.npz")
        Task(
            instance=str(path),
            method=method,
            limits=limits,
            warm_start=warm_start is not None,
            log=log,
        ).write(folder)
        with (folder / "stderr.txt").open("wb") as errors, claimed(limits.threads) as cores:
            watch = _Watch(folder, limits, on_event, log)
            stop = watch.run(errors, cores)
        return _result(folder, watch, stop)


def _result(folder: Path, watch: _Watch, stop: Stop | None) -> SolveResult:
    result = read_result(folder)
    if result is None:
        if stop is None:
            stop, message = Stop.ERROR, _last_words(folder, watch.returncode)
        else:
            message = {
                Stop.TIME_LIMIT: f"ended {GRACE_HARD:g} s after its time limit",
                Stop.MEMORY_LIMIT: f"ended at {watch.peak_mb:.0f} MB of resident memory",
            }.get(stop, "ended before it returned")
        result = salvaged(folder, stop, message)
    elif stop is Stop.INTERRUPTED:
        result = replace(result, stop=stop)
    peak = max(result.peak_memory_mb or 0.0, watch.peak_mb)
    seconds = {**result.seconds, "process": watch.seconds}
    return replace(result, peak_memory_mb=peak or None, seconds=seconds)


def _last_words(folder: Path, returncode: int | None) -> str:
    text = (folder / "stderr.txt").read_text("utf-8", errors="replace").strip()
    last = " ".join(text.splitlines()[-1].split()) if text else "nothing on standard error"
    return f"worker ended with code {returncode}: {last}"


@dataclass
class _Watch:
    """A worker under watch."""

    folder: Path
    limits: Limits
    on_event: OnEvent | None
    log: bool
    peak_mb: float = 0.0
    seconds: float = 0.0
    returncode: int | None = None
    _resident_mb: float = 0.0
    _clock: float | None = None
    _family: dict[int, psutil.Process] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._events = events_of(self.folder)
        self._output = Tail(self.folder / "stderr.txt")

    def run(self, errors: IO[bytes], cores: list[int]) -> Stop | None:
        """Start the worker and wait until it ends or is ended; None = it ended by itself."""
        self._start(errors)
        try:
            _pin(self._process.pid, cores)
            stop = self._poll()
        except KeyboardInterrupt:
            stop = Stop.INTERRUPTED
            self._ask_to_stop()
        finally:
            self._end()
        self._forward()
        return stop

    def _start(self, errors: IO[bytes]) -> None:
        threads = str(self.limits.threads)
        pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, "PYTHONHASHSEED": "0", **dict.fromkeys(pools, threads)}
        self._begin = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rsjs.experiments.worker", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )

    def _poll(self) -> Stop | None:
        asked = False
        while self._process.poll() is None:
            self._forward()
            self._measure()
            limit = self.limits.memory_limit_mb
            if limit is not None and self._resident_mb > limit:
                return Stop.MEMORY_LIMIT
            over = self._over()
            if over > GRACE_HARD:
                return Stop.TIME_LIMIT
            if over > GRACE_SOFT and not asked:
                asked = True
                self._process.terminate()
            time.sleep(POLL)
        return None

    def _over(self) -> float:
        """Seconds past the limit."""
        now = time.monotonic()
        if self._clock is None:
            return now - self._begin - STARTUP
        return now - self._clock - self.limits.time_limit

    def _ask_to_stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(GRACE_HARD)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            return

    def _end(self) -> None:
        """No process of this run survives."""
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for member in self._family.values():
            with suppress(psutil.NoSuchProcess):
                member.kill()
        self.returncode = self._process.wait()
        self.seconds = time.monotonic() - self._begin

    def _forward(self) -> None:
        """Hand on what the worker has reported since the last look."""
        for line in map(json.loads, self._events.lines()):
            if line["event"] == "started":
                self._clock = time.monotonic()
            if self.on_event is not None:
                self.on_event(line)
        if self.log:
            for text in self._output.lines():
                print(text, file=sys.stderr)

    def _measure(self) -> None:
        """Resident memory of the worker and all its descendants."""
        try:
            worker = psutil.Process(self._process.pid)
            for member in worker.children(recursive=True):
                self._family.setdefault(member.pid, member)
            members = [worker, *self._family.values()]
        except psutil.NoSuchProcess:
            return
        self._resident_mb = sum(_resident(member) for member in members) / MEGABYTE
        self.peak_mb = max(self.peak_mb, self._resident_mb)


def _resident(process: psutil.Process) -> int:
    try:
        resident: int = process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0
    return resident


def _pin(pid: int, cores: list[int]) -> None:
    """Keep a worker on its cores."""
    if cores:
        with suppress(psutil.Error, OSError):
            psutil.Process(pid).cpu_affinity(cores)
