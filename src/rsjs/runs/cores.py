"""Which cores a run may have to itself: claimed by file locks, so that no two runs share one."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil


@contextmanager
def claimed(threads: int) -> Iterator[list[int]]:
    """
    Claim as many cores as a run has threads, none of them claimed by another run of this user.

    None where that many are not free, where the run may as well use all cores, or where the
    system cannot pin; the run is then left to the scheduler.
    """
    with ExitStack() as locks:
        cores: list[int] = []
        try:
            available: list[int] = psutil.Process().cpu_affinity()
        except (AttributeError, OSError):
            available = []
        if threads < len(available):
            firsts = {_siblings(core)[0] for core in available}
            # high numbers first; a second hardware thread of a core comes after all first ones
            for core in sorted(available, key=lambda core: (core not in firsts, -core)):
                if len(cores) < threads and _lock(core, locks):
                    cores.append(core)
        yield cores if len(cores) == threads else []


def _siblings(core: int) -> list[int]:
    """Return the hardware threads of the core that this one is of, ascending."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    try:
        spans = [part.partition("-") for part in path.read_text("ascii").strip().split(",")]
        return sorted(n for a, _, b in spans for n in range(int(a), int(b or a) + 1))
    except (OSError, ValueError):
        return [core]


def _lock(core: int, locks: ExitStack) -> bool:
    """Claim a core until the locks are left; False where another run or somebody else has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        folder = _private_folder()
        # neither follows a link nor waits for the reader of a pipe, and empties nothing
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        file = locks.enter_context(os.fdopen(os.open(folder / str(core), flags, 0o600), "rb"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _private_folder() -> Path:
    """
    Return the folder of the locks; OSError where it is not this user's alone.

    It is in XDG_RUNTIME_DIR, which is the user's own, or in the folder for temporary files, in
    which another user may have made one of this name.
    """
    user = os.getuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_dir():
        folder = Path(runtime) / "rsjs-cores"
    else:
        folder = Path(tempfile.gettempdir()) / f"rsjs-cores-{user}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o022:
        raise PermissionError(f"{folder}: expected a folder that only user {user} can write to")
    return folder
