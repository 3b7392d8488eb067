"""`rsjs doctor`: versions, solvers, the machine, and which limits are enforced on it."""

from __future__ import annotations

import platform
import subprocess
import sys
import warnings
from importlib import metadata
from typing import Any

import psutil
import typer

from rsjs.cli.list import backends, python
from rsjs.cli.options import Json
from rsjs.cli.output import print_facts, print_json
from rsjs.cli.progress import busy
from rsjs.commit import source
from rsjs.core.call import ASKED, GRACE
from rsjs.heuristics.common import jit
from rsjs.runs import provenance

PACKAGES = (
    *("rsjs-bench", "pyomo", "numpy", "numba", "scipy", "pandas", "matplotlib", "jsonschema-rs"),
)
EXTRAS = {  # distribution: (extra that brings it, what for)
    "pyarrow": ("parquet", "Parquet files of rsjs collect"),
    "jinja2": ("report", "rsjs report and rsjs export"),
    "plotly": ("report", "plots of rsjs report"),
    "distributed": ("dask", "rsjs run on several machines"),
}
IMPORT_ALL = (
    "from rsjs.formulations.backends.registry import BACKENDS\n"
    "for backend in BACKENDS.values():\n"
    "    backend.available() and backend.import_solver()\n"
)
PATIENCE = 120.0  # seconds for the imports


def doctor(as_json: Json = False) -> None:
    """
    Report versions, solvers, the machine, and which limits hold on it.

    \b
    Example:
      rsjs doctor --json

    Paste the output into a report of a problem. Exit code 1 if a solver that is installed
    cannot be imported.
    """
    with busy("importing solvers"):
        failure = import_solvers()
    machine = provenance.machine()
    document = {
        "versions": {
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            **{name: _version(name) for name in PACKAGES},
            "commit": source()["commit"],
        },
        "extras": extras(),
        "solvers": backends(),
        "solver_imports": failure or "ok",
        "compiled_kernels": compiled_kernels(),
        "machine": {
            "system": machine["system"],
            "cpu": machine["cpu_model"],
            "cores": machine["cores"],
            "threads": machine["hardware_threads"],
            "threads_for_us": machine["hardware_threads_usable"],
            "memory_gb": round(machine["memory_mb"] / 2**10, 2),
            "memory_free_gb": round(psutil.virtual_memory().available / 2**30, 2),
            "load": [round(load, 2) for load in psutil.getloadavg()],
        },
        "limits": enforcement(),
    }
    print_json(document) if as_json else _print(document)
    raise typer.Exit(1 if failure else 0)


def _print(document: dict[str, Any]) -> None:
    limits = {
        limit["name"]: f"{'enforced' if limit['enforced'] else 'NOT ENFORCED'}: {limit['how']}"
        for limit in document["limits"]
    }
    sections = {
        "Versions": document["versions"],
        "Optional": {**document["extras"], "compiled kernels": document["compiled_kernels"]},
        "Solvers": {
            **{solver["name"]: _of_solver(solver) for solver in document["solvers"]},
            "imported together": document["solver_imports"],
        },
        "Machine": {
            **document["machine"],
            "load": " ".join(map(str, document["machine"]["load"])),
        },
        "Limits of a run": limits,
    }
    for title, entries in sections.items():
        print(title)
        print_facts(
            (f"  {name.replace('_', ' ')}", "not known" if entry is None else entry)
            for name, entry in entries.items()
        )


def _of_solver(solver: dict[str, Any]) -> str:
    """Return package, version and notes of a solver, or the command that installs it."""
    summary = f"{solver['package']} {solver['version'] or '?'} (wanted: {solver['wanted']})"
    if not solver["available"]:
        summary = f"not installed: {solver['install_command']}"
    return "; ".join([summary, *solver["notes"]])


def extras() -> dict[str, str]:
    """Return the version of what is optional, or the command that installs it."""
    return {
        name: _version(name) or f"not installed: pip install 'rsjs-bench[{extra}]'; {purpose}"
        for name, (extra, purpose) in EXTRAS.items()
    }


def compiled_kernels() -> str:
    """Return where compiled kernels are kept from one process to the next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller prints it
        folder = jit.cache_folder()
    advice = "set NUMBA_CACHE_DIR to a writable folder"
    return str(folder or f"nowhere: each process compiles for a minute; {advice}")


def import_solvers() -> str | None:
    """Import all installed solvers in one process of its own; return the error if that fails."""
    try:
        done = python("-c", IMPORT_ALL, patience=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"not done after {PATIENCE:g} s"
    if done.returncode == 0:
        return None
    last = done.stderr.strip().splitlines()[-1:] or [f"ended with code {done.returncode}"]
    return f"failed: {last[0]}"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def enforcement(system: str = sys.platform) -> list[dict[str, Any]]:
    """Return the limits of a run on an operating system as `sys.platform` names it."""
    linux, posix = system == "linux", not system.startswith("win")
    pins = linux or system.startswith(("win", "freebsd"))
    asks = f"asked to stop {ASKED:g} s after its limit, " if posix else ""
    # name: whether it holds here, how, and how it is where it does not hold
    limits = {
        "time": (True, f"a run is {asks}terminated {GRACE:g} s after its limit", ""),
        "process group": (
            posix,
            "a run and all that it started are terminated together",
            "children are terminated one by one, those never seen survive",
        ),
        "resident memory": (
            True,
            "the process tree is measured every 50 ms; a faster rise is seen too late",
            "",
        ),
        "peak memory": (linux, "read from the kernel (VmHWM)", "only as sampled"),
        "pinning": (
            pins,
            "a run stays on as many cores as it has threads",
            "the system offers no affinity",
        ),
        "parent death": (
            linux,
            "a run ends when the command is killed",
            "a run outlives a command that is killed, until its time limit",
        ),
        "Ctrl-C": (
            posix,
            "the method is asked for what it has",
            "the method is terminated; what it had reported is kept",
        ),
    }
    return [
        {"name": name, "enforced": holds, "how": how if holds else otherwise}
        for name, (holds, how, otherwise) in limits.items()
    ]
