"""A process that does not outlive the one that started it."""

from __future__ import annotations

import os
import signal
import sys


def die_with_parent(parent: int | None = None, by: signal.Signals | None = None) -> None:
    """
    Ask Linux to end this process when the one that started it dies.

    Parameters
    ----------
    parent : int, optional
        The process that started this one: if it is dead already, this one ends now.
    by : Signals, optional
        What it is sent then; SIGKILL if not given.
    """
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by or signal.SIGKILL, 0, 0, 0)
        if parent is not None and os.getppid() != parent:
            os._exit(1)
