"""Processes that do not outlive the one that started them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

POLL = 0.5  # seconds between two looks at the parent


def die_with_parent(parent: int | None = None, by: signal.Signals | None = None) -> None:
    """
    Ask Linux to send this process `by`, SIGKILL by default, when the thread that started it ends.

    It ends now if `parent`, the process that started it, is dead already.
    """
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by or signal.SIGKILL, 0, 0, 0)
        if parent is not None and os.getppid() != parent:
            os._exit(1)


def watch_parent(parent: int) -> None:
    """Terminate this process soon after its parent, whichever thread started it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def memory_mb(pid: int | str = "self") -> dict[str, float]:
    """
    Return VmRSS, the resident memory of a process, and VmHWM, its peak [MB], on Linux.

    `ru_maxrss` would be inherited over exec.
    """
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
        found = (line.split() for line in lines if line.startswith(("VmRSS", "VmHWM")))
        return {name.rstrip(":"): int(kilobytes) / 1024 for name, kilobytes, _ in found}
    return {}
