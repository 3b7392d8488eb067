"""
The row of a run, and what the runs of an instance say of each other.

What became of a run is told in two words, for a run may have hit a limit and still have a solution:

    ended     FINISHED        the method returned
              TIMEOUT         at its time limit, or ended after it
              MEMOUT          at its memory limit
              OUTPUT_LIMIT    at its limit of output
              SOLVER_ERROR    the method raised or reported an error, or exited with code 0
              CRASH(what)     the process died: of a signal, or with another exit code
              SKIPPED         not carried out
    quality   OPTIMAL_VERIFIED     feasible, and its own bound is within the gap limit
              FEASIBLE_VERIFIED    feasible
              INFEASIBLE_CLAIMED   the method says that no solution is feasible
              BOUND_ONLY           no solution, but a bound, of a run that completed: a relaxation,
                                   or the references of a simulation
              NO_SOLUTION
              WRONG                fails the check, or a claim is false
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rsjs.core.call import Limits
from rsjs.core.method import with_names
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.rows.columns import COLUMNS, Row
from rsjs.rows.select import VALID, group_by, is_wrong, known, problem
from rsjs.runs import provenance
from rsjs.runs.gap import contradicts, gap, gap_over
from rsjs.runs.kinds.base import kind
from rsjs.runs.process_tree import signal_name

if TYPE_CHECKING:  # rows are made of records, and campaigns, which keep these, of rows
    from rsjs.campaigns.records import Record
    from rsjs.campaigns.run import Run
    from rsjs.instances.check import Verdict
    from rsjs.runs.verified_run import VerifiedRun

LONGEST_MESSAGE = 2000  # characters in a row
GAP_ROUNDING = 1e-9
SUBJECT = ("instance", "instance_sha256", "nodes", "jobs", "method")
ASKED = ("environment", "repetition", "permutation", "solved_sha256", "output_limit_mb")
TERMS = ("tardiness", "postponement", "energy", "idle", "changes")
COSTS = ("objective", "clairvoyant_greedy")  # of solutions and simulations
SHARED = ("best_bound", "gap_to_best", "gap_without_postponement", "gap_over_energy")
PHASES = ("import", "read", "build", "handover", "solve", "extract", "check", "total", "process")
READ_BACK = ("feasibility_tolerance", "integrality_tolerance", "warm_start_sha256")
COUNTS = ("rows", "columns", "nonzeros", "integers", "iterations")
ENDED_BY_STOP = {
    Stop.TIME_LIMIT: "TIMEOUT",
    Stop.MEMORY_LIMIT: "MEMOUT",
    Stop.OUTPUT_LIMIT: "OUTPUT_LIMIT",
    Stop.ERROR: "SOLVER_ERROR",
}
ENDED_BY_US = {"time": "TIMEOUT", "memory": "MEMOUT", "output": "OUTPUT_LIMIT"}
HOW_ENDED = ("FINISHED", "CRASH", *ENDED_BY_STOP.values())


def row_of(record: Record, made_by: Mapping[str, Any] | None) -> Row:
    """Return the row of a record; `made_by` is the file of its session, None if it is lost."""
    run, result, process = record.run, record.result, record.process
    limit, total, clock = run.limits.time_limit, result.seconds.get("total"), process["clock_s"]
    spent = result.seconds.get("import", 0.0) + (total or 0.0)
    row = _ordered(
        {
            **_asked(run),
            **_reported(result, record.verdict),
            **kind(run.kind).columns(run.options, record.figures, record.verdict, result.seconds),
            "rsjs_version": record.rsjs_version,
            "solver_version": record.solver_version,
            "ended": ended(result, process),
            "quality": None,
            "claimed_objective": result.objective,
            "bound_source": result.bound_source,
            "bound_variant": result.bound_variant,
            "objective_at_limit": _at_limit(record),
            "incumbents": record.incumbents_reported,
            "false_incumbents": sum(
                cost is None or abs(cost - claimed) > TOLERANCE * abs(cost) + ROUNDING
                for one in record.incumbents
                for cost, claimed in [(one["objective"], one["claimed"])]
            ),
            "overshoot_s": None if clock is None else max(0.0, clock - limit),
            "overhead_s": None if total is None else process["whole_s"] - spent,
            **process,
            "cores": " ".join(map(str, process["cores"])),
            **{name: result.counts.get(name) for name in COUNTS},
            "search_nodes": result.counts.get("nodes"),
            "options": json.dumps(dict(result.options), sort_keys=True),
            "session": record.session,
            **_surroundings(run, made_by or {}),
        }
    )
    row["quality"] = quality(row)
    return row


def skipped_row(run: Run, reason: str) -> Row:
    """Return the row of a run that was not carried out: what was asked, and why not."""
    return _ordered({**_asked(run), "message": reason, "ended": "SKIPPED"})


def summary(record: Record) -> dict[str, Any]:
    """Return what is shown of a run as it ends."""
    row = row_of(record, None)
    names = ("ended", "quality", "stop", "objective", "own_gap", "total_s", "whole_s", "message")
    return {name: row.get(name) for name in names}


def rows(outcomes: Sequence[VerifiedRun], limits: Limits) -> list[Row]:
    """Return one row per run made here, with its provenance and the best bound of its instance."""
    table = []
    for one in outcomes:
        nodes, jobs = one.kind.size(one.problem)
        row = {
            "instance": one.problem.name,
            "instance_sha256": one.problem.digest,
            "nodes": nodes,
            "jobs": jobs,
            "method": with_names(one.method),
            **_limited(limits),
            **_reported(one.result, one.verdict),
            "solver_version": one.solver_version,
            **one.kind.columns({}, one.figures, one.verdict, one.result.seconds),
            **provenance.stamp(),
        }
        table.append(_ordered(row))
    share_bounds(table)
    return table


def _ordered(values: Mapping[str, Any]) -> Row:
    """Return a row in the order of the columns, without what no column is declared for."""
    return cast(Row, {name: values[name] for name in COLUMNS if name in values})


def _limited(limits: Limits) -> dict[str, Any]:
    own = {"time_limit": limits.time_limit, "gap_limit": limits.gap}
    return {**own, "threads": limits.threads, "seed": limits.seed}


def _asked(run: Run) -> dict[str, Any]:
    asked = {name: getattr(run, name) for name in (*SUBJECT, *ASKED)}
    limits = {**_limited(run.limits), "memory_limit_mb": run.limits.memory_limit_mb}
    plugins = {} if run.plugins is None else {"plugins": run.plugins}
    names = {"run_id": run.id, "spelling": run.method, "timing": run.timing_class}
    asked["method"] = run.shown
    return {**asked, **limits, **plugins, **names}


def _reported(result: SolveResult, verdict: Verdict | None) -> dict[str, Any]:
    """Return what a method reports and the checker says; other runs are not known here."""
    objective = verdict.objective if verdict is not None and verdict.feasible else None
    terms = (verdict and verdict.terms) or {}
    violations = () if verdict is None else verdict.violations
    status = "no_solution" if verdict is None else "ok" if verdict.feasible else "infeasible"
    if violations and all(one.constraint.startswith("claimed_") for one in violations):
        status = "wrong"
    bound = result.bound if result.bound_variant in VALID else None
    message = "; ".join([result.message, *map(str, violations)]).strip("; ")
    if (more := len(message) - LONGEST_MESSAGE) > 0:
        message = f"{message[:LONGEST_MESSAGE]} ... {more} characters left out"
    return {
        "stop": result.stop.value,
        "status": status,
        "objective": objective,
        **{name: terms.get(name) for name in TERMS},
        "bound": bound,
        "own_gap": gap(objective, bound),
        **dict.fromkeys(SHARED),
        **{name: verdict.counts.get(name) if verdict else None for name in ("executed", "late")},
        **{f"{phase}_s": result.seconds.get(phase) for phase in PHASES},
        "peak_memory_mb": result.peak_memory_mb,
        **{name: result.options.get(name) for name in READ_BACK},
        "message": message,
    }


def _surroundings(run: Run, session: Mapping[str, Any]) -> dict[str, Any]:
    environment = session.get("environments", {}).get(run.environment, {})
    machine = session.get("machine", {})
    return {
        "commit": session.get("commit"),
        "dirty": session.get("dirty"),
        "python_version": environment.get("python"),
        "environment_sha256": environment.get("sha256"),
        **{name: machine.get(name) for name in ("host", "cpu_model", "hardware_threads")},
        **{name: _sum(session.get(name)) for name in ("calibration_before", "calibration_after")},
    }


def _sum(parts: Mapping[str, float | None] | None) -> float | None:
    known = [seconds for seconds in (parts or {}).values() if seconds is not None]
    return sum(known) if known else None


def _at_limit(record: Record) -> float | None:
    limit, verdict = record.run.limits.time_limit, record.verdict
    known = [found["objective"] for found in record.incumbents if found["seconds"] <= limit]
    if verdict is not None and verdict.feasible:
        in_time = record.result.seconds.get("total", limit + 1) <= limit
        known += [verdict.objective] if in_time else []
    return min((cost for cost in known if cost is not None), default=None)


def ended(result: SolveResult, process: Mapping[str, Any]) -> str:
    """Return how a run ended; `process` as in result.json."""
    if process["end"] in ENDED_BY_US:
        return ENDED_BY_US[process["end"]]
    code = process["returncode"]
    if process["end"] == "lost":
        return "CRASH(watcher)"
    if code:
        return f"CRASH({signal_name(-code) if code < 0 else code})"
    return ENDED_BY_STOP.get(result.stop, "FINISHED")


def quality(row: Row) -> str:
    """Return what a run has, from its row; to be asked again when bounds have been shared."""
    if row["status"] in ("wrong", "infeasible"):
        return "WRONG"
    if row["status"] == "ok":
        own, limit = known(row, "own_gap"), known(row, "gap_limit")
        proved = own is not None and limit is not None and own <= limit + GAP_ROUNDING
        return "OPTIMAL_VERIFIED" if proved else "FEASIBLE_VERIFIED"
    if row["stop"] == Stop.INFEASIBLE:
        return "INFEASIBLE_CLAIMED"
    completed = row["stop"] not in (*ENDED_BY_STOP, Stop.INTERRUPTED)
    return "BOUND_ONLY" if completed and known(row, "bound") is not None else "NO_SOLUTION"


def share_bounds(rows: Sequence[Row]) -> None:
    """Give the rows of each problem its best valid bound and the gaps to it."""
    for group in group_by(rows, problem).values():
        costs = [cost for row in group for key in COSTS if (cost := known(row, key)) is not None]
        least = min(costs, default=None)
        for row in group:
            bound = known(row, "bound")
            if contradicts(least, bound):
                row["status"] = "wrong"
                told = row.get("message") or ""
                row["message"] = f"{told}; bound {bound:g} above a cost reached, {least:g}"
        valid = [known(row, "bound") for row in group if not is_wrong(row)]
        best = max((bound for bound in valid if bound is not None), default=None)
        for row in group:
            cost, postponement = known(row, "objective"), known(row, "postponement")
            row["best_bound"] = best
            row["gap_to_best"] = gap(cost, best)
            if cost is not None and postponement is not None:
                row["gap_without_postponement"] = gap_over(cost, best, cost - postponement)
                row["gap_over_energy"] = gap_over(cost, best, known(row, "energy"))
