"""Descendants of a process: found however often they were forked, measured, and ended."""

import os
import signal
import subprocess
import sys
import time
from itertools import count
from types import SimpleNamespace

import psutil
import pytest

from rsjs.runs import process_tree
from rsjs.runs.process_tree import MARK, Family, kill_if_stopped, marked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no subreaper")

PATIENCE = 30.0
SCRIPT = """
import os, subprocess, sys, time
from rsjs.runs.process_tree import Family, subreaper
adopting = subreaper()
adopting.__enter__()
twice = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', " \\
    "'import time; x = bytearray(5) * 10_000_000; time.sleep(300)'], start_new_session=True)"
subprocess.run([sys.executable, "-c", twice])
family = Family(os.getpid(), with_root=False)
end = time.monotonic() + 30
while family.peak_mb < 45 and time.monotonic() < end:
    family.measure()
    time.sleep(0.01)
print(family.peak_mb >= 45, family.kill(), family.kill())
"""


def test_a_subreaper_finds_measures_and_ends_what_was_forked_twice():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True 1 0\n"


def test_the_peak_outlives_the_memory_and_the_family_is_gone_after_the_kill():
    code = (
        "import time; x = bytearray(6) * 10_000_000; del x; "
        "print('there', flush=True); time.sleep(300)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "there\n"
    family = Family(child.pid, with_root=True)
    family.measure()
    assert family.peak_mb > 60 > family.resident_mb > 1
    assert family.kill() == 1
    child.wait()
    child.stdout.close()
    family.measure()
    assert family.resident_mb == 0.0


SHARING = """
import os, time
shared = bytearray(5) * 20_000_000
if all([os.fork() or time.sleep(300) for _ in range(3)]):
    print("there", flush=True)
time.sleep(300)
"""


def test_memory_that_processes_share_is_counted_once():
    code = [sys.executable, "-c", SHARING]
    parent = subprocess.Popen(code, stdout=subprocess.PIPE, text=True)
    assert parent.stdout.readline() == "there\n"
    family = Family(parent.pid, with_root=True)
    family.measure(limit_mb=200)
    assert 95 < family.resident_mb <= family.peak_mb < 190
    assert family.kill() == 4
    parent.communicate()


def test_shared_memory_is_looked_at_rarely_as_that_takes_long(monkeypatch):
    parent = subprocess.Popen([sys.executable, "-c", SHARING], stdout=subprocess.PIPE, text=True)
    assert parent.stdout.readline() == "there\n"
    looks, clock, look = [], count(), process_tree._proportional_mb
    monkeypatch.setattr(process_tree, "_proportional_mb", lambda one: looks.append(1) or look(one))
    monkeypatch.setattr(process_tree, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    family = Family(parent.pid, with_root=True)
    for _ in range(20):
        family.measure()
    assert len(looks) == 4  # one of each process
    assert 95 < family.resident_mb <= family.peak_mb < 190
    for _ in range(40):
        family.measure(limit_mb=50)  # above which it is looked at each time
    assert len(looks) == 4 + 40 * 4
    monkeypatch.undo()
    assert family.kill() == 4
    parent.communicate()


def test_what_bears_the_mark_of_a_run_is_ended_wherever_it_hangs():
    code = (
        "import subprocess, sys; sleep = [sys.executable, '-c', 'import time; time.sleep(300)']; "
        "print(subprocess.Popen(sleep, stdout=subprocess.DEVNULL, start_new_session=True).pid)"
    )
    mark = marked()
    command = [sys.executable, "-c", code]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | mark)
    stray = psutil.Process(int(parent.communicate()[0]))
    other = Family(parent.pid, with_root=True, mark="another")
    family = Family(parent.pid, with_root=True, mark=mark[MARK])
    assert other.kill() == 0
    assert stray.is_running()
    assert family.kill() == 1
    assert not stray.is_running() or stray.status() == psutil.STATUS_ZOMBIE


def test_a_watcher_that_was_stopped_is_ended():
    watcher = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    kill_if_stopped(watcher.pid)
    assert watcher.poll() is None
    watcher.send_signal(signal.SIGSTOP)
    while psutil.Process(watcher.pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)
    kill_if_stopped(watcher.pid)
    assert watcher.wait(PATIENCE) == -signal.SIGKILL
    kill_if_stopped(watcher.pid)  # gone


def test_members_seen_once_are_ended_after_their_parent_has_died():
    code = (
        "import subprocess, sys; sleep = [sys.executable, '-c', 'import time; time.sleep(300)']; "
        "print(subprocess.Popen(sleep, stdout=subprocess.DEVNULL).pid, flush=True); "
        "sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    grandchild = psutil.Process(int(parent.stdout.readline()))
    family = Family(parent.pid, with_root=True)
    family.measure()
    parent.communicate()
    assert grandchild.is_running()
    assert family.kill() == 1
    end = time.monotonic() + PATIENCE
    while psutil.pid_exists(grandchild.pid) and grandchild.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert os.getpid() not in family._members
