"""`rsjs solve`: one method on one instance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import (
    Gap,
    InstanceFile,
    Json,
    MemoryLimit,
    Method,
    Seed,
    Threads,
    TimeLimit,
    limits,
)
from rsjs.cli.output import print_json, print_verdict
from rsjs.cli.paths import solution_for, writable
from rsjs.cli.progress import RunLine, running
from rsjs.core.report import Stop
from rsjs.instances.io.files import read_instance, write_solution
from rsjs.methods import parse
from rsjs.runs import verified_run

DEFAULT = "jahani_patterns@highs"


def solve(
    file: InstanceFile,
    method: Method = DEFAULT,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    warm_start: Annotated[
        Path | None,
        typer.Option(
            "--warm-start", metavar="SOLUTION", help="Solution file that the method begins from."
        ),
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Show the solver's log on standard error.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="SOLUTION", help="File to write a verified solution to."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Run a method on an instance, verify its solution and write it.

    \b
    Example:
      rsjs solve instance.json --method jahani_patterns@highs --time-limit 60 \\
          --gap 1e-4 --threads 1 --seed 0 -o solution.json

    Ctrl-C ends the method and keeps the best solution it has reported.
    """

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    request = parse(method)
    instance = read_instance(file)
    start = None if warm_start is None else solution_for(instance, warm_start).solution
    writable(output, file)
    line = RunLine(request.spelling, allowed.time_limit)
    with running(live=not log) as screen:
        screen.show(line)
        found = verified_run.run(
            instance, request, allowed, warm_start=start, log=log, on_event=line
        )
    written = output is not None and found.verified
    if output is not None and found.verified and found.result.solution is not None:
        write_solution(
            found.result.solution,
            instance.digest,
            output,
            method=found.method,
            objective=found.objective,
            bound=found.result.bound,
        )
    document = {**found.as_dict(), "solution_file": output if written else None}
    if as_json:
        print_json(document)
    elif output is None:
        print_verdict(document)
    else:
        print_verdict(document, ("solution", f"{output}" if written else "not written"))
    if found.result.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if found.verified else 1)
