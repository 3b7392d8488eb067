"""The machine, and which limits of a run hold on its operating system."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import psutil

from rsjs.core.call import ASKED, GRACE
from rsjs.runs import provenance

GIGABYTE = 2**30


def machine() -> dict[str, Any]:
    """Processor, cores, memory and load."""
    known = provenance.machine()
    return {
        "system": known["system"],
        "cpu": known["cpu_model"],
        "cores": known["cores"],
        "threads": known["hardware_threads"],
        "threads_for_us": known["hardware_threads_usable"],
        "memory_gb": known["memory_mb"] / 2**10,
        "memory_free_gb": psutil.virtual_memory().available / GIGABYTE,
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }


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
    asks = f"asked to stop {ASKED:g} s after its limit, " if posix else ""
    return [
        Limit(name="time", enforced=True, how=f"a run is {asks}ended {GRACE:g} s after its limit"),
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
