"""
One run of a campaign, from its instance file to its record.

The record of a run whose watcher died, time and again: something must tell that it was tried.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rsjs.campaigns import record_writing, verification
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.core.report import SolveResult, Stop
from rsjs.runs import provenance
from rsjs.runs.kinds.base import Verified, kind
from rsjs.runs.supervisor import Batch, End, Supervisor
from rsjs.runs.task_files import Task

OnEvent = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class Order:
    """
    A run, and what is needed to carry it out on this machine.

    Attributes
    ----------
    run : Run
    instance : str
        Path of the instance file.
    python : str
        The interpreter of the run's environment.
    rsjs_version : str
    solver_version : str or None
    session : str
    """

    run: Run
    instance: str
    python: str
    rsjs_version: str
    solver_version: str | None
    session: str


def perform(
    order: Order,
    work: Path,
    record: Path,
    *,
    alone: bool,
    batch: Batch,
    on_event: OnEvent | None = None,
) -> Record | None:
    """
    Carry out a run and write its record.

    Parameters
    ----------
    work, record : path
        The run's working folder, empty, and where the record goes.
    alone : bool
        See `Supervisor`.
    batch : Batch
        Whose worker carries it out, if it need not have a process of its own.

    Returns
    -------
    Record or None
        None if it was interrupted: nothing is written.

    Raises
    ------
    InputError
        If the file holds another instance than the run is for.
    """
    run = order.run
    verification.problem_in(run, order.instance)
    begin, begun, load = time.monotonic(), provenance.utc(), provenance.load()
    used = _cpu_seconds()
    task = Task(
        instance=order.instance,
        method=run.method,
        limits=run.limits,
        every_incumbent=True,
        output_limit_mb=run.output_limit_mb,
        kind=run.kind,
        options=run.options,
        plugins=None if run.plugins is None else json.loads(run.plugins),
    )
    shared = run.isolation == "batch"
    if not shared:
        batch.end()  # whatever is beside a run counts as its own
    ended = Supervisor(
        folder=work,
        task=task,
        python=order.python,
        alone=alone,
        inside=True,
        on_event=on_event,
        batch=batch if shared else None,
    ).run()
    if ended.end is End.INTERRUPTED:
        return None
    made = Record(
        run=run,
        **_priced(order, ended.result, work),
        process={
            **_process(ended, _cpu_seconds() - used if alone and not shared else None),
            "whole_s": time.monotonic() - begin,
            "begun": begun,
            "load_before": load,
            "load_after": provenance.load(),
        },
        rsjs_version=order.rsjs_version,
        solver_version=order.solver_version,
        session=order.session,
    )
    solution = work / kind(run.kind).solution_file
    record_writing.write(made, record, work / "stderr.txt", solution)
    return made


def _priced(order: Order, result: SolveResult, work: Path) -> dict[str, Any]:
    """What the checker says; a folder in a state that cannot be read is the run's own fault."""
    run, instance = order.run, order.instance
    try:
        found = verification.verified(run, instance, result, work)
        incumbents, reported = verification.incumbents(run, instance, work)
    except OSError as error:
        message = f"{result.message}; what it left cannot be read: {error}"
        wrong = replace(result, stop=Stop.ERROR, solution=None, message=message)
        found, incumbents, reported = Verified(result=wrong), [], 0
    return {
        "result": found.result,
        "verdict": found.verdict,
        "figures": found.figures,
        "incumbents": incumbents,
        "incumbents_reported": reported,
    }


def _process(ended: Supervisor, cpu_seconds: float | None) -> dict[str, Any]:
    return {
        "end": ended.end.value,
        "returncode": ended.returncode,
        "cores": ended.cores,
        "strays": ended.strays,
        "clock_s": ended.clock_seconds,
        "cpu_s": cpu_seconds,
    }


def _cpu_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = os.times()
    return used.children_user + used.children_system


ATTEMPTS = 2  # of a run whose watcher dies


def lost_record(order: Order, attempts: int) -> Record:
    """The record of a run that was begun so often and never came to an end."""
    return Record(
        run=order.run,
        result=SolveResult(
            stop=Stop.ERROR,
            message=f"the process that watches over it died {attempts} times",
        ),
        verdict=None,
        process={
            **dict.fromkeys(("returncode", "clock_s", "cpu_s", "load_before"), None),
            **{"end": "lost", "cores": [], "strays": 0, "load_after": None},
            **{"begun": provenance.utc(), "whole_s": 0.0},
        },
        incumbents=[],
        incumbents_reported=0,
        rsjs_version=order.rsjs_version,
        solver_version=order.solver_version,
        session=order.session,
    )
