"""`rsjs mig schedule` and `rsjs mig check`: jobs on the fixed MIG instances of a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.options import Json, Seed, Threads, TimeLimit, limits

if TYPE_CHECKING:
    from rsjs.instances.mig.schedule_check import ScheduleVerdict
    from rsjs.instances.mig.scheduling import SchedulingProblem


def schedule(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Set of jobs, or rsjs-mig-scheduling/1.")
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="A rule (fcfs, srpt, bigrem, ...), local_search, cpsat[:RULE] or milp[@SOLVER].",
        ),
    ] = "cpsat",
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            metavar="A|B|C",
            help="Jobs may stop and move (A, of a set of jobs), stop (B), neither (C).",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="TERMS",
            help="Stages between commas, e.g. late,completion+5*preemptions; or lexicographic. "
            "The makespan of a set of jobs.",
        ),
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(
            "--units", metavar="MB,...", help="Memory of the units; 2000,1000,1000 of a set."
        ),
    ] = None,
    poll: Annotated[
        int,
        typer.Option(
            "--poll", metavar="MINUTES", help="Between two looks of a rule into the queue."
        ),
    ] = 1,
    time_limit: TimeLimit = 30.0,
    threads: Threads = 1,
    seed: Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="For problem.json, schedule.json and schedule.png.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Schedule a set of jobs on the MIG instances of a GPU, and check the schedule.

    \b
    Example:
      rsjs mig schedule jobs/section4-s2.json --method bigrem -o scheduled
      rsjs mig schedule jobs/section4-s2.json --objective completion --method local_search
      rsjs mig schedule jobs/section4-s2.json --reading C --objective lexicographic
    """
    from rsjs.cli.inputs import writable
    from rsjs.cli.mig_inputs import memory_of
    from rsjs.cli.progress import busy
    from rsjs.experiments.mig_schedule_rows import row, verdict_of
    from rsjs.experiments.mig_scheduling import schedule as run
    from rsjs.instances.errors import InputError
    from rsjs.instances.mig.schedule_files import read_problem_or_jobs
    from rsjs.instances.mig.schedule_objective import parse_objective

    allowed = limits(time_limit, 0.0, threads, seed, None)
    if poll < 1:
        raise InputError("--poll", poll, "a number of minutes >= 1")
    problem = read_problem_or_jobs(
        file,
        reading=reading,
        objective=None if objective is None else parse_objective(objective),
        memory=None if units is None else memory_of(units),
    )
    if output is not None:
        writable(output, folder=True)
    with busy(f"scheduling by {method}"):
        result = run(problem, method, allowed, poll=poll)
    verdict = verdict_of(problem, result)
    found = row(problem, method, result, verdict)
    if output is not None and result.schedule is not None and found["status"] == "ok":
        _write(problem, result, verdict, method, output)
    _say({**found, "bound": list(result.bound), **_values(verdict)}, verdict, as_json=as_json)
    raise typer.Exit(0 if found["status"] == "ok" else 1)


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="rsjs-mig-scheduling/1.")],
    schedule: Annotated[Path, typer.Argument(metavar="SCHEDULE", help="rsjs-mig-schedule/1.")],
    as_json: Json = False,
) -> None:
    """
    Check a schedule on MIG instances and what it claims, without any solver.

    \b
    Example:
      rsjs mig check scheduled/problem.json scheduled/schedule.json
    """
    from rsjs.instances.mig.schedule_check import check_schedule
    from rsjs.instances.mig.schedule_files import read_problem, read_schedule

    problem = read_problem(file)
    claimed = read_schedule(schedule, problem)
    verdict = check_schedule(
        problem, claimed.schedule, objective=claimed.objective, bound=claimed.bound
    )
    facts: dict[str, Any] = {
        "instance": problem.name,
        "instance_sha256": problem.digest,
        "reading": problem.reading,
        "goal": str(problem.objective),
        "method": claimed.method,
        **(verdict.terms or {}),
        **_values(verdict),
    }
    _say(facts, verdict, as_json=as_json)
    raise typer.Exit(0 if verdict.feasible else 1)


def _values(verdict: ScheduleVerdict | None) -> dict[str, Any]:
    """The value of each stage, and whether the schedule breaks no constraint."""
    values = None if verdict is None else verdict.values
    return {
        "objective": None if values is None else list(values),
        "feasible": verdict is not None and verdict.feasible,
    }


def _say(facts: dict[str, Any], verdict: ScheduleVerdict | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from rsjs.cli.console import print_json
    from rsjs.cli.mig_text import say
    from rsjs.cli.verdict import violation_lines

    violations = [] if verdict is None else [asdict(one) for one in verdict.violations]
    if as_json:
        print_json({**facts, "violations": violations})
        return
    say(facts, as_json=False)
    for line in violation_lines(violations):
        print(line)


def _write(
    problem: SchedulingProblem,
    result: Any,
    verdict: ScheduleVerdict | None,
    method: str,
    folder: Path,
) -> None:
    from rsjs.instances.mig.schedule_files import write_problem, write_schedule
    from rsjs.reporting.mig_gantt import mig_gantt

    write_problem(problem, folder / "problem.json")
    write_schedule(
        problem,
        result.schedule,
        folder / "schedule.json",
        method=method,
        objective=None if verdict is None else verdict.values,
        bound=result.bound,
    )
    mig_gantt(problem, result.schedule, folder / "schedule.png", title=method)
