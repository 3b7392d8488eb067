"""What the checker says of a run: of its solution, and of the incumbents that it reported."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.campaigns.instance_store import instance_file, refuse_other
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult
from rsjs.runs.kinds.base import Kind, Verified, kind
from rsjs.runs.task_files import INCUMBENTS, all_events

MOST_PRICED = 1000  # incumbents that are priced again; of more, this many evenly spread

Reported = tuple[float, float, Any]


@lru_cache(maxsize=4)
def _read(name: Kind, instance: str) -> Any:
    return kind(name).read(instance)


def problem_in(run: Run, instance: str) -> Any:
    """
    Return what the file of a run's instance holds.

    Raises
    ------
    InputError
        If it is another instance than the run is for.
    """
    problem = _read(run.kind, instance)
    refuse_other(problem, run.solved_sha256, instance)
    return problem


def verified(run: Run, instance: str, result: SolveResult, work: Path) -> Verified:
    """
    Verify what a worker left in its folder, and write the solution's file there.

    Parameters
    ----------
    instance : str
        Path of its file.
    """
    begin, own, problem = time.monotonic(), kind(run.kind), problem_in(run, instance)
    found = own.verify(problem, run.method, run.options, result, work)
    seconds = {**found.result.seconds, "check": time.monotonic() - begin}
    own.save(problem, run.method, found, work / own.solution_file)
    return replace(found, result=replace(found.result, seconds=seconds))


def incumbents(run: Run, instance: str, work: Path) -> tuple[list[dict[str, float | None]], int]:
    """Return seconds, claimed and checked cost of the incumbents priced; how many there were."""
    reported = list(_reported(run, work))
    problem, price = problem_in(run, instance), kind(run.kind).price
    priced: list[dict[str, float | None]] = [
        {"seconds": seconds, "claimed": claimed, "objective": price(problem, solution)}
        for seconds, claimed, solution in _spread(reported)
    ]
    return priced, len(reported)


def priced_again(run: Run, store: Store) -> float | None:
    """Return what the solution in a record costs; None if it is infeasible or not readable."""
    own, instance = kind(run.kind), instance_file(store.folder, run.solved_sha256)
    solution = store.path(run.id) / own.solution_file
    try:
        problem = problem_in(run, str(instance))
        return own.price_file(problem, run.method, run.options, solution)
    except (InputError, OSError, KeyError):
        return None


def _reported(run: Run, work: Path) -> Iterator[Reported]:
    """Seconds, claimed cost and solution of each incumbent."""
    lines = [line for line in all_events(work) if line["event"] == "incumbent"]
    for line, solution in zip(lines, kind(run.kind).incumbents(work / INCUMBENTS), strict=False):
        yield line["seconds"], line["value"], solution


def _spread(reported: list[Reported]) -> list[Reported]:
    """All, or as many as are priced again, the first and the last among them."""
    last = len(reported) - 1
    if last < MOST_PRICED:
        return reported
    return [reported[round(k * last / (MOST_PRICED - 1))] for k in range(MOST_PRICED)]
