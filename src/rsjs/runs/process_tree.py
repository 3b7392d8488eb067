"""
A process, all that descend from it, and the memory they hold.

A process whose parent died hangs on the nearest ancestor that is a subreaper, else on init. So a
process that is a `subreaper` and has no other children finds every descendant of its runs
among its own, however often it was forked. A process that has other children marks those of a run
in their environment, which they inherit, and finds them by the mark.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path

import psutil

from rsjs.core.process import memory_mb

MEGABYTE = 2**20
MARK = "RSJS_RUN"  # in the environment of all processes of a run
LINUX = sys.platform == "linux"
SPARED = 50  # times the time of a look at shared memory, until the next one
ROUNDS = 200  # of killing what is left: a process may fork while it is looked for

_LISTS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()


@contextmanager
def subreaper() -> Iterator[None]:
    """Adopt descendants whose parents die in this block, where the system offers it (Linux)."""
    PR_SET_CHILD_SUBREAPER = 36
    adopt = partial(ctypes.CDLL(None).prctl, PR_SET_CHILD_SUBREAPER) if LINUX else lambda *_: None
    adopt(1, 0, 0, 0)
    try:
        yield
    finally:
        adopt(0, 0, 0, 0)


class Family:
    """
    The descendants of a process, with or without itself, those included that were seen before.

    `mark` is what `marked` gave for the environment of its members; "" = they are not marked.
    """

    def __init__(self, root: int, *, with_root: bool, mark: str = "") -> None:
        self.root, self.with_root, self.mark = root, with_root, mark
        # of all members when last measured: near limit or peak, what they share counts once (PSS)
        self.resident_mb = 0.0
        self.peak_mb = 0.0  # the most of all members at one moment, or of one member (VmHWM)
        self._shared_mb = 0.0  # counted more than once, when last looked at
        self._next_look = 0.0  # at that, which takes 0.1 s for some GB
        self._members: dict[int, psutil.Process] = {}

    def measure(self, limit_mb: float = inf) -> None:
        """Look for members and measure them."""
        before, resident, members = {*self._members}, 0.0, self._living()
        for member in members:
            now, peak = _memory_mb(member)
            resident += now
            self.peak_mb = max(self.peak_mb, peak)
        if {*self._members} != before:
            self._shared_mb = self._next_look = 0.0
        own, began = resident - self._shared_mb, time.monotonic()
        # pages that were shared may have been written since
        due = (own > self.peak_mb or self._shared_mb > 0) and began >= self._next_look
        if len(members) > 1 and (due or own > limit_mb):
            own = sum(_proportional_mb(member) for member in members)
            self._shared_mb = resident - own
            ended = time.monotonic()
            self._next_look = ended + SPARED * (ended - began)
        self.resident_mb = own
        self.peak_mb = max(self.peak_mb, own)

    def kill(self, but: int | None = None) -> int:
        """Kill all members but one; return how many there were. Children of ours are reaped."""
        killed: set[int] = set()
        for _ in range(ROUNDS):
            bearers, unknown = _marked(self.mark)
            left = [one for one in (*self._living(), *bearers) if one.pid != but]
            if not left and not unknown:
                break
            for member in left:
                killed.add(member.pid)
                with suppress(psutil.Error):
                    member.kill()
            psutil.wait_procs(left, timeout=0.05)
            if unknown:
                time.sleep(0.01)
        return len(killed)

    def _living(self) -> list[psutil.Process]:
        for pid in [*([self.root] if self.with_root else []), *_descendants(self.root)]:
            if pid not in self._members:
                with suppress(psutil.Error):
                    self._members[pid] = psutil.Process(pid)
        self._members = {pid: p for pid, p in self._members.items() if _lives(p)}
        return list(self._members.values())


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _descendants(pid: int) -> list[int]:
    if not _LISTS_CHILDREN:
        try:
            return [child.pid for child in psutil.Process(pid).children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
    found, left = [], [pid]
    while left:
        children = list(_children(left.pop()))
        found += children
        left += children
    return found


def _children(pid: int) -> Iterator[int]:
    """Read the kernel's own list: psutil reads the parents of all processes instead."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_bytes().split())


def kill_if_stopped(pid: int) -> None:
    """Kill the supervisor of a run if it was stopped: it holds no limit any more."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_STOPPED:
            process.kill()


def marked() -> dict[str, str]:
    """Return a mark that no other run has, for the environment of a process."""
    return {MARK: f"{os.getpid()}-{time.monotonic_ns()}"}


def _marked(mark: str) -> tuple[list[psutil.Process], bool]:
    """
    Return all processes with a mark in the environment they began with, where /proc tells it.

    And whether there are some that have neither environment nor words: they begin just now.
    """
    found, unknown, entry = [], False, f"{MARK}={mark}".encode()
    for pid in psutil.pids() if mark else ():
        with suppress(OSError, psutil.Error):
            place = Path("/proc", str(pid))
            environment = (place / "environ").read_bytes()
            if entry in environment.split(b"\0"):
                process = psutil.Process(pid)
                if _lives(process):
                    found.append(process)
            elif not environment and not (place / "cmdline").read_bytes():
                unknown |= bool((place / "exe").readlink())  # which the kernel's own have not
    return found, unknown


def killed_for_memory() -> int | None:
    """Return how many processes the kernel has ended for want of memory, if it tells."""
    with suppress(OSError):
        found = re.search(rb"^oom_kill (\d+)", Path("/proc/vmstat").read_bytes(), re.MULTILINE)
        return None if found is None else int(found[1])
    return None


def _proportional_mb(process: psutil.Process) -> float:
    """Return resident memory [MB], each page divided by the number of processes that share it."""
    with suppress(psutil.Error, AttributeError):  # Linux only
        return float(process.memory_full_info().pss) / MEGABYTE
    return _memory_mb(process)[0]


def _memory_mb(process: psutil.Process) -> tuple[float, float]:
    """Return resident memory and its peak [MB], where none is told that of this moment."""
    if LINUX:
        found = memory_mb(process.pid)
        return found.get("VmRSS", 0.0), found.get("VmHWM", 0.0)
    with suppress(psutil.Error):
        resident = process.memory_info().rss / MEGABYTE
        return resident, resident
    return 0.0, 0.0


def signal_name(number: int) -> str:
    """Return the name of a signal; of a real-time one, which has none, SIG and its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
