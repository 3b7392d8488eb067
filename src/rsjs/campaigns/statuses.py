"""
What became of a run, in two words of ours: how it ended, and what it has.

    ended     FINISHED        the method returned
              TIMEOUT         at its time limit, or ended after it
              MEMOUT          at its memory limit
              OUTPUT_LIMIT    at its limit of output
              SOLVER_ERROR    the method raised or reported an error
              CRASH(what)     the process died: of a signal, or with an exit code
              SKIPPED         not carried out
    quality   OPTIMAL_VERIFIED     feasible, and its own bound is within the gap limit
              FEASIBLE_VERIFIED    feasible
              INFEASIBLE_CLAIMED   the method says that no decision is feasible
              NO_SOLUTION
              WRONG                fails the check, or a claim is false

A run may have hit a limit and still have a decision, so the two are told apart. A run *failed* if
it broke down or what it says is false; one that hit a limit, with a decision or without, did not.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from rsjs.campaigns.records import Record
from rsjs.core.report import SolveResult, Stop
from rsjs.runs import compare
from rsjs.runs.compare import Measured, Row

ROUNDING = 1e-9  # of a gap

ENDED_BY_STOP = {
    Stop.TIME_LIMIT: "TIMEOUT",
    Stop.MEMORY_LIMIT: "MEMOUT",
    Stop.OUTPUT_LIMIT: "OUTPUT_LIMIT",
    Stop.ERROR: "SOLVER_ERROR",
}
BROKEN = ("CRASH", "SOLVER_ERROR")
HOW_ENDED = ("FINISHED", "CRASH", *ENDED_BY_STOP.values())
ENDED_BY_US = {"time": "TIMEOUT", "memory": "MEMOUT", "output": "OUTPUT_LIMIT"}


def ended(result: SolveResult, process: Mapping[str, Any]) -> str:
    """How a run ended; `process` as in result.json."""
    if process["end"] in ENDED_BY_US:
        return ENDED_BY_US[process["end"]]
    code = process["returncode"]
    if process["end"] == "lost":
        return "CRASH(watcher)"
    if code:
        return f"CRASH({signal.Signals(-code).name if code < 0 else code})"
    return ENDED_BY_STOP.get(result.stop, "FINISHED")


def quality(row: Row) -> str:
    """What a run has, from its row; to be asked again when bounds have been shared."""
    if row["status"] in ("wrong", "infeasible"):
        return "WRONG"
    if row["status"] == "ok":
        own = row["own_gap"]
        proved = own is not None and own <= row["gap_limit"] + ROUNDING
        return "OPTIMAL_VERIFIED" if proved else "FEASIBLE_VERIFIED"
    return "INFEASIBLE_CLAIMED" if row["stop"] == Stop.INFEASIBLE else "NO_SOLUTION"


def failure(row: Mapping[str, Any]) -> str:
    """Why a run failed, of its row or its summary: `WRONG`, or how it ended; "" if it did not."""
    if row["quality"] == "WRONG":
        return "WRONG"
    how: str = row["ended"]
    return how if how.startswith(BROKEN) else ""


def own_row(record: Record) -> Row:
    """The row of a comparison for a record, of the instance as given."""
    run = record.run
    measured = Measured(
        instance=run.instance,
        instance_sha256=run.instance_sha256,
        nodes=run.nodes,
        jobs=run.jobs,
        method=run.method,
        result=record.result,
        verdict=record.verdict,
        rsjs_version=record.rsjs_version,
        solver_version=record.solver_version,
        kind=run.kind,
        options=run.options,
        figures=record.figures,
    )
    return compare.row(measured, run.limits)


def summary(record: Record) -> dict[str, Any]:
    """What is shown of a run as it ends."""
    row = own_row(record)
    return {
        "ended": ended(record.result, record.process),
        "quality": quality(row),
        "stop": row["stop"],
        "objective": row["objective"],
        "own_gap": row["own_gap"],
        "total_s": row["total_s"],
        "whole_s": record.process["whole_s"],
    }
