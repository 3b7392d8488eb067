"""A process that does not outlive the one that started it."""

from __future__ import annotations

import signal
import sys


def die_with_parent() -> None:
    """Ask Linux to end this process when the one that started it dies."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
