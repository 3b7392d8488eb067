"""`rsjs solve`: one method on one instance, in a file or on standard input."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import (
    Gap,
    Json,
    MemoryLimit,
    Seed,
    Threads,
    TimeLimit,
    argument,
    limits,
    option,
    request_of,
)
from rsjs.cli.output import print_json, print_verdict, refuse_same, writable
from rsjs.cli.progress import RunLine, Screen
from rsjs.core.errors import STANDARD, InputError, described
from rsjs.core.report import Stop
from rsjs.instances.check import TOLERANCE
from rsjs.instances.io.files import read_instance, read_solution, write_document
from rsjs.instances.io.serialization import canonical_text, of_solution
from rsjs.recommendation import recommend
from rsjs.runs import verified_run

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.methods import Request
    from rsjs.runs.verified_run import VerifiedRun


def solve(
    file: Annotated[
        Path, argument("FILE", "Instance file, .json or .json.gz; - is standard input.")
    ],
    method: Annotated[
        str | None,
        option(
            "METHOD",
            "name[@solver][:rule][?key=value,...], or FILE.py:FUNCTION; by default the first that "
            "`rsjs list methods --for FILE` recommends.",
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    warm_start: Annotated[
        Path | None, option("SOLUTION", "Solution file that the method starts from.")
    ] = None,
    log: Annotated[bool, option(None, "Show the solver's log on standard error.", "--log")] = False,
    output: Annotated[
        Path | None, option("SOLUTION", "File to write a verified solution to.", "-o", "--output")
    ] = None,
    certificate: Annotated[
        Path | None, option("FILE", "File to write a certificate of the bound to.")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Run a method on an instance, verify its solution and write it.

    \b
    Example:
      rsjs solve instance.json -o solution.json
      rsjs solve instance.json --method jahani_patterns@highs --time-limit 60 \\
          --gap 1e-4 --threads 1 --seed 0 -o solution.json
      rsjs solve instance.json --method jahani_dual --certificate bound.json
      producer | rsjs solve - --method greedy:paper --time-limit 10 2> log | consumer

    With - the instance is read from standard input, the solution is one line on standard output
    and the verdict goes to standard error: the Job Optimizer of ANDREAS as a filter. Without a
    verified solution nothing is written and the exit code is 1. Ctrl-C ends the method and keeps
    the best solution it has reported.

    --certificate looks, for as long as the method may take, for prices that prove its bound, or
    that of its cost if it has none; `rsjs_verify.py --bound` checks them without a solver.
    """
    filters = str(file) == STANDARD
    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    request = None if method is None else request_of(method)
    instance = read_instance(file)
    why = None
    if request is None:
        label, why = recommend(instance)
        request = request_of(label)
    start = None
    if warm_start is not None:
        stored = read_solution(warm_start)
        stored.refuse_other(instance, warm_start)
        start = stored.solution
    writable(output, file)
    writable(certificate, file)
    refuse_same(output, certificate)
    rules = instance.objective
    if certificate is not None and "next_event" in (rules.energy, rules.tardiness_at):
        found = described("an objective of the next event")
        raise InputError("--certificate", found, "one of single nodes: it has no certificates")
    verified_run.refuse(instance, request, start)  # before anything is said
    if why is not None:
        note = f"--method {request.label} is recommended here: {why}"
        print(f"rsjs: note: {note}", file=sys.stderr)
    tell_compilation(request)
    line = RunLine(request.label, allowed.time_limit)
    with Screen(live=not log) as screen:
        screen.show(line)
        outcome = verified_run.run(
            instance, request, allowed, warm_start=start, log=log, on_event=line
        )
    document = outcome.as_dict()
    solution = None
    if outcome.verified and outcome.result.solution is not None:
        solution = of_solution(
            outcome.result.solution,
            instance.digest,
            method=outcome.method,
            objective=outcome.objective,
            bound=outcome.result.bound,
        )
    if output is not None and solution is not None:
        write_document(solution, output)
    if certificate is not None:
        document["certified_bound"] = certify(instance, outcome, time_limit, certificate)
    if not filters or output is not None:
        document["solution_file"] = None if solution is None else output
    with redirect_stdout(sys.stderr if filters else sys.stdout):
        facts = []
        if output is not None:
            facts.append(("solution", "not written" if solution is None else str(output)))
        if certificate is not None:
            proved = document["certified_bound"]
            said = "not written" if proved is None else f"{certificate}, proves {proved!r} $"
            facts.append(("certificate", said))
        if as_json:
            print_json(document)
        else:
            print_verdict(document, *facts)
    if filters and output is None and solution is not None:
        print(canonical_text(solution))
    if outcome.result.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if outcome.verified else 1)


def certify(
    instance: Instance, outcome: VerifiedRun, time_limit: float, file: Path
) -> float | None:
    """Write a certificate of what a method proved; return its bound, None if nothing is known."""
    from rsjs.bks.certify import certificate_of

    result = outcome.result
    bound = result.bound if result.bound_variant == "instance" else None
    target = outcome.objective if bound is None else bound
    if target is None:
        return None
    document = certificate_of(instance, target - TOLERANCE * abs(target), time_limit)
    write_document(document, file)
    return float(document["bound"])


def tell_compilation(request: Request) -> None:
    """Say on standard error that the first run of heuristics compiles their kernels."""
    if request.method.kind != "heuristic":
        return
    from rsjs.heuristics.common import jit  # imports numba

    folder = jit.cache_folder()
    if folder is not None and not any(folder.glob("**/*.nbi")):
        note = "kernels of heuristics are compiled and kept, once only; this takes about 20 s"
        print(f"rsjs: note: {note}", file=sys.stderr)
