"""What a result depends on besides its spec: source, machine, load."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from rsjs import commit

if TYPE_CHECKING:
    from rsjs.rows.columns import Row

BUSY = 0.3  # load of other processes per hardware thread, beside which seconds are not ranked
PATIENCE = 10.0  # seconds for a program to answer


@cache
def stamp() -> Row:
    """Return the columns of a row that say what made it, as they are in this process."""
    source = commit.source()
    return {
        "rsjs_version": version("rsjs-bench"),
        "commit": source["commit"],
        "dirty": source["dirty"],
        "python_version": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu_model": cpu_model(),
    }


def machine() -> dict[str, Any]:
    """Return name, system, processor, cores and memory."""
    memory = psutil.virtual_memory()
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu_model": cpu_model(),
        "cores": psutil.cpu_count(logical=False),
        "hardware_threads": psutil.cpu_count(),
        "hardware_threads_usable": usable_threads(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "memory_mb": memory.total / 2**20,
        "container": _container(),
    }


def usable_threads() -> int | None:
    """Return how many hardware threads this process may use."""
    affinity = getattr(psutil.Process(), "cpu_affinity", None)
    return len(affinity()) if affinity else psutil.cpu_count()


def cpu_model() -> str | None:
    """Return the processor as the system names it."""
    name: str | None = None
    if sys.platform == "linux":
        lines = (_text("/proc/cpuinfo") or "").splitlines()
        name = next((line.partition(": ")[2] for line in lines if "model name" in line), None)
    elif sys.platform == "darwin":
        command = ("sysctl", "-n", "machdep.cpu.brand_string")
        with suppress(OSError, subprocess.SubprocessError):
            name = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE).stdout
    return (name or platform.processor()).strip() or None


def load() -> float:
    """Return the load average over the last minute."""
    return os.getloadavg()[0]


def utc() -> str:
    """Return the time, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _container() -> str | None:
    """Docker and podman leave a file; others name themselves to their first process."""
    for path, name in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if Path(path).exists():
            return name
    return _text("/run/systemd/container")


def _text(path: str) -> str | None:
    """Return what a file holds; None for one that cannot be read, or is empty."""
    with suppress(OSError):
        return Path(path).read_text("utf-8", errors="replace").strip() or None
    return None
