"""Ctrl-C: what was found is kept, and no process survives."""

import csv
import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import psutil
import pytest

import rsjs.__main__

pytestmark = pytest.mark.process

PATIENCE = 600.0  # seconds; nothing here is timed, a test that hangs is ended


def _listen():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell may have started us with it ignored


@contextmanager
def started(*arguments):
    """The command in the background."""
    command = [sys.executable, "-m", "rsjs", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **pipes, text=True, preexec_fn=_listen)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(found):
    """Poll until there is something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (process := found()) is not None:
            return process
        time.sleep(0.02)
    pytest.fail("nothing to interrupt")


def worker_with(file, command, text=b""):
    """The worker of a command once it has left a file with some text in its folder."""
    for child in psutil.Process(command).children(recursive=True):
        line = child.cmdline()
        if "rsjs.runs.worker" in line:
            path = Path(line[-1]) / file
            if path.exists() and text in path.read_bytes():
                return child
    return None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_a_polite_kill_keep_the_incumbent(folder, tmp_path, number):
    solution = tmp_path / "solution.json"
    line = ("--method", "jahani_literal@highs", "--warm-start", folder / "idle-large.json")
    line += ("--time-limit", "3600")
    with started("solve", folder / "large.json", *line, "-o", solution, "--json") as process:
        worker = wait_for(lambda: worker_with("incumbent.npy", process.pid))
        left = Path(worker.cmdline()[-1])
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    found = json.loads(out)
    assert (process.returncode, err) == (130, "")
    assert found["stop"] == "interrupted"
    assert found["feasible"]
    assert solution.exists()
    assert not left.exists()
    assert not worker.is_running()


def test_ctrl_c_ends_a_comparison_with_the_runs_that_were_done(folder, tmp_path):
    methods = "greedy:code,jahani_literal@highs,edf:paper"
    line = ("compare", folder / "large.json", "--methods", methods, "-o", tmp_path)
    line += ("--time-limit", "3600")
    with started(*line) as process:
        assert process.stderr is not None
        while "1/3 greedy:code" not in process.stderr.readline():
            assert process.poll() is None
        worker = wait_for(lambda: worker_with("events.jsonl", process.pid, b'"started"'))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "Interrupted after 1 of 3 runs." in out
    with (tmp_path / "rows.csv").open() as lines:
        assert [row["method"] for row in csv.DictReader(lines)] == ["greedy:code"]
    assert not worker.is_running()


def test_ctrl_c_anywhere_else_exits_with_130(rsjs, folder, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rsjs.cli.generate.generate", interrupted)
    ended = rsjs("generate", "jahani", "-N", "2", "-o", tmp_path / "i.json")
    assert (ended.code, ended.out, ended.err) == (130, "", "")
    monkeypatch.setattr("rsjs.cli.show.read_any", interrupted)
    assert rsjs("show", folder / "small.json").code == 130


def test_ctrl_c_while_the_command_is_imported_causes_no_traceback(monkeypatch):
    class Interrupted(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "rsjs.cli.main", Interrupted("rsjs.cli.main"))
    assert rsjs.__main__.main() == 130
