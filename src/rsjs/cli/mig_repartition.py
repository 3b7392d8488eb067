"""`rsjs mig repartition`: jobs on one GPU that is divided anew while it works."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.mig_options import say
from rsjs.cli.mig_place import DrawSeed, File, Gpu, Gpus, Picture, Save, Solution
from rsjs.cli.options import Gap, Json, TimeLimit, limits
from rsjs.cli.paths import writable
from rsjs.core.errors import InputError
from rsjs.formulations.mig import reconfiguration_bounds
from rsjs.formulations.mig.reconfiguration import solve
from rsjs.formulations.mig.reconfiguration_bounds import find_candidates
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.instances.mig.geometry import partition_of
from rsjs.instances.mig.gpus import gpu_named, read_gpus
from rsjs.instances.mig.io import nearest_first
from rsjs.instances.mig.reconfiguration import check, problem

if TYPE_CHECKING:
    from rsjs.instances.mig.geometry import Partition
    from rsjs.instances.mig.reconfiguration.problem import (
        ReconfigurationProblem,
        ReconfigurationSchedule,
    )

SOLVERS = ("cpsat", "highs", "scip")
GREEDY = "greedy"


def repartition(
    file: File = None,
    n: Annotated[int, typer.Option("-n", metavar="N", help="Jobs that are drawn.")] = 20,
    seed: DrawSeed = 1,
    gpu: Gpu = "A100-40",
    gpus: Gpus = None,
    rigid: Annotated[
        bool, typer.Option("--rigid", help="Draw jobs that run on one profile only.")
    ] = False,
    releases: Annotated[
        int, typer.Option("--releases", metavar="T", help="Draw releases up to T.")
    ] = 0,
    delta: Annotated[
        int, typer.Option("--delta", metavar="T", help="Draw: time to make an instance.")
    ] = 0,
    partition: Annotated[
        str | None,
        typer.Option("--partition", metavar="LIST", help="Static partition, such as 4g,2g,1g."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="cpsat, highs, scip or greedy.")
    ] = SOLVERS[0],
    time_limit: TimeLimit = 60.0,
    gap: Gap = 0.0,
    save: Save = None,
    output: Solution = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """
    Schedule jobs on one GPU whose instances are made and destroyed as needed: least makespan.

    \b
    Example:
      rsjs mig repartition -n 20 --seed 1 --picture gantt.png
      rsjs mig repartition -n 30 --delta 2 --releases 150 --method greedy
      rsjs mig repartition jobs.json --partition 4g,2g,1g -o schedule.json

    Jobs released together are assigned without any time (laminar placements), which highs and
    scip can do too; for others, model R is solved by CP-SAT.
    """

    for path in (save, output, picture):
        writable(path)
    if file is None:
        model = gpu_named(gpu, read_gpus(gpus) if gpus else None)
        jobs = problem.generate(model, n, seed, rigid=rigid, releases=releases, delta=delta)
    else:
        jobs = problem.read_problem(file)
    if save is not None:
        problem.write_problem(jobs, save)
    allowed = None if partition is None else partition_of(jobs.gpu, partition)
    schedule, known = _scheduled(jobs, allowed, method, time_limit, gap)
    verdict = check.check(jobs, schedule, bound=known["bound"])
    if output is not None:
        claims = {"method": method, "makespan": verdict.makespan, "bound": known["bound"]}
        problem.write_schedule(jobs, schedule, output, **claims)
    if picture is not None:
        from rsjs.reporting.figures.mig import repartition_picture

        repartition_picture(jobs, schedule, picture)
    facts: dict[str, Any] = {
        "name": jobs.name,
        "jobs": len(jobs),
        "partition": partition,
        "method": method,
        "feasible": verdict.feasible,
        "violations": [str(violation) for violation in verdict.violations] or None,
        "makespan": verdict.makespan,
    }
    say({**facts, **known}, as_json=as_json)
    if not verdict.feasible:
        raise typer.Exit(1)


def _scheduled(
    jobs: ReconfigurationProblem,
    allowed: Partition | None,
    method: str,
    time_limit: float,
    gap: float,
) -> tuple[ReconfigurationSchedule, dict[str, Any]]:
    """The schedule of a method and what it knows; the best rule of greedy is where others begin."""

    if method not in (*SOLVERS, GREEDY):
        expected = f"one of {nearest_first(method, [*SOLVERS, GREEDY])}"
        raise InputError("--method", method, expected)
    among = find_candidates(jobs, allowed)
    begin = time.monotonic()
    rule, schedule = best_greedy(jobs, allowed)
    if method == GREEDY:
        spent = time.monotonic() - begin
        bound = reconfiguration_bounds.best(among)
        return schedule, {"bound": bound, "rule": rule, "seconds": round(spent, 4)}

    asked = limits(time_limit, gap, 1, 0, None)
    found = solve(jobs, asked, start=schedule, partition=allowed, solver=method)
    known = {"bound": found.bound, "stop": found.stop, "seconds": round(found.seconds, 3)}
    return found.schedule or schedule, known
