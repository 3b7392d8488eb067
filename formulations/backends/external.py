"""
Any program that reads a model as an MPS file and writes a solution file, declared as data.

The command is a template, run without a shell:

    mysolver {mps} {solution} --time {seconds} --gap {gap} --threads {threads} --seed {seed}

`{mps}` and `{solution}` must occur; what the program must not be told may be left out. It runs in a
folder of its own, which is removed; words of the command that name files are made absolute when it
is declared. Columns are c0, c1, ... and rows r0, r1, ...; columns that a solution leaves out are 0.

In method specifications a solver is its table as JSON (`table_of`), whatever it was declared by.

A program prints its bound with few digits, which may round it up: one unit of the last digit is
subtracted. Vectors are checked against the matrix before anybody uses them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import string
import subprocess
import tempfile
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.backend import (
    Backend,
    Feature,
    RawResult,
    Solve,
    SolveTask,
    scaled,
    small_seed,
)
from rsjs.formulations.backends.callbacks import POLL_SECONDS, CallbackAdapter
from rsjs.formulations.backends.solution_files import (
    FORMATS,
    HEAD_LINES,
    columns_of,
    format_of,
)
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.formulations.milp.mps import CONSTANT, write_mps
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.serialization import canonical_text

REQUIRED, TOLD = ("mps", "solution"), ("seconds", "gap", "threads", "seed")
PLACEHOLDERS = (*REQUIRED, *TOLD)
TOLERANCE = 1e-6  # on rows, bounds and integers, relative where numbers are above 1
LATE = 0.5  # seconds after its time limit at which a program is ended
LARGEST_OUTPUT = 2**26  # bytes that a program may print
READ_OUTPUT = 2**20  # bytes of it, from the end, in which status and bound are searched


@dataclass(frozen=True, kw_only=True)
class ExternalSolver(Backend):
    """A program as a solver; see the head of this module for the command."""

    module: str = ""
    distribution: str = ""
    versions: str = ""
    features: frozenset[Feature] = frozenset({Feature.INTEGER, Feature.CONTINUOUS, Feature.THREADS})
    status: Mapping[str, Stop] = field(default_factory=dict)
    options: Callable[[Limits], dict[str, Any]] = lambda limits: {}
    run: str = "rsjs.formulations.backends.external:solve"
    command: str
    solution_format: str = "auto"  #: a key of `FORMATS`, or "auto"
    bound: str = ""  #: pattern of the bound with one group; the format's if empty
    version_command: str = ""  #: prints the version
    #: "module:function" that returns the program's path, if a package brings it; else the command's
    #: first word is it
    locate: str = ""

    @property
    def program(self) -> str:
        """The program's name or path."""
        if self.locate:
            module, _, function = self.locate.partition(":")
            return str(getattr(import_module(module), function)())
        return shlex.split(self.command)[0]

    @property
    def install_command(self) -> str:
        """Command that installs the solver."""
        if self.module:
            return super().install_command
        if "/" in self.program:
            return f"{self.program} is no program that may be run"
        return f"put the program {self.program} on PATH"

    def available(self) -> bool:
        """Return whether the program is there and may be run, or the package that brings it."""
        if self.module:
            return super().available()
        return shutil.which(self.program) is not None

    def version(self) -> str | None:
        """Return the first line of `version_command`, or the program's digest; None without it."""
        if self.module:
            return super().version()
        path = shutil.which(self.program)
        if path is None:
            return None
        if self.version_command:
            asked = shlex.split(self.version_command)
            try:
                said = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
            except (OSError, subprocess.SubprocessError):
                return None
            return next((line.strip() for line in said.stdout.splitlines() if line.strip()), None)
        with Path(path).open("rb") as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"

    def import_solver(self) -> None:
        """Raise ValueError if the solver is not there; there is nothing to import."""
        if not self.available():
            raise ValueError(f"solver {self.name!r} is not installed; {self.install_command}")

    def load(self) -> Solve:
        """Return the function that drives the program."""
        self.import_solver()
        return scaled(partial(solve, self))


