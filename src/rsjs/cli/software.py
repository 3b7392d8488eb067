"""Installed versions, and whether the solvers can be imported side by side."""

from __future__ import annotations

import platform
import subprocess
import sys
import warnings
from importlib import metadata
from typing import Any

from rsjs.commit import source
from rsjs.formulations.backends.backend import Backend, Feature
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.heuristics.common import jit

PACKAGES = (
    "rsjs-bench",
    "pyomo",
    "numpy",
    "numba",
    "scipy",
    "pandas",
    "matplotlib",
    "jsonschema-rs",
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


def packages() -> dict[str, str | None]:
    """Return the versions of Python and of what results depend on, and the commit of the suite."""
    return {
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: _version(name) for name in PACKAGES},
        "commit": source()["commit"],
    }


def extras() -> dict[str, str]:
    """What is optional: its version, or the command that installs it."""
    return {
        name: _version(name) or f"not installed: pip install 'rsjs-bench[{extra}]'; {purpose}"
        for name, (extra, purpose) in EXTRAS.items()
    }


def compiled_kernels() -> str:
    """Where compiled kernels are kept from one process to the next."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this is what is told here
        kept = jit.cache_folder()
    told = "nowhere: each process compiles for a minute; set NUMBA_CACHE_DIR to a writable folder"
    return told if kept is None else str(kept)


def solvers() -> list[dict[str, Any]]:
    """Each solver with its version, or the command that installs it."""
    return [_solver(backend) for backend in BACKENDS.values()]


def _solver(backend: Backend) -> dict[str, Any]:
    version, available = backend.version(), backend.available()
    told = f"{backend.distribution} {version or '?'} (wanted: {backend.versions})"
    notes = "".join(f"; {note}" for note in notes_on(backend))
    return {
        "name": backend.name,
        "package": backend.distribution,
        "wanted": backend.versions,
        "version": version,
        "available": available,
        "summary": (told if available else f"not installed: {backend.install_command}") + notes,
    }


def notes_on(backend: Backend) -> list[str]:
    """Return what sets a solver apart."""
    return [] if Feature.INTEGER in backend.features else ["a bound only, no schedule"]


def import_solvers() -> str | None:
    """Import all installed solvers in one process of its own; the error if that fails."""
    command = [sys.executable, "-c", IMPORT_ALL]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
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
