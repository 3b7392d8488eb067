"""`rsjs check`: is a solution feasible, and are its claims true?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from rsjs.bks.exact_cost import agree, exact_verdict
from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import measured, print_json, print_verdict
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.core.method import with_names
from rsjs.core.process import memory_mb
from rsjs.instances.io.bounded_files import read_text
from rsjs.runs.kinds.base import kind_of_file
from rsjs.runs.verified_run import verdict_keys


def check(
    file: Annotated[Path, argument("FILE", "Problem of any kind, e.g. an instance.")],
    solution: Annotated[Path, argument("SOLUTION", "Its solution; of a workload the log.")],
    exact: Annotated[
        bool, option(None, "Check once more in exact rational arithmetic.", "--exact")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Check a solution and what it claims, without any solver.

    \b
    Example:
      rsjs check instance.json solution.json --exact --json
      rsjs check problem.json schedule.json

    Every constraint, the cost of every term, the claimed objective and bound, and that the
    solution is for this very instance (sha256). The file's format tells the kind of problem:
    schedules, placements and repartitions of MIG instances, and logs of simulations are checked,
    too.
    """
    kind = kind_of_file(file)
    of_instance = kind.name == "instance"
    if exact and not of_instance:
        raise InputError("--exact", described("another kind of problem"), "an instance", file)
    begin = time.monotonic()
    problem = kind.read(file)
    claimed = kind.read_solution(problem, solution)
    read = time.monotonic()
    verdict = kind.check(problem, claimed)
    seconds = {"read": read - begin, "check": time.monotonic() - read}
    document = {
        "instance": problem.name,
        "instance_sha256": problem.digest,
        "method": claimed.method and with_names(claimed.method),
        **verdict_keys(verdict, claimed.bound if of_instance else None),
    }
    facts = {**(verdict.terms or {}), **kind.facts(problem, verdict)}
    if of_instance:
        document |= {"stop": None, "claimed_objective": claimed.objective}
        document |= {"counts": verdict.counts, "peak_memory_mb": memory_mb().get("VmHWM")}
    else:
        del document["terms"]
        document |= facts
    if exact:
        begin = time.monotonic()
        with busy("checking in exact arithmetic"):
            second = exact_verdict(read_text(file), read_text(solution), (file, solution))
        same_cost = agree(second.objective, verdict.objective)
        document["exact"] = {
            "feasible": second.feasible,
            "objective": None if second.objective is None else float(second.objective),
            "terms": second.terms,
            "violations": [violation._asdict() for violation in second.violations],
            "agrees": same_cost and second.feasible == verdict.feasible,
        }
        seconds["exact"] = time.monotonic() - begin
    document["seconds"] = {**seconds, "total": sum(seconds.values())}
    if as_json:
        print_json(document)
    elif kind.unit == "$":
        print_verdict({**document, "terms": verdict.terms})
    else:
        del facts["objective"]
        print_verdict({**document, "terms": None, "unit": kind.unit}, *measured(facts))
    sound = verdict.feasible and (not exact or document["exact"]["agrees"])
    raise typer.Exit(0 if sound else 1)
