"""
Environments with other releases of the solvers, made from locks: `rsjs environments`.

A lock, `locks/SOLVER-RELEASE.txt`, pins a release of one solver and what else it needs, each with
the sha256 of its wheels. The environment made of it is a venv with these packages; behind them it
has all that is installed where rsjs runs, the suite included, so that nothing but the solver
differs. It is kept in `environments/` of the environment it was made by, and is used by that one
only. A campaign says `environments = ["highs-1.9", ...]`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path

import psutil

from rsjs.core.errors import InputError, described, nearest
from rsjs.formulations.backends.backend import Backend
from rsjs.formulations.backends.registry import BACKENDS

FOLDER = Path(sys.prefix, "share", "rsjs-bench", "environments")
RECORD = "made.json"  # of a complete environment: what it was made from
PIP = (
    *("install", "--quiet", "--disable-pip-version-check", "--no-input", "--require-virtualenv"),
    *("--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement"),
)
BEHIND = "zz-behind.pth"  # after those of the packages
LOADS = """\
import sys
from rsjs.formulations.backends.registry import BACKENDS
BACKENDS[sys.argv[1]].import_solver()
"""
MAKE = "rsjs environments make {}"


@dataclass(frozen=True, kw_only=True)
class Lock:
    """Pinned packages of an environment."""

    name: str  #: of the environment: solver-release
    text: str  #: a requirements file with hashes

    @property
    def solver(self) -> Backend:
        """The solver whose release it pins."""
        return BACKENDS[self.name.rpartition("-")[0]]

    @property
    def pins(self) -> dict[str, str]:
        """Version of each distribution."""
        found = re.findall(r"^([\w.-]+)==([^\s;]+)", self.text, re.MULTILINE)
        return {_plain(name): version for name, version in found}

    @property
    def version(self) -> str:
        """The release of the solver's distribution."""
        return self.pins[self.solver.distribution]

    @property
    def folder(self) -> Path:
        """Where the environment is kept."""
        return FOLDER / self.name

    @property
    def record(self) -> dict[str, str]:
        """What a complete environment of this lock was made from."""
        digest = sha256(self.text.encode()).hexdigest()
        return {"lock": digest, "python": sys.version, "behind": sys.prefix}


@cache
def locks() -> dict[str, Lock]:
    """Return the locks by name, releases of a solver in their order."""
    found = {
        file.name.removesuffix(".txt"): file.read_text("utf-8")
        for file in (files("rsjs.campaigns") / "locks").iterdir()
    }

    def place(name: str) -> tuple[int, list[int]]:
        solver, _, release = name.rpartition("-")
        return [*BACKENDS].index(solver), [*map(int, release.split("."))]

    return {name: Lock(name=name, text=found[name]) for name in sorted(found, key=place)}


def chosen(names: Sequence[str]) -> list[Lock]:
    """Return locks by name, all without names; InputError for a name that there is not."""
    known = locks()
    for name in names:
        if name not in known:
            expected = f"an environment, e.g. {nearest(name, known)} (rsjs environments list)"
            raise InputError("", name, expected)
    return [known[name] for name in names] or [*known.values()]


def interpreter(name: str) -> str:
    """Return the interpreter that an environment has when it is made."""
    return str(_interpreter(locks()[name].folder))


def flaw(lock: Lock) -> str | None:
    """Return why an environment cannot be used; None if it can."""
    try:
        record = json.loads((lock.folder / RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        return "not made"
    if record != lock.record:
        return "made from another lock or for another interpreter"
    packages = str(_packages(lock.folder))
    held = {_plain(one.name): one.version for one in distributions(path=[packages])}
    for name, version in lock.pins.items():
        if held.get(name) != version:
            return f"{name} {version} is gone, found {held.get(name, 'none')}"
    module = lock.solver.module.partition(".")[0]
    if PathFinder.find_spec(module, [packages]) is None:
        return f"{lock.solver.distribution} has lost its package {module}"
    return None if _interpreter(lock.folder).exists() else "its interpreter is gone"


def refuse_flawed(name: str, python: str) -> None:
    """Raise InputError if an interpreter is that of an environment of a lock, and it has a flaw."""
    made_here = name in locks() and python == interpreter(name)
    if made_here and (found := flaw(locks()[name])):
        raise InputError(f"/environments/{name}", described(found), MAKE.format(name))


def make(lock: Lock) -> None:
    """
    Make an environment, in place of a flawed one; nothing is left of one that is broken off.

    Raises
    ------
    InputError
        If a package cannot be had, has another digest, or does not load.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    _clear_remains()
    part = FOLDER / f".{lock.name}.{os.getpid()}"
    try:
        venv.create(part, symlinks=True)
        requirements = part / "lock.txt"
        requirements.write_text(lock.text, "utf-8")
        pip = (sys.executable, "-m", "pip", "--python", str(_interpreter(part)))
        _ran(lock, *pip, *PIP, str(requirements))
        lines = [f"import site; site.addsitedir({place!r})" for place in _behind()]
        (_packages(part) / BEHIND).write_text("\n".join(lines) + "\n", "utf-8")
        _ran(lock, str(_interpreter(part)), "-c", LOADS, lock.solver.name)
        (part / RECORD).write_text(json.dumps(lock.record, indent=1) + "\n", "utf-8")
        shutil.rmtree(lock.folder, ignore_errors=True)
        part.rename(lock.folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _clear_remains() -> None:
    """Remove what processes left that were killed while they made an environment."""
    for path in FOLDER.glob(".*.*"):
        pid = path.name.rpartition(".")[2]
        if not pid.isdigit() or not psutil.pid_exists(int(pid)):
            shutil.rmtree(path, ignore_errors=True)


def _ran(lock: Lock, *command: str) -> None:
    """Run a command for an environment; InputError with the line that says why it failed."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (
            done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        ).splitlines()
        errors = [line for line in said if line.startswith("ERROR: ")]
        line = (errors or said)[-1].removeprefix("ERROR: ")
        if any("DO NOT MATCH THE HASHES" in line for line in errors):
            line = "a package whose sha256 is not that of the lock"
        expected = f"{lock.solver.distribution} {lock.version} for this Python, as locked"
        raise InputError(lock.name, described(line), expected)


def _behind() -> list[str]:
    """Return the folders of the packages that are installed here."""
    return [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]


def _packages(folder: Path) -> Path:
    return Path(_path(folder, "purelib"))


def _interpreter(folder: Path) -> Path:
    return Path(_path(folder, "scripts")) / "python"


def _path(folder: Path, what: str) -> str:
    places = {"base": str(folder), "platbase": str(folder)}
    return sysconfig.get_path(what, "venv", vars=places)


def _plain(name: str) -> str:
    """The name of a distribution as it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
