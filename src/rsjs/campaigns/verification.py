"""What the checker says of a run's decision and incumbents, of whatever kind the instance is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.campaigns import mig_records, simulation_records
from rsjs.campaigns.instance_files import Subject, instance_file, refuse_other
from rsjs.campaigns.records import SCHEDULE, SOLUTION
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict, check
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance, read_solution
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, read_schedule
from rsjs.instances.solution import Solution
from rsjs.runs.kinds import mig_schedule
from rsjs.runs.solution_arrays import decisions
from rsjs.runs.task_files import INCUMBENTS, Events

MOST_PRICED = 1000  # incumbents that are priced again; of more, this many evenly spread

Figures = dict[str, Any]
Reported = tuple[float, float, Solution | Schedule]
instance_in = lru_cache(maxsize=4)(read_instance)


def subject_in(run: Run, instance: str) -> Subject:
    """What is in the file of a run's instance."""
    if run.kind == "workload":
        return simulation_records.workload_in(instance)
    return (
        mig_records.problem_in(instance) if run.kind == "mig_scheduling" else instance_in(instance)
    )


def verified(
    run: Run, instance: str, result: SolveResult, work: Path
) -> tuple[SolveResult, Verdict | None, Figures]:
    """
    The result with the check among its phases, the verdict, and further figures of some kinds.

    Parameters
    ----------
    instance : str
        Path of its file.
    work : path
        Where the worker left its files.
    """
    if run.kind == "mig_scheduling":
        return mig_records.verified(run, instance, result, work)
    figures: Figures = {}
    begin, verdict = time.monotonic(), None
    if run.kind == "workload":
        verdict, figures = simulation_records.verified(run, instance, result, work)
    elif result.solution is not None:
        found = instance_in(instance)
        verdict = _checked(found, result.solution, result.objective, result.claimed_bound)
        if verdict is None:
            message = "the decision cannot be checked"
            result = replace(result, stop=Stop.ERROR, solution=None, message=message)
    seconds = {**result.seconds, "check": time.monotonic() - begin}
    return replace(result, seconds=seconds), verdict, figures


def incumbents(run: Run, instance: str, work: Path) -> tuple[list[dict[str, float | None]], int]:
    """Seconds, claimed and checked cost of the incumbents that are priced; how many there were."""
    reported = list(_reported(run, work))
    priced: list[dict[str, float | None]] = []
    for seconds, claimed, decision in _spread(reported):
        if isinstance(decision, Schedule):
            cost = mig_records.price(instance, decision)
        else:
            verdict = _checked(instance_in(instance), decision)
            cost = verdict.objective if verdict is not None and verdict.feasible else None
        priced.append({"seconds": seconds, "claimed": claimed, "objective": cost})
    return priced, len(reported)


def priced_again(run: Run, store: Store) -> float | None:
    """What the decision in a record costs; None if it is infeasible or cannot be checked."""
    record, instance = store.path(run.id), instance_file(store.folder, run.solved_sha256)
    try:
        subject = subject_in(run, str(instance))
        refuse_other(subject, run.solved_sha256, str(instance))
        if isinstance(subject, Instance):
            verdict = check(subject, read_solution(record / SOLUTION).solution)
            return verdict.objective if verdict.feasible else None
        if isinstance(subject, SchedulingProblem):
            schedule = read_schedule(record / SCHEDULE, subject).schedule
            return mig_records.price(str(instance), schedule)
        return simulation_records.again(run, str(instance), record).totals.cost
    except (InputError, OSError, KeyError):
        return None


def _checked(
    instance: Instance,
    decision: Solution,
    objective: float | None = None,
    bound: float | None = None,
) -> Verdict | None:
    """The checker's verdict; None for arrays that it cannot make sense of."""
    try:
        return check(instance, decision, objective=objective, bound=bound)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _reported(run: Run, work: Path) -> Iterator[Reported]:
    """Seconds, claimed cost and decision of each incumbent."""
    lines = [line for line in Events(work).rest() if line["event"] == "incumbent"]
    path = work / INCUMBENTS
    found: Iterator[Solution | Schedule] = decisions(path)
    if run.kind == "mig_scheduling":
        found = mig_schedule.schedules(path)
    for line, decision in zip(lines, found, strict=False):
        yield line["seconds"], line["value"], decision


def _spread(reported: list[Reported]) -> list[Reported]:
    """All, or as many as are priced again, the first and the last among them."""
    last = len(reported) - 1
    if last < MOST_PRICED:
        return reported
    return [reported[round(k * last / (MOST_PRICED - 1))] for k in range(MOST_PRICED)]
