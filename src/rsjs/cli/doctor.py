"""`rsjs doctor`: versions, solvers, the machine, and which limits are enforced on it."""

from __future__ import annotations

import platform
import subprocess
import sys
import warnings
from importlib import metadata

import psutil
import typer

from rsjs.campaigns.solver_versions import chosen, flaw
from rsjs.cli.list_methods import python
from rsjs.cli.options import Json
from rsjs.cli.output import print_facts, print_json, text_of
from rsjs.cli.progress import busy
from rsjs.commit import source
from rsjs.core.call import ASKED, GRACE
from rsjs.formulations.backends.backend import Backend
from rsjs.formulations.backends.registry import BACKENDS
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
    "gymnasium": ("rl", "the simulator as an environment for agents"),
}
IMPORT_ALL = (
    "from rsjs.formulations.backends.registry import BACKENDS\n"
    "for backend in BACKENDS.values():\n"
    "    backend.available() and backend.import_solver()\n"
)
PATIENCE = 120.0  # seconds for the imports
LIMITS = {  # of a run: the system where it is enforced ("": all), how, and how it is on others
    "time": ("", f"asked to stop {ASKED:g} s after its limit, terminated after {GRACE:g} s", ""),
    "process group": ("", "all that a run started ends with it", ""),
    "resident memory": ("", "measured every 50 ms; a faster rise is seen too late", ""),
    "peak memory": ("linux", "read from the kernel (VmHWM)", "only as sampled"),
    "pinning": ("linux", "a run stays on as many cores as it has threads", "any core is used"),
    "parent death": ("linux", "a run ends with the command", "it runs until its time limit"),
    "Ctrl-C": ("", "the method is asked for what it has", ""),
}


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
    document = {
        "versions": {
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            **{name: _version(name) or "not installed" for name in PACKAGES},
            "commit": source()["commit"],
        },
        "optional": {**extras(), "compiled_kernels": compiled_kernels()},
        "solvers": {
            **{name: _of_solver(backend) for name, backend in BACKENDS.items()},
            "imported together": failure or "ok",
            "other releases": other_releases(),
        },
        "machine": {
            **{name: value for name, value in provenance.machine().items() if name != "host"},
            "memory_free_mb": psutil.virtual_memory().available / 2**20,
            "load": psutil.getloadavg(),
        },
        "limits_of_a_run": enforcement(),
    }
    if as_json:
        print_json(document)
    else:
        for title, entries in document.items():
            print(title.capitalize().replace("_", " "))
            print_facts(
                (f"  {name.replace('_', ' ')}", text_of(entry)) for name, entry in entries.items()
            )
    raise typer.Exit(1 if failure else 0)


def _of_solver(solver: Backend) -> str:
    """Return package, version and notes of a solver, or the command that installs it."""
    if not solver.available():
        return f"not installed: {solver.install_command}"
    summary = f"{solver.distribution} {solver.version()} (wanted: {solver.versions})"
    return "; ".join([summary, *solver.notes])


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
    last = done.stderr.strip().splitlines()[-1:] or [f"ended with code {done.returncode}"]
    return f"failed: {last[0]}" if done.returncode else None


def other_releases() -> str:
    """Return how many environments with other releases of solvers there are, and the command."""
    states = [flaw(lock) is None for lock in chosen(())]
    return f"{sum(states)} of {len(states)} environments made: rsjs environments list"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def enforcement(system: str = sys.platform) -> dict[str, str]:
    """Return how a run is limited on an operating system as `sys.platform` names it."""
    return {
        name: f"enforced: {how}" if system.startswith(place) else f"NOT ENFORCED: {otherwise}"
        for name, (place, how, otherwise) in LIMITS.items()
    }
