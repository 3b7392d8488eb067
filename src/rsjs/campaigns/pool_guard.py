"""
A slot under guard: `python -m rsjs.campaigns.pool_guard STORE PARENT`.

For a parent that cannot be a subreaper, as it has other children. Standard input and output are the
slot's. This process ends when the slot does, and the slot when this process or its parent does;
whatever a slot that was killed leaves behind is found here and ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

from rsjs.core.process import die_with_parent
from rsjs.runs.process_tree import Family, kill_if_stopped, subreaper

MODULE = "rsjs.campaigns.pool_guard"
LOOK = 0.25  # seconds between looks at a slot
PATIENCE = 4.0  # seconds for a slot to end its run; less than this process is given


def guard(store: str) -> None:
    """Start a slot, and end all that is left when it has ended."""
    command = [sys.executable, "-m", "rsjs.campaigns.pool_worker", store, str(os.getpid())]
    with subreaper():
        slot = subprocess.Popen(command)
        try:
            while slot.poll() is None:
                kill_if_stopped(slot.pid)
                with suppress(subprocess.TimeoutExpired):
                    slot.wait(LOOK)
        finally:
            slot.terminate()
            try:
                slot.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                slot.kill()
            Family(os.getpid(), with_root=False).kill()


def _leave(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent(int(sys.argv[2]), by=signal.SIGTERM)
    guard(sys.argv[1])
