"""
What the record of a simulation says, besides what that of every run does.

The worker's log is simulated again where the run is watched, without the policy that made it: each
decision is held to the constraints, and all figures but seconds are those of the second time. As
columns of a row:

    simulation              options of the simulation, JSON
    late                    jobs more than 60 s late
    completed, tardiness_hours, makespan_h, utilisation, longest_queue, decisions, preemptions,
    moves, repeated_epochs, idle_gpu_hours      see `simulation.outcome.Totals`
    gpu_hours               by GPU type, JSON
    decision_median_s, decision_most_s, policy_s    of a decision; of all decisions
    capacity_free_bound, bucket_bound, bucket_hours, clairvoyant_greedy, infinite_cluster
                            see `simulation.references`, in the row of `references` only
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.campaigns.run import Run
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult
from rsjs.instances.check import ROUNDING, TOLERANCE, Verdict, Violation
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.files import read_workload
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.kinds.simulation import FIGURES, LOG
from rsjs.simulation import event_log
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.replay import replay

TOTALS = {  # column: name among the totals
    "late": "late",
    "completed": "completed",
    "tardiness_hours": "tardiness_hours",
    "makespan_h": "makespan",
    "utilisation": "utilisation",
    "longest_queue": "longest_queue",
    "decisions": "decisions",
    "preemptions": "preemptions",
    "moves": "moves",
    "repeated_epochs": "repeated_epochs",
    "idle_gpu_hours": "idle_gpu_hours",
}
SECONDS = {"decision_median_s": "median", "decision_most_s": "most", "policy_s": "total"}

Figures = dict[str, Any]
workload_in = lru_cache(maxsize=2)(read_workload)


def options_of(run: Run) -> dict[str, Any]:
    """The options of the simulation that a run is, with its seed."""
    return {**json.loads(run.simulation or "{}"), "seed": run.limits.seed}


def verified(
    run: Run, workload: str, result: SolveResult, work: Path
) -> tuple[Verdict | None, Figures]:
    """
    The verdict on a simulation, and its figures.

    Parameters
    ----------
    workload : str
        Path of its file.
    work : path
        Where the worker left its files.
    """
    try:
        figures = json.loads(read_bytes(work / FIGURES))
    except (OSError, ValueError, RecursionError):
        figures = {}
    if result.objective is None:
        return None, figures
    try:
        found = again(run, workload, work)
    except InputError as error:
        return _refused(error.pointer, error.value, error.expected), figures
    except KeyError as error:
        return _refused("", f"no key {error}", "a log of rsjs simulate"), figures
    return _verdict(found, result.objective), {**figures, "totals": asdict(found.totals)}


def columns(run: Run, figures: Mapping[str, Any]) -> Figures:
    """The columns of a row."""
    totals, seconds = figures.get("totals", {}), figures.get("seconds_per_decision", {})
    gpu_hours = totals.get("gpu_hours")
    return {
        "simulation": run.simulation,
        **{column: totals.get(name) for column, name in TOTALS.items()},
        "gpu_hours": None if gpu_hours is None else json.dumps(gpu_hours),
        **{column: seconds.get(name) for column, name in SECONDS.items()},
        **figures.get("references", {}),
    }


def again(run: Run, workload: str, work: Path) -> Outcome:
    """The log simulated again; InputError if it is not what was asked for, or does not hold."""
    log = event_log.read(work / LOG)
    asked = Options(**options_of(run)).as_dict()
    for name, found, expected in (
        ("policy", log.run["policy"], run.method),
        ("options", canonical_text(log.run["options"]), canonical_text(asked)),
    ):
        if found != expected:
            raise InputError(f"/{name}", found, f"{expected}, as asked")
    return replay(workload_in(workload), log, checker=False)


def _refused(where: str, found: Any, expected: str) -> Verdict:
    violation = Violation(constraint="log", where=where, found=found, expected=expected)
    return Verdict(feasible=False, violations=(violation,))


def _verdict(found: Outcome, claimed: float) -> Verdict:
    totals = found.totals
    false = abs(totals.cost - claimed) > TOLERANCE * abs(totals.cost) + ROUNDING
    violation = Violation(
        constraint="claimed_objective",
        where="cost of the simulation",
        found=claimed,
        expected=f"{totals.cost!r}",
    )
    return Verdict(
        feasible=not false,
        violations=(violation,) if false else (),
        terms={
            "tardiness": totals.tardiness,
            "postponement": 0.0,
            "energy": totals.energy,
            "idle": 0.0,
        },
        objective=totals.cost,
        counts={"executed": totals.completed, "postponed": totals.jobs - totals.completed},
    )
