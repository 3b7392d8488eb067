"""
The row of a run, and what the runs of an instance say of each other.

What became of a run is told in two words, for a run may have hit a limit and still have a solution:

    ended     FINISHED        the method returned
              TIMEOUT         at its time limit, or ended after it
              MEMOUT          at its memory limit
              OUTPUT_LIMIT    at its limit of output
              SOLVER_ERROR    the method raised or reported an error
              CRASH(what)     the process died: of a signal, or with an exit code
              SKIPPED         not carried out
    quality   OPTIMAL_VERIFIED     feasible, and its own bound is within the gap limit
              FEASIBLE_VERIFIED    feasible
              INFEASIBLE_CLAIMED   the method says that no solution is feasible
              NO_SOLUTION
              WRONG                fails the check, or a claim is false
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rsjs.core.call import Limits
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.rows.columns import COLUMNS, Row
from rsjs.rows.select import by_problem
from rsjs.runs import provenance
from rsjs.runs.gap import contradicts, gap, gap_over
from rsjs.runs.kinds.base import kind

if TYPE_CHECKING:  # rows are made of records, and campaigns, which keep these, of rows
    from rsjs.campaigns.records import Record
    from rsjs.campaigns.run import Run
    from rsjs.instances.check import Verdict
    from rsjs.runs.verified_run import Outcome

LONGEST_MESSAGE = 2000  # characters in a row
GAP_ROUNDING = 1e-9
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
    limit, total = run.limits.time_limit, result.seconds.get("total")
    clock, counts = process["clock_s"], result.counts
    spent = result.seconds.get("import", 0.0) + (total or 0.0)
    row: Row = {
        **_asked(run),
        **_checked(record.result, record.verdict, record.solver_version),
        **kind(run.kind).columns(run.options, record.figures, record.verdict, result.seconds),
        "rsjs_version": record.rsjs_version,
        "ended": ended(result, process),
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
        "cpu_s": process["cpu_s"],
        "overhead_s": None if total is None else process["whole_s"] - spent,
        "whole_s": process["whole_s"],
        "returncode": process["returncode"],
        "cores": " ".join(map(str, process["cores"])),
        "strays": process["strays"],
        "load_before": process["load_before"],
        "load_after": process["load_after"],
        "rows": counts.get("rows"),
        "columns": counts.get("columns"),
        "nonzeros": counts.get("nonzeros"),
        "integers": counts.get("integers"),
        "iterations": counts.get("iterations"),
        "search_nodes": counts.get("nodes"),
        "options": json.dumps(dict(result.options), sort_keys=True),
        "begun": process["begun"],
        "session": record.session,
        **_surroundings(run, made_by),
    }
    row["quality"] = quality(row)
    return cast(Row, {name: row.get(name) for name in COLUMNS if name in row})


def skipped_row(run: Run, reason: str) -> Row:
    """Return the row of a run that was not carried out: what was asked, and why not."""
    return {**_asked(run), "message": reason, "ended": "SKIPPED"}


def summary(record: Record) -> dict[str, Any]:
    """Return what is shown of a run as it ends."""
    row = row_of(record, None)
    names = ("ended", "quality", "stop", "objective", "own_gap", "total_s", "whole_s")
    return {name: row.get(name) for name in names}


def rows(outcomes: Sequence[Outcome], limits: Limits) -> list[Row]:
    """Return one row per run made here, with its provenance and the best bound of its instance."""
    table: list[Row] = []
    for found in outcomes:
        nodes, jobs = found.kind.size(found.problem)
        seconds = found.result.seconds
        row: Row = {
            "instance": found.problem.name,
            "instance_sha256": found.problem.digest,
            "nodes": nodes,
            "jobs": jobs,
            "method": found.method,
            **_limited(limits),
            **_checked(found.result, found.verdict, found.solver_version),
            **found.kind.columns({}, found.figures, found.verdict, seconds),
            **provenance.stamp(),
        }
        table.append(cast(Row, {name: row.get(name) for name in COLUMNS if name in row}))
    share_bounds(table)
    return table


def _asked(run: Run) -> Row:
    row: Row = {
        "instance": run.instance,
        "instance_sha256": run.instance_sha256,
        "nodes": run.nodes,
        "jobs": run.jobs,
        "method": run.method,
        **_limited(run.limits),
        "run_id": run.id,
        "spelling": run.method,
        "environment": run.environment,
        "repetition": run.repetition,
        "permutation": run.permutation,
        "solved_sha256": run.solved_sha256,
        "timing": run.timing_class,
        "memory_limit_mb": run.limits.memory_limit_mb,
        "output_limit_mb": run.output_limit_mb,
    }
    if run.plugins is not None:
        row["plugins"] = run.plugins
    return row


def _limited(limits: Limits) -> Row:
    return {
        "time_limit": limits.time_limit,
        "gap_limit": limits.gap,
        "threads": limits.threads,
        "seed": limits.seed,
    }


def _checked(result: SolveResult, verdict: Verdict | None, solver_version: str | None) -> Row:
    """Return what a method reports and the checker says; other runs are not known here."""
    objective = verdict.objective if verdict is not None and verdict.feasible else None
    terms: Mapping[str, float | None] = (verdict and verdict.terms) or {}
    violations = () if verdict is None else verdict.violations
    status = "no_solution" if verdict is None else "ok" if verdict.feasible else "infeasible"
    if violations and all(one.constraint.startswith("claimed_") for one in violations):
        status = "wrong"
    message = "; ".join([result.message, *map(str, violations)]).strip("; ")
    if (more := len(message) - LONGEST_MESSAGE) > 0:
        message = f"{message[:LONGEST_MESSAGE]} ... {more} characters left out"
    seconds, options = result.seconds, result.options
    return {
        "stop": result.stop.value,
        "status": status,
        "objective": objective,
        "tardiness": terms.get("tardiness"),
        "postponement": terms.get("postponement"),
        "energy": terms.get("energy"),
        "idle": terms.get("idle"),
        "bound": result.bound,
        "best_bound": None,
        "own_gap": gap(objective, result.bound),
        "gap_to_best": None,
        "gap_without_postponement": None,
        "gap_over_energy": None,
        "executed": verdict.counts.get("executed") if verdict else None,
        "import_s": seconds.get("import"),
        "read_s": seconds.get("read"),
        "build_s": seconds.get("build"),
        "handover_s": seconds.get("handover"),
        "solve_s": seconds.get("solve"),
        "extract_s": seconds.get("extract"),
        "check_s": seconds.get("check"),
        "total_s": seconds.get("total"),
        "process_s": seconds.get("process"),
        "peak_memory_mb": result.peak_memory_mb,
        "solver_version": solver_version,
        "feasibility_tolerance": options.get("feasibility_tolerance"),
        "integrality_tolerance": options.get("integrality_tolerance"),
        "warm_start_sha256": options.get("warm_start_sha256"),
        "message": message,
    }


def _surroundings(run: Run, made_by: Mapping[str, Any] | None) -> Row:
    session = made_by or {}
    environment = session.get("environments", {}).get(run.environment, {})
    machine = session.get("machine", {})
    return {
        "commit": session.get("commit"),
        "dirty": session.get("dirty"),
        "python_version": environment.get("python"),
        "environment_sha256": environment.get("sha256"),
        "host": machine.get("host"),
        "cpu_model": machine.get("cpu_model"),
        "hardware_threads": machine.get("hardware_threads"),
        "calibration_before": _sum(session.get("calibration_before")),
        "calibration_after": _sum(session.get("calibration_after")),
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
        return f"CRASH({signal.Signals(-code).name if code < 0 else code})"
    return ENDED_BY_STOP.get(result.stop, "FINISHED")


def quality(row: Row) -> str:
    """Return what a run has, from its row; to be asked again when bounds have been shared."""
    if row["status"] in ("wrong", "infeasible"):
        return "WRONG"
    if row["status"] == "ok":
        own, limit = row["own_gap"], row["gap_limit"]
        proved = own is not None and limit is not None and own <= limit + GAP_ROUNDING
        return "OPTIMAL_VERIFIED" if proved else "FEASIBLE_VERIFIED"
    return "INFEASIBLE_CLAIMED" if row["stop"] == Stop.INFEASIBLE else "NO_SOLUTION"


def share_bounds(rows: Sequence[Row]) -> None:
    """Give the rows of each problem its best valid bound and the gaps to it."""
    for group in by_problem(rows):
        costs = [row["objective"] for row in group if row["objective"] is not None]
        least = min(costs, default=None)
        for row in group:
            bound = row["bound"]
            if bound is not None and least is not None and contradicts(least, bound):
                row["status"] = "wrong"
                row["message"] += f"; bound {bound:g} above a cost reached, {least:g}"
        valid = [r["bound"] for r in group if r["bound"] is not None and r["status"] != "wrong"]
        best = max(valid, default=None)
        for row in group:
            cost, postponement = row["objective"], row["postponement"]
            row["best_bound"] = best
            row["gap_to_best"] = gap(cost, best)
            if cost is not None and postponement is not None:
                row["gap_without_postponement"] = gap_over(cost, best, cost - postponement)
                row["gap_over_energy"] = gap_over(cost, best, row["energy"])
