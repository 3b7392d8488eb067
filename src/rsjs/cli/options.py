"""Options that several commands share, and errors that name the option they come from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.core.call import Limits
from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.methods import Request

Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="File to write; .gz compresses.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, no text.")
]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Wall clock of a method, from the start of build."
    ),
]
Gap = Annotated[
    float, typer.Option("--gap", metavar="GAP", help="Relative gap at which a solver may stop.")
]
Threads = Annotated[int, typer.Option("--threads", metavar="N", help="Threads of a solver.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of a method.")]
MemoryLimit = Annotated[
    float | None,
    typer.Option(
        "--memory-limit", metavar="MB", help="Resident memory of a run, no limit by default."
    ),
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

    with errors_at("--method"):
        return parse(method)


OPTIONS = {
    "/nodes": "-N",
    "/jobs": "-J",
    "/gap_seconds": "--gap",
    "/memory_limit_mb": "--memory-limit",
}


@contextmanager
def options_named() -> Iterator[None]:
    """Make errors name the option of the command instead of the argument of a function."""
    try:
        yield
    except InputError as error:
        if error.file is not None:
            raise
        option = OPTIONS.get(error.pointer, error.pointer.replace("/", "--", 1).replace("_", "-"))
        raise InputError(option, error.value, error.expected) from None


@contextmanager
def errors_at(option: str) -> Iterator[None]:
    """Make errors that name no place name this option."""
    try:
        yield
    except InputError as error:
        if error.file is not None or error.pointer:
            raise
        raise InputError(option, error.value, error.expected) from None
