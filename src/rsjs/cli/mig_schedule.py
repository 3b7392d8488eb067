"""`rsjs mig schedule` and `rsjs mig check`: jobs on the fixed MIG instances of a GPU."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.mig_options import memory_of, say
from rsjs.cli.options import Json, MemoryLimit, Seed, Threads, TimeLimit, limits
from rsjs.cli.output import print_json, violation_lines
from rsjs.cli.paths import writable
from rsjs.cli.progress import RunLine, running
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import read_problem, read_problem_or_jobs, write_problem
from rsjs.instances.mig.scheduling.schedule import read_schedule, write_schedule
from rsjs.reporting.figures.mig import mig_gantt
from rsjs.runs import compare, verified_run
from rsjs.runs.kinds import mig_methods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.instances.check import Verdict
    from rsjs.instances.mig.scheduling.check import ScheduleVerdict
    from rsjs.runs.verified_run import Outcome

# Columns of a row that repeat others where there is one run, or mean nothing here.
LEFT_OUT = ("nodes", "best_bound", "gap_to_best", "stages", "stage_bounds", "gap_limit")


def schedule(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Set of jobs, or rsjs-mig-scheduling/1.")
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="A rule (fcfs, srpt, bigrem, ...), local_search, cpsat[:RULE], milp[@SOLVER] or"
            " enumeration, see `rsjs list methods`.",
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
    time_limit: TimeLimit = 30.0,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
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
      rsjs mig schedule jobs/section4-s2.json --method 'fcfs?poll=10'

    Ctrl-C ends the method and keeps the best schedule it has reported.
    """

    allowed = limits(time_limit, 0.0, threads, seed, memory_limit)
    request = mig_methods.request(method)
    problem = read_problem_or_jobs(
        file,
        reading=reading,
        objective=None if objective is None else parse_objective(objective),
        memory=None if units is None else memory_of(units),
    )
    if output is not None:
        writable(output, folder=True)
    line = RunLine(request.spelling, allowed.time_limit)
    with running() as screen:
        screen.show(line)
        found = verified_run.run(problem, request, allowed, on_event=line)
    if output is not None and found.verified:
        _write(found, output)
    row = {
        key: value
        for key, value in compare.rows([found], allowed)[0].items()
        if key not in LEFT_OUT
    }
    values, bounds = (found.figures.get(f"stage_{name}") for name in ("values", "bounds"))
    facts = {
        **row,
        "bound": None if bounds is None else list(bounds),
        "message": row["message"] or None,
        **_values(found.verdict, values),
    }
    _say(facts, found.verdict, as_json=as_json)
    raise typer.Exit(0 if found.verified else 1)


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
        **_values(verdict, verdict.values),
    }
    _say(facts, verdict, as_json=as_json)
    raise typer.Exit(0 if verdict.feasible else 1)


def _values(
    verdict: ScheduleVerdict | Verdict | None, values: Sequence[float | None] | None
) -> dict[str, Any]:
    """The value of each stage, and whether the schedule breaks no constraint."""
    return {
        "objective": None if values is None else list(values),
        "feasible": verdict is not None and verdict.feasible,
    }


def _say(
    facts: dict[str, Any], verdict: ScheduleVerdict | Verdict | None, *, as_json: bool
) -> None:

    violations = [] if verdict is None else [asdict(one) for one in verdict.violations]
    if as_json:
        print_json({**facts, "violations": violations})
        return
    say(facts, as_json=False)
    for line in violation_lines(violations):
        print(line)


def _write(found: Outcome, folder: Path) -> None:

    problem, schedule = found.problem, found.solution
    assert schedule is not None
    write_problem(problem, folder / "problem.json")
    write_schedule(
        problem,
        schedule,
        folder / "schedule.json",
        method=found.method,
        objective=found.figures["stage_values"],
        bound=found.figures["stage_bounds"],
    )
    mig_gantt(problem, schedule, folder / "schedule.png", title=found.method)
