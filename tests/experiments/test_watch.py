"""When the clock of a run starts, how its end is told, and what a method cannot take away."""

import io
import json
import shutil
from errno import EFBIG

import numpy as np
import pytest

from rsjs.experiments import worker
from rsjs.experiments.events import EVENTS, EventLog
from rsjs.experiments.launcher import ending
from rsjs.experiments.protocol import Task
from rsjs.experiments.streaming_report import StreamingReport
from rsjs.experiments.surroundings import Surroundings
from rsjs.experiments.watch import STARTUP, Watch
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until it is set."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def task():
    return Task(instance="none", method="none", limits=Limits(time_limit=10.0))


def test_the_clock_starts_once(clock, task, tmp_path):
    (tmp_path / EVENTS).touch()
    watched = Watch(tmp_path, task, Surroundings(), None)
    watched._begin = clock[0]
    report = StreamingReport(tmp_path, task)
    clock[0] += 5
    watched._forward()
    assert watched._over() == 5 - STARTUP
    report.start_clock()
    watched._forward()
    for _ in range(4):
        clock[0] += 5
        report.start_clock()
        report.log.append({"event": "started"})  # by its own hand
        with report.phase("compile"):
            watched._forward()
    assert (report.elapsed(), report.remaining(), watched._over()) == (20, 0, 10)


def test_events_are_read_after_their_folder_was_removed(task, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    log, heard = EventLog(folder), []
    watched = Watch(folder, task, Surroundings(), heard.append)
    shutil.rmtree(folder)
    log.append({"event": "started"})
    watched._forward()
    assert [line["event"] for line in heard] == ["started"]
    assert watched._clock is not None


@pytest.mark.parametrize(
    ("code", "killed", "told"),
    [
        (3, (0, 0), "ended with code 3"),
        (-11, (0, 1), "ended by SIGSEGV"),
        (-9, (7, 7), "SIGKILL, sent by another process: the kernel ended none for want of memory"),
        (-9, (7, 8), "SIGKILL while the kernel ended 1 for want of memory"),
        (-9, (None, None), "SIGKILL, sent by another process or by the kernel for want of memory"),
    ],
)
def test_what_is_known_of_an_end_is_told(code, killed, told):
    assert ending(code, *killed).endswith(told)


@pytest.mark.parametrize(
    ("error", "stop"),
    [
        (MemoryError("80 GB"), Stop.MEMORY_LIMIT),
        (np._core._exceptions._ArrayMemoryError((9, 9), np.dtype(float)), Stop.MEMORY_LIMIT),
        (OSError(EFBIG, "File too large"), Stop.OUTPUT_LIMIT),
        (OSError(2, "MemoryError: no such file"), Stop.ERROR),
    ],
)
def test_a_limit_is_told_by_the_type_of_an_error(error, stop, task, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    task.write(tmp_path)
    for name in ("_solve", "die_with_parent", "_limit_files", "_stop_on_sigterm"):
        monkeypatch.setattr(worker, name, fail if name == "_solve" else lambda *_: None)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    worker.run(tmp_path)
    assert json.loads((tmp_path / "result.json").read_text())["stop"] == stop
