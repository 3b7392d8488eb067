"""
Options that several commands share, and the limits they make.

Options of commands by the arguments they are given to; what is said of a generated file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.cli.output import print_json
from rsjs.core.call import Limits
from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.core.call import Limits
    from rsjs.instances.instance import Instance, Workload

InstanceFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Instance file, .json or .json.gz.")
]
Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="File to write; .gz compresses.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, no text.")
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="name[@solver][:rule][?key=value,...], see `rsjs list methods`.",
    ),
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
        return Limits.asked(
            time_limit=time_limit, gap=gap, threads=threads, seed=seed, memory_limit_mb=memory_limit
        )


OPTIONS = {
    "/nodes": "-N",
    "/jobs": "-J",
    "/gap_seconds": "--gap",
    "/memory_limit_mb": "--memory-limit",
}


def jobs_or_default(jobs: int | None, nodes: int) -> int:
    """J = 10 N as in the paper; a bad N is left for the generator to tell."""
    return 10 * max(1, nodes) if jobs is None else jobs


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


def report(subject: Instance | Workload, path: Path, *, as_json: bool) -> None:
    """Name, size, digest and file."""
    kind = type(subject).__name__.lower()
    nodes, jobs = subject.cluster.nodes, len(subject.jobs)
    if as_json:
        print_json(
            {
                "kind": kind,
                "name": subject.name,
                "sha256": subject.digest,
                "nodes": nodes,
                "jobs": jobs,
                "file": path,
            }
        )
        return
    made = f"CSV files of {kind}" if path.is_dir() else kind
    print(f"{path}: {made} {subject.name}, {nodes} nodes, {jobs} jobs")
    print(f"sha256 of the {kind}: {subject.digest}")
