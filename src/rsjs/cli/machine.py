"""The machine, and which limits of a run hold on its operating system."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

GIGABYTE = 2**30


def machine() -> dict[str, Any]:
    """Processor, cores, memory and load."""
    memory = psutil.virtual_memory()
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": psutil.cpu_count(logical=False),
        "threads": psutil.cpu_count(),
        "threads_for_us": _usable(),
        "memory_gb": memory.total / GIGABYTE,
        "memory_free_gb": memory.available / GIGABYTE,
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }


def _cpu() -> str | None:
    try:
        if sys.platform == "linux":
            lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
            return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "machdep.cpu.brand_string"]
            return subprocess.run(
                command, capture_output=True, text=True, check=True
            ).stdout.strip()
    except (OSError, StopIteration, subprocess.CalledProcessError):
        pass
    return platform.processor() or None


def _usable() -> int | None:
    """Hardware threads that this process may run on."""
    process = psutil.Process()
    return len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else psutil.cpu_count()


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit or a safeguard of a run, and whether it holds here."""

    name: str
    enforced: bool
    how: str


def enforcement(system: str = sys.platform) -> list[Limit]:
    """The limits of a run on an operating system as `sys.platform` names it."""
    linux, posix = system == "linux", not system.startswith("win")
    pins = linux or system.startswith(("win", "freebsd"))
    asks = "asked to stop 1 s after its limit, " if posix else ""
    return [
        Limit(name="time", enforced=True, how=f"a run is {asks}ended 2 s after its limit"),
        Limit(
            name="process group",
            enforced=posix,
            how="a run and all that it started are ended together"
            if posix
            else "children are ended one by one, those never seen survive",
        ),
        Limit(
            name="resident memory",
            enforced=True,
            how="the process tree is measured every 50 ms; a faster rise is seen too late",
        ),
        Limit(
            name="peak memory",
            enforced=linux,
            how="read from the kernel (VmHWM)" if linux else "only as sampled",
        ),
        Limit(
            name="pinning",
            enforced=pins,
            how="a run stays on as many cores as it has threads"
            if pins
            else "the system offers no affinity",
        ),
        Limit(
            name="parent death",
            enforced=linux,
            how="a run ends when the command is killed"
            if linux
            else "a run outlives a command that is killed, until its time limit",
        ),
        Limit(
            name="Ctrl-C",
            enforced=posix,
            how="the method is asked for what it has"
            if posix
            else "the method is ended; what it had reported is kept",
        ),
    ]
