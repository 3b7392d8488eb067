"""Runs a method for jobs on MIG instances in a worker process, and has verified what it left."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, told
from rsjs.core.report import SolveResult
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, write_problem
from rsjs.methods import Request
from rsjs.runs import launcher
from rsjs.runs.kinds import mig_methods
from rsjs.runs.kinds.mig_outcome import MigOutcome, verified, without_schedule
from rsjs.runs.kinds.mig_schedule import SCHEDULING, read_claims, read_schedule
from rsjs.runs.task_files import Task, has_failed


def run(
    problem: SchedulingProblem,
    asked: Request,
    limits: Limits,
    *,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> MigOutcome:
    """
    Run a method in a worker process and verify what it returns.

    Raises
    ------
    InputError
        If the method does not serve the problem, or its solver is missing.
    """
    if reason := mig_methods.refusal(asked, problem):
        raise InputError("", asked.spelling, f"another method or problem: {reason}")
    with tempfile.TemporaryDirectory(prefix="rsjs-") as name:
        folder = Path(name)
        write_problem(problem, folder / "problem.json")
        task = Task(
            instance=str(folder / "problem.json"),
            method=asked.spelling,
            limits=limits,
            mig=SCHEDULING,
        )
        result = launcher.carry_out(task, folder, on_event=on_event).result
        return finished(problem, asked.spelling, result, folder)


def finished(
    problem: SchedulingProblem, method: str, result: SolveResult, folder: Path
) -> MigOutcome:
    """The outcome of a run whose worker left its files in a folder."""
    try:
        claims = read_claims(folder)
        schedule = None if has_failed(result, folder) else read_schedule(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"the schedule cannot be read: {told(error)}"
        return without_schedule(problem, method, result, message)
    return verified(problem, method, result, schedule, claims)
