"""Options of commands by the arguments they are given to; what is said of a generated file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.cli.console import print_json

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance, Workload

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
    from rsjs.core.errors import InputError

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
