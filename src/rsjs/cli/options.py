"""Options that several commands share, and errors that name the option they come from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.core.call import Limits
from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.methods import Request


def option(metavar: str | None, text: str, *names: str) -> Any:
    """Return an option: what stands for its value, its help, and names other than its own."""
    return typer.Option(*names, metavar=metavar, help=text)


def argument(metavar: str, text: str) -> Any:
    """Return an argument: its name and its help."""
    return typer.Argument(metavar=metavar, help=text)


Output = Annotated[Path, option("FILE", "File to write; .gz compresses.", "-o", "--output")]
Picture = Annotated[Path | None, option("FILE", "Also draw it: .png, .svg or .pdf.", "--picture")]
Nodes = Annotated[int, option("N", "Number of nodes.", "-N", "--nodes")]
Json = Annotated[
    bool, option(None, "Print one JSON document on standard output, no text.", "--json")
]
TimeLimit = Annotated[
    float, option("SECONDS", "Wall clock of a method, from the start of build.", "--time-limit")
]
Gap = Annotated[float, option("GAP", "Relative gap at which a solver may stop.", "--gap")]
Threads = Annotated[int, option("N", "Threads of a solver.", "--threads")]
Seed = Annotated[int, option("N", "Seed of a method.", "--seed")]
Baseline = Annotated[
    str | None, option("METHOD", "Compare each method with this one only.", "--baseline")
]
MemoryLimit = Annotated[
    float | None, option("MB", "Resident memory of a run, no limit by default.", "--memory-limit")
]


def limits(
    time_limit: float, gap: float, threads: int, seed: int, memory_limit: float | None
) -> Limits:
    """Return the limits of a run; an InputError names the option that makes no sense."""
    with options_named():
        asked = Limits.asked(
            time_limit=time_limit, gap=gap, threads=threads, seed=seed, memory_limit_mb=memory_limit
        )
    cores = os.cpu_count() or threads
    if threads > cores:
        print(f"rsjs: note: --threads {threads}, this machine has {cores}", file=sys.stderr)
    return asked


def request_of(method: str) -> Request:
    """Return the method that `--method` specifies."""
    from rsjs.methods import parse

    with options_named("--method"):
        return parse(method)


OPTIONS = {
    "/nodes": "-N",
    "/jobs": "-J",
    "/gap_seconds": "--gap",
    "/memory_limit_mb": "--memory-limit",
    "/draws": "--redraw",
}


@contextmanager
def options_named(option: str = "") -> Iterator[None]:
    """
    Make errors name the option of the command instead of the argument of a function.

    Those that name no place name `option`; those about a file stay as they are.
    """
    try:
        yield
    except InputError as error:
        if error.file is not None:
            raise
        name = error.pointer.replace("/", "--", 1).replace("_", "-") or option
        raise InputError(OPTIONS.get(error.pointer, name), error.value, error.expected) from None


def split(text: str) -> list[str]:
    """
    Return the methods in a list; `key=value` after a comma belongs to the options before it.

    Commas within quotation marks are those of a program's command.

    >>> split("greedy:code, sts?iterations=5,seed=2,edf")
    ['greedy:code', 'sts?iterations=5,seed=2', 'edf']
    """
    from rsjs.methods import pieces

    methods: list[str] = []
    for part in filter(None, map(str.strip, pieces(text, ","))):
        if methods and "{mps}" in methods[-1] and not re.match(r"[\w./\\-]+([@:?]|$)", part):
            raise InputError("", part, "a method; in a command, words with commas in quotes")
        if methods and "?" in methods[-1] and re.match(r"\w+=", part):
            methods[-1] += f",{part}"
        else:
            methods.append(part)
    return methods


def requests(
    text: str, known: Mapping[str, Method] | None = None, named: str = "--methods"
) -> list[Request]:
    """
    Return the methods in a list, each once; InputError for one that is not known, or none at all.

    `known` has what may be in the list, by name; all methods if not given. `named` is the option.
    """
    from rsjs.methods import parse

    with options_named(named):
        found = {one.spelling: one for one in (parse(part, known) for part in split(text))}
    if not found:
        raise InputError(named, text, "methods, e.g. jahani_patterns@highs,greedy:code")
    return list(found.values())
