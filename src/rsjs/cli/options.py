"""Options that several commands share, and the limits they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rsjs.core.call import Limits

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
    from rsjs.cli.generated import options_named
    from rsjs.core.call import Limits

    with options_named():
        return Limits.asked(
            time_limit=time_limit, gap=gap, threads=threads, seed=seed, memory_limit_mb=memory_limit
        )