def table_of(command: str, taken: Container[str] = ()) -> str:
    """
    Return a command template as the JSON text of a table.

    The solver is named for the program, or for the script that follows it; "own-" precedes names
    that are taken.
    """
    _refuse_template(command)
    program, *further = map(Path, shlex.split(command))
    script = next((word for word in further[:1] if word.is_file()), program)
    name = re.sub(r"^[^A-Za-z]+|[^\w.+-]", "", script.stem) or "program"
    name = f"own-{name}" if name in taken else name
    return checked_table({"name": name, "command": command}, Path())


def checked_table(table: Mapping[str, Any], folder: Path) -> str:
    """
    Return the table that declares a solver as JSON text; InputError as of `from_table`.

    Words of its commands that name files are relative to the folder, and made absolute.
    """
    solver = from_table(table)
    commands = {"command": solver.command, "version": solver.version_command}
    absolute = {key: _absolute(text, folder) for key, text in commands.items() if text}
    return canonical_text({**table, **absolute})


def from_table(table: Mapping[str, Any]) -> ExternalSolver:
    """
    Return the solver that a table declares.

    Its keys are `name`, `command`, and, if wanted, `format` (a key of `FORMATS`), `status` (a table
    pattern = "optimal", "infeasible", "time_limit", ...), `bound` (a pattern with one group) and
    `version` (a command).

    Raises
    ------
    InputError
        At the key that is missing, unknown or makes no sense.
    """
    keys = ("name", "command", "format", "status", "bound", "version")
    if unknown := next((key for key in table if key not in keys), None):
        raise InputError(f"/{unknown}", table[unknown], f"one of the keys {', '.join(keys)}")
    for key in ("name", "command"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise InputError(f"/{key}", table.get(key), f"the {key} of a solver")
    if not re.fullmatch(r"[A-Za-z][\w.+-]*", table["name"]):
        raise InputError("/name", table["name"], "letters, digits, . + - and _")
    _refuse_template(table["command"])
    known = ("auto", *FORMATS)
    if table.get("format", "auto") not in known:
        raise InputError("/format", table["format"], f"one of {', '.join(known)}")
    for key in ("bound", "version"):
        if not isinstance(table.get(key, ""), str):
            raise InputError(f"/{key}", table[key], f"text, the {key} of a solver")
    stops = {stop.value.lower(): stop for stop in Stop}
    statuses = table.get("status", {})
    if not isinstance(statuses, Mapping):
        raise InputError("/status", statuses, "a table of patterns and words")
    for pattern, word in statuses.items():
        _refuse_pattern(f"/status/{pattern}", pattern, groups=0)
        if str(word).lower() not in stops:
            raise InputError(f"/status/{pattern}", word, f"one of {', '.join(stops)}")
    if table.get("bound"):
        _refuse_pattern("/bound", table["bound"], groups=1)
    if table.get("version"):
        _words("/version", table["version"])
    return ExternalSolver(
        name=table["name"],
        command=table["command"],
        solution_format=table.get("format", "auto"),
        status={pattern: stops[str(word).lower()] for pattern, word in statuses.items()},
        bound=table.get("bound", ""),
        version_command=table.get("version", ""),
    )


def _absolute(command: str, folder: Path) -> str:
    """Return a command with paths for the words that name files; a bare program is on PATH."""
    words = []
    for i, word in enumerate(shlex.split(command)):
        is_file = (i > 0 or "/" in word) and (folder / word).is_file()
        path = str((folder / word).absolute()) if is_file else word
        words.append(path if re.fullmatch(r"[^\s'\"\\]+", path) else shlex.quote(path))
    return " ".join(words)


def _words(place: str, command: str) -> list[str]:
    """Return the words of a command; InputError if a quotation mark or the program is missing."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(place, command, f"a command: {error}") from None
    if not words or "{" in words[0]:
        raise InputError(place, command, "a command that begins with a program")
    return words


def _refuse_template(command: str) -> None:
    """Raise InputError unless a command has the placeholders it must have, and no others."""
    _words("/command", command)
    try:
        fields = [*string.Formatter().parse(command)]
    except ValueError as error:
        raise InputError("/command", command, f"a command: {error}") from None
    names = [name for _, name, _, _ in fields if name is not None]
    for _, name, form, conversion in fields:
        if name is not None and (name not in PLACEHOLDERS or form or conversion):
            found = name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            known = ", ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            raise InputError("/command", f"{{{found}}}", f"one of {known}")
    for name in REQUIRED:
        if name not in names:
            raise InputError("/command", command, f"{{{name}}} in the command")


def _refuse_pattern(place: str, pattern: str, *, groups: int) -> None:
    """Raise InputError unless a text is a regular expression with at least so many groups."""
    try:
        found = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(place, pattern, f"a regular expression: {error}") from None
    if found < groups:
        raise InputError(place, pattern, "a regular expression with the number in ( )")


def solve(solver: ExternalSolver, task: SolveTask) -> RawResult:
    """
    Write the model, run the program, read its solution; see `SolveTask`.

    Raises
    ------
    ValueError
        If the program neither writes a solution nor says why, or writes what is none: names that
        do not exist, a number that is not finite, fractional integers, a point that violates a
        row or a bound.
    """
    relay = CallbackAdapter(task)
    with tempfile.TemporaryDirectory(prefix="rsjs-") as folder:
        mps, solution, printed = (Path(folder) / name for name in ("m.mps", "m.sol", "output"))
        write_mps(task.model, mps)
        limits = relay.limits_left()
        asked = {
            "mps": mps,
            "solution": solution,
            "seconds": f"{limits.time_limit:.3f}",
            "gap": f"{limits.gap:.17g}",
            "threads": limits.threads,
            "seed": small_seed(limits),
        }
        words = [word.format_map(asked) for word in shlex.split(solver.command)]
        words[0] = solver.program
        with relay.solving():
            code = _run(words, printed, limits.time_limit, relay)
        output, printed_bytes = _tail(printed)
        if task.log:
            print(output)
        told = {key: asked[key] for key in TOLD if f"{{{key}}}" in solver.command}
        large = code is None and printed_bytes > LARGEST_OUTPUT
        return _result(solver, relay, solution, output, code, told, large=large)


def _run(words: list[str], printed: Path, seconds: float, relay: CallbackAdapter) -> int | None:
    """Run a program to its end and return its exit code; None if it was ended here."""
    with printed.open("wb") as output:
        process = psutil.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=printed.parent,
        )
    latest = time.monotonic() + seconds + LATE
    try:
        while True:
            try:
                return int(process.wait(POLL_SECONDS))
            except psutil.TimeoutExpired:
                large = printed.stat().st_size > LARGEST_OUTPUT
                if large or relay.stopping() or time.monotonic() > latest:
                    return None
    finally:
        _end(process)


def _end(process: psutil.Popen) -> None:
    """End a program and all that it started."""
    try:
        for one in (*process.children(recursive=True), process):
            one.kill()
    except psutil.NoSuchProcess:
        return
    process.wait()


def _tail(path: Path) -> tuple[str, int]:
    """Return the end of what a program printed, and the size of all of it [bytes]."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - READ_OUTPUT))
        return file.read().decode("utf-8", errors="replace"), size


def _result(
    solver: ExternalSolver,
    relay: CallbackAdapter,
    solution: Path,
    output: str,
    code: int | None,
    told: Mapping[str, Any],
    *,
    large: bool,
) -> RawResult:
    """Return what a program found and how it ended; `large` if for what it printed."""
    name, head, values = solver.solution_format, "", None
    if solution.exists():
        try:
            text = read_text(solution, encoding="latin-1")  # names are ASCII, comments anything
            head = "\n".join(text.split("\n")[:HEAD_LINES])
            name = format_of(head) if name == "auto" else name
            values = columns_of(text, name, solution)
        except InputError as error:
            flaw = f"solution file: found {error.value}, expected {error.expected}"
            raise ValueError(f"solver {solver.name}: {flaw}") from None
    known = FORMATS["values" if name == "auto" else name]
    stop, word = _ending({**known.status, **solver.status}, f"{output}\n{head}")
    if values is not None:
        relay.offer_incumbent(vector_of(relay.task.model, values, solver.name))
    if (bound := _bound(solver.bound or known.bound, output)) is not None:
        relay.offer_bound(bound)
    if code is None and stop is None:
        stop, word = Stop.TIME_LIMIT, "ended at the time limit"
        if relay.interrupted:
            stop, word = Stop.INTERRUPTED, "ended when asked"
        elif large:
            most = f"{LARGEST_OUTPUT / 2**20:g} MiB"
            stop, word = Stop.OUTPUT_LIMIT, f"ended as it printed more than {most}"
    if stop is Stop.OPTIMAL and values is None:
        raise ValueError(f"solver {solver.name}: it says {word!r} and wrote no solution")
    if stop is Stop.INFEASIBLE and relay.x is not None:
        raise ValueError(f"solver {solver.name}: it says {word!r} and wrote a solution")
    if stop is None:
        stop, word = Stop.ITERATIONS, f"exit code {code}"
        if relay.x is None:
            last = next((line for line in reversed(output.splitlines()) if line.strip()), "nothing")
            raise ValueError(
                f"solver {solver.name}: exit code {code}, no solution and no known status; "
                f"it printed last: {last.strip()[:200]}"
            )
    return relay.result(
        stop,
        word,
        {},
        {**told, "feasibility_tolerance": TOLERANCE, "program": Path(solver.program).name},
    )


def _ending(statuses: Mapping[str, Stop], text: str) -> tuple[Stop | None, str]:
    """Return why a program ended and the words that say so; the last pattern given wins."""
    for pattern, stop in reversed(list(statuses.items())):
        if found := re.search(pattern, text, re.MULTILINE):
            return stop, " ".join(found.group().split())
    return None, ""


def _bound(pattern: str, output: str) -> float | None:
    """Return the bound printed last, less one unit of its last digit."""
    found = list(re.finditer(pattern, output)) if pattern else []
    if not found:
        return None
    try:
        printed = Decimal(next(filter(None, found[-1].groups())))
    except (ArithmeticError, StopIteration):
        return None
    exponent = printed.as_tuple().exponent
    if not isinstance(exponent, int):  # not finite
        return None
    return float(printed - Decimal(1).scaleb(exponent))


def vector_of(model: MatrixModel, values: Mapping[str, float], solver: str) -> Floats:
    """
    Return the column vector of a solution; ValueError if it is no solution of the model.

    Integers are rounded after they were found to be within `TOLERANCE`.
    """
    x = np.zeros(len(model.cost))
    for name, value in values.items():
        if name == CONSTANT:
            continue
        number = int(name[1:]) if re.fullmatch(r"c\d{1,12}", name) else len(x)
        if number >= len(x):
            raise ValueError(f"solver {solver}: column {name} in its solution does not exist")
        x[number] = value
    integer = model.kind == ColumnKind.INTEGER
    rounded = np.where(integer, np.round(x), x)
    rounded = np.clip(rounded, model.lower, model.upper)
    moved = np.abs(rounded - x)
    if (moved > TOLERANCE * np.maximum(1.0, np.abs(x))).any():
        worst = int(np.argmax(moved))
        what = "an integer " if integer[worst] else ""
        within = f"from {model.lower[worst]:g} to {model.upper[worst]:g}"
        raise ValueError(f"solver {solver}: c{worst} = {x[worst]:.9g}, expected {what}{within}")
    activity = model.A @ rounded
    excess = np.maximum(model.row_lower - activity, activity - model.row_upper)
    largest = np.maximum(1.0, abs(model.A) @ np.abs(rounded))
    if (excess > 10 * TOLERANCE * largest).any():
        worst = int(np.argmax(excess / largest))
        raise ValueError(
            f"solver {solver}: row r{worst} is {activity[worst]:.9g}, expected "
            f"{model.row_lower[worst]:.9g} to {model.row_upper[worst]:.9g}"
        )
    return rounded
