"""When the clock of a run starts, how its end is told, and what a method cannot take away."""

import io
import json
import math
import os
import shutil
import subprocess
import sys
from errno import EFBIG

import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.runs import supervisor, worker
from rsjs.runs.supervisor import STARTUP, Supervisor, ending
from rsjs.runs.task_files import EVENTS, LOOK, MOST, Tail, Task, all_events, events
from rsjs.runs.worker import StreamingReport


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
    watched = Supervisor(folder=tmp_path, task=task)
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
        report.log({"event": "started"})  # by its own hand
        with report.phase("compile"):
            watched._forward()
    assert (report.elapsed(), report.remaining(), watched._over()) == (20, 0, 10)


def test_events_are_read_after_their_folder_was_removed(task, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    report, heard = StreamingReport(folder, task), []
    watched = Supervisor(folder=folder, task=task, on_event=heard.append)
    shutil.rmtree(folder)
    report.log({"event": "started"})
    watched._forward()
    assert [line["event"] for line in heard] == ["started"]
    assert watched._clock is not None


def test_a_flood_of_events_keeps_nobody_busy(tmp_path):
    path = tmp_path / EVENTS
    path.write_bytes(b'{"event": "started"}\n' + b"x" * (LOOK + 7) + b"\n")
    with path.open("ab") as file:
        file.write(b'{"event": "bound", "seconds": 1, "value": 2}\n' * (MOST // 40))
    tail = Tail(path)
    assert [line["event"] for line in events(tail.lines())] == ["started"]
    looks = [len([*events(tail.lines())]) for _ in range(4)]
    assert 0 < max(looks) < LOOK / 40
    assert sum(looks) + len([*events(tail.rest())]) < MOST / 40
    assert tail.lines() == []


@pytest.mark.parametrize("value", ["NaN", "1e999", "9" * 400, '"1"', "null", "[1]"])
def test_an_event_without_its_numbers_is_none(tmp_path, value):
    (tmp_path / EVENTS).write_text(f'{{"event": "bound", "seconds": 0, "value": {value}}}\n')
    assert [*all_events(tmp_path)] == []


@pytest.mark.parametrize("kind", ["pipe", "device", "none"])
def test_what_is_no_regular_file_has_no_events(tmp_path, kind):
    if kind == "pipe":
        os.mkfifo(tmp_path / EVENTS)
    elif kind == "device":
        (tmp_path / EVENTS).symlink_to("/dev/zero")
    assert [*all_events(tmp_path)] == []


def test_more_files_than_can_be_weighed_are_too_many(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(bytes(2**20))
    assert supervisor._weight_mb(tmp_path) == 1
    monkeypatch.setattr(supervisor, "MOST_FILES", 3)
    for name in "abc":
        (tmp_path / name).mkdir()
    assert supervisor._weight_mb(tmp_path) == math.inf


def test_a_limit_of_the_site_that_is_lower_holds_instead(tmp_path):
    code = (
        "import resource; from rsjs.runs.worker import _limit_files; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20)); _limit_files(256); "
        "print(resource.getrlimit(resource.RLIMIT_FSIZE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 2**20


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
    for name in ("kind", "die_with_parent", "_limit_files", "_stop_on_sigterm"):
        monkeypatch.setattr(worker, name, fail if name == "kind" else lambda *_: None)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    worker.run(tmp_path)
    assert json.loads((tmp_path / "result.json").read_text())["stop"] == stop
