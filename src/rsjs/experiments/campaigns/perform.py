"""One run of a campaign, from its instance file to its record."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.experiments import launcher, simulations
from rsjs.experiments.campaigns import provenance, record_writing, simulation_records
from rsjs.experiments.campaigns.instance_files import refuse_other
from rsjs.experiments.campaigns.records import Record
from rsjs.experiments.campaigns.runs import Run
from rsjs.experiments.decision_files import decisions
from rsjs.experiments.events import Events
from rsjs.experiments.launcher import Ended
from rsjs.experiments.protocol import Task
from rsjs.experiments.surroundings import End, Grace, Surroundings
from rsjs.instances.check import Verdict, check
from rsjs.instances.files import read_instance
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

# What is found after the limit does not count, so little is lost by not waiting for it.
GRACE = Grace(asked=0.4, ended=0.9)
MOST_PRICED = 1000  # incumbents that are priced again; of more, this many evenly spread

OnEvent = Callable[[dict[str, Any]], None]
instance_in = lru_cache(maxsize=4)(read_instance)


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
    order: Order, work: Path, record: Path, *, alone: bool, on_event: OnEvent | None = None
) -> Record | None:
    """
    Carry out a run and write its record.

    Parameters
    ----------
    work, record : path
        Empty folders: the run's working folder, and where the record goes.
    alone : bool
        See `Surroundings`.

    Returns
    -------
    Record or None
        None if it was interrupted: nothing is written.

    Raises
    ------
    InputError
        If the file holds another instance than the run is for.
    """
    _refuse_other(order)
    begin, begun, load = time.monotonic(), provenance.utc(), provenance.load()
    run, used = order.run, _cpu_seconds()
    task = Task(
        instance=order.instance,
        method=run.method,
        limits=run.limits,
        every_incumbent=True,
        output_limit_mb=run.output_limit_mb,
        simulation=None if run.simulation is None else simulation_records.options_of(run),
    )
    around = Surroundings(python=order.python, alone=alone, inside=True, grace=GRACE)
    ended = launcher.carry_out(task, work, surroundings=around, on_event=on_event)
    if ended.end is End.INTERRUPTED:
        return None
    result, verdict, figures = _verified(order, ended.result, work)
    reported = list(_reported(work))
    made = Record(
        run=run,
        result=result,
        verdict=verdict,
        process={
            **_process(ended, _cpu_seconds() - used if alone else None),
            "whole_s": time.monotonic() - begin,
            "begun": begun,
            "load_before": load,
            "load_after": provenance.load(),
        },
        incumbents=[_priced(order.instance, *found) for found in _spread(reported)],
        incumbents_reported=len(reported),
        figures=figures,
        rsjs_version=order.rsjs_version,
        solver_version=order.solver_version,
        session=order.session,
    )
    record_writing.write(made, record, work / "stderr.txt", work / simulations.LOG)
    return made


def _refuse_other(order: Order) -> None:
    read = instance_in if order.run.simulation is None else simulation_records.workload_in
    refuse_other(read(order.instance), order.run.solved_sha256, order.instance)


def _verified(
    order: Order, result: SolveResult, work: Path
) -> tuple[SolveResult, Verdict | None, dict[str, Any]]:
    """The result with the check among its phases, the verdict, and figures of a simulation."""
    figures: dict[str, Any] = {}
    begin, verdict = time.monotonic(), None
    if order.run.simulation is not None:
        verdict, figures = simulation_records.verified(order.run, order.instance, result, work)
    elif result.solution is not None:
        instance = instance_in(order.instance)
        verdict = _checked(instance, result.solution, result.objective, result.bound)
        if verdict is None:
            message = "the decision cannot be checked"
            result = replace(result, stop=Stop.ERROR, solution=None, message=message)
    seconds = {**result.seconds, "check": time.monotonic() - begin}
    return replace(result, seconds=seconds), verdict, figures


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


def _reported(work: Path) -> Iterator[tuple[float, float, Solution]]:
    """Seconds, claimed cost and decision of each incumbent."""
    lines = [line for line in Events(work).new() if line["event"] == "incumbent"]
    for line, decision in zip(lines, decisions(work / "incumbents.npy"), strict=False):
        yield line["seconds"], line["value"], decision


def _spread(reported: list[tuple[float, float, Solution]]) -> list[tuple[float, float, Solution]]:
    """All, or as many as are priced again, the first and the last among them."""
    last = len(reported) - 1
    if last < MOST_PRICED:
        return reported
    return [reported[round(k * last / (MOST_PRICED - 1))] for k in range(MOST_PRICED)]


def _priced(
    instance: str, seconds: float, claimed: float, decision: Solution
) -> dict[str, float | None]:
    verdict = _checked(instance_in(instance), decision)
    feasible = verdict is not None and verdict.feasible
    cost = verdict.objective if verdict is not None and feasible else None
    return {"seconds": seconds, "claimed": claimed, "objective": cost}


def _process(ended: Ended, cpu_seconds: float | None) -> dict[str, Any]:
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
