"""`rsjs check`: is a solution feasible, and are its claims true?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.bks.exact_cost import agree, exact_verdict
from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import print_json, print_verdict, print_violations
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.runs.kinds.base import kind_of_file
from rsjs.runs.verified_run import verdict_keys
from rsjs.runs.worker import peak_memory_mb

if TYPE_CHECKING:
    from rsjs.instances.check import Verdict
    from rsjs.instances.instance import Instance
    from rsjs.runs.kinds.base import Claimed


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
      rsjs check scheduled/problem.json scheduled/schedule.json

    Every constraint, the cost of every term, the claimed objective and bound, and that the
    solution is for this very instance (sha256). The file's format tells the kind of problem:
    schedules, placements and repartitions of MIG instances, and logs of simulations are checked,
    too.
    """
    kind = kind_of_file(file)
    if exact and kind.name != "instance":
        raise InputError("--exact", described("another kind of problem"), "an instance", file)
    begin = time.monotonic()
    problem = kind.read(file)
    claimed = kind.read_solution(problem, solution)
    read = time.monotonic()
    verdict = kind.check(problem, claimed)
    checked = time.monotonic()
    if kind.name != "instance":
        facts = {
            "instance": problem.name,
            "instance_sha256": problem.digest,
            "method": claimed.method,
            **(verdict.terms or {}),
            **kind.facts(problem, verdict),
            "feasible": verdict.feasible,
        }
        print_violations(facts, verdict.violations, as_json=as_json)
        raise typer.Exit(0 if verdict.feasible else 1)
    document = _document(problem, claimed, verdict)
    document["seconds"] = {"read": read - begin, "check": checked - read}
    if exact:
        with busy("checking in exact arithmetic"):
            document["exact"] = _check_exactly(file, solution, verdict)
        document["seconds"]["exact"] = time.monotonic() - checked
    document["seconds"]["total"] = sum(document["seconds"].values())
    print_json(document) if as_json else print_verdict(document)
    sound = verdict.feasible and (not exact or document["exact"]["agrees"])
    raise typer.Exit(0 if sound else 1)


def _document(instance: Instance, claimed: Claimed, verdict: Verdict) -> dict[str, Any]:
    """Return the keys that `solve` prints too; the bound is the one that the file claims."""
    return {
        "instance": instance.name,
        "instance_sha256": instance.digest,
        "method": claimed.method,
        **verdict_keys(verdict, claimed.bound),
        "stop": None,
        "claimed_objective": claimed.objective,
        "seconds": {},
        "peak_memory_mb": peak_memory_mb(),
        "counts": dict(verdict.counts),
        "message": "",
    }


def _check_exactly(instance: Path, solution: Path, verdict: Verdict) -> dict[str, Any]:
    """Return the exact verdict on two files, and whether the one in floating point agrees."""
    exact = exact_verdict(read_text(instance), read_text(solution), (instance, solution))
    same_cost = agree(exact.objective, verdict.objective)
    return {
        "feasible": exact.feasible,
        "objective": None if exact.objective is None else float(exact.objective),
        "terms": exact.terms,
        "violations": [violation._asdict() for violation in exact.violations],
        "agrees": same_cost and exact.feasible == verdict.feasible,
    }
