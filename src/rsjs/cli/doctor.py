"""
`rsjs doctor`: versions, solvers, the machine, and which limits are enforced on it.

The machine, and which limits of a run hold on its operating system.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import psutil
import typer

from rsjs.cli.options import Json
from rsjs.cli.output import print_facts, print_json
from rsjs.cli.progress import busy
from rsjs.cli.software import compiled_kernels, extras, import_solvers, packages
from rsjs.core.call import ASKED, GRACE
from rsjs.runs import provenance


def doctor(as_json: Json = False) -> None:
    """
    Report versions, solvers, the machine, and which limits hold on it.

    \b
    Example:
      rsjs doctor --json

    Paste the output into a report of a problem. Exit code 1 if a solver that is installed
    cannot be imported.
    """
    from rsjs.cli.software import solvers

    with busy("importing solvers"):
        failure = import_solvers()
    document = {
        "versions": packages(),
        "extras": extras(),
        "solvers": solvers(),
        "solver_imports": failure or "ok",
        "compiled_kernels": compiled_kernels(),
        "machine": machine(),
        "limits": [vars(limit) for limit in enforcement()],
    }
    print_json(document) if as_json else _print(document)
    raise typer.Exit(1 if failure else 0)


def _print(document: dict[str, Any]) -> None:

    solvers = {solver["name"]: solver["summary"] for solver in document["solvers"]}
    limits = {
        limit["name"]: f"{'enforced' if limit['enforced'] else 'NOT ENFORCED'}: {limit['how']}"
        for limit in document["limits"]
    }
    sections = {
        "Versions": document["versions"],
        "Optional": {**document["extras"], "compiled kernels": document["compiled_kernels"]},
        "Solvers": {**solvers, "imported together": document["solver_imports"]},
        "Machine": document["machine"],
        "Limits of a run": limits,
    }
    for title, entries in sections.items():
        print(title)
        print_facts(
            (f"  {name.replace('_', ' ')}", _text(entry)) for name, entry in entries.items()
        )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.2f}"
    return "not known" if value is None else str(value)


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
