"""`rsjs optimize`: one decision, from JSON on standard input to JSON on standard output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import Gap, MemoryLimit, Method, Seed, Threads, TimeLimit, limits
from rsjs.cli.output import print_json, print_verdict
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.instances.io.bounded_files import MOST_BYTES, read_whole
from rsjs.instances.io.files import instance_from
from rsjs.instances.io.serialization import canonical_text, of_solution
from rsjs.methods import parse
from rsjs.runs import verified_run

DEFAULT = "randomized_greedy:paper"
STANDARD_INPUT = "standard input"


def optimize(
    method: Method = DEFAULT,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Tell the verdict on standard error as one JSON document."),
    ] = False,
) -> None:
    """
    Decide which jobs run now: an instance on standard input, a solution on standard output.

    \b
    Example:
      rsjs optimize --time-limit 10 < instance.json > solution.json
      producer | rsjs optimize --method greedy:paper 2> log | consumer

    The Job Optimizer of ANDREAS as a filter. In: a document of format rsjs-instance/1. Out: one
    line, format rsjs-solution/1, whose `objective` is the cost that the checker finds; nothing if
    there is no verified solution (exit code 1). The verdict goes to standard error.
    """

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    request = parse(method)
    if sys.stdin is None:
        raise InputError("", described("nothing: it is closed"), "an instance", STANDARD_INPUT)
    data = read_whole(sys.stdin.buffer, STANDARD_INPUT, MOST_BYTES)
    instance = instance_from(data, STANDARD_INPUT)
    found = verified_run.run(instance, request, allowed)
    document = found.as_dict()
    with redirect_stdout(sys.stderr):
        print_json(document) if as_json else print_verdict(document)
    interrupted = found.result.stop is Stop.INTERRUPTED
    if found.result.solution is None or not found.verified:
        raise typer.Exit(INTERRUPTED if interrupted else 1)
    solution = of_solution(
        found.result.solution,
        instance.digest,
        method=found.method,
        objective=found.objective,
        bound=found.result.bound,
    )
    print(canonical_text(solution))
    if interrupted:
        raise typer.Exit(INTERRUPTED)
