"""
A record as a row: a superset of the rows of `runs.compare`.

Besides the columns of a comparison (where `method` also names the environment and, if the rows
have several, the threads):

    run_id, campaign            the record: runs/<first two digits>/<run_id>
    ended, quality              see `statuses`
    spelling, environment       the method alone; where it ran, "" = where `rsjs run` does
    plugins                     distribution, version and sha256 of the source of each method of
                                another package that it runs, JSON; only where there are such
    repetition, permutation     from 1; 0 = jobs and nodes in the order of the instance
    solved_sha256               the instance in that order; `instance_sha256` is the one as given
    timing                      exclusive, shared: seconds are not for a ranking, or batch: they are
                                of a process that carried out other runs before
    memory_limit_mb, output_limit_mb
    claimed_objective [$], bound_source, bound_variant
    objective_at_limit [$]      least cost that the checker confirms of what was known at the limit
    incumbents, false_incumbents    reported; of those priced again, not worth what was claimed
    overshoot_s                 from the limit to the end of the process, 0 if it kept the limit
    cpu_s                       of all processes of the run, user and system
    overhead_s                  of all that was done for the run: neither imports, nor compiling,
                                nor the method
    whole_s                     all that was done for the run
    returncode, cores, strays   of the worker; pinned to; processes that it left behind
    load_before, load_after     load averages over the last minute
    rows, columns, nonzeros, integers, search_nodes, iterations     as far as they apply
    options                     as read back from the solver, JSON
    begun, session              UTC; the `rsjs run` that made the row
    commit, dirty, python_version, environment_sha256, host, cpu_model, hardware_threads
    calibration_before, calibration_after [s]    sums of the parts of `calibration`
    and those of its kind, see `rsjs.runs.kinds`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.statuses import ended, own_row, quality
from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.runs.compare import Row

SURROUNDINGS = (  # of the session
    "commit",
    "dirty",
    "python_version",
    "environment_sha256",
    "host",
    "cpu_model",
    "hardware_threads",
    "calibration_before",
    "calibration_after",
)
COUNTS = ("rows", "columns", "nonzeros", "integers", "iterations")


def row_of(record: Record, made_by: Mapping[str, Any] | None) -> Row:
    """The row of a record; `made_by` is the file of its session, None if it cannot be read."""
    run, result, process = record.run, record.result, record.process
    own = own_row(record)
    seconds = result.seconds
    spent = sum(seconds.get(phase, 0.0) for phase in ("import", "total"))
    overshoot = None if process["clock_s"] is None else process["clock_s"] - run.limits.time_limit
    return {
        **own,
        **_asked(run),
        "ended": ended(result, process),
        "quality": quality(own),
        "claimed_objective": result.objective,
        "bound_source": result.bound_source,
        "bound_variant": result.bound_variant,
        "objective_at_limit": _at_limit(record),
        "incumbents": record.incumbents_reported,
        "false_incumbents": sum(map(_is_false, record.incumbents)),
        "overshoot_s": None if overshoot is None else max(0.0, overshoot),
        "cpu_s": process["cpu_s"],
        "overhead_s": process["whole_s"] - spent if "total" in seconds else None,
        "whole_s": process["whole_s"],
        "returncode": process["returncode"],
        "cores": " ".join(map(str, process["cores"])),
        "strays": process["strays"],
        "load_before": process["load_before"],
        "load_after": process["load_after"],
        **{name: result.counts.get(name) for name in COUNTS},
        "search_nodes": result.counts.get("nodes"),
        "options": json.dumps(dict(result.options), sort_keys=True),
        "begun": process["begun"],
        "session": record.session,
        **(dict.fromkeys(SURROUNDINGS) if made_by is None else _surroundings(run, made_by)),
    }


def _surroundings(run: Run, made_by: Mapping[str, Any]) -> Row:
    environment = made_by["environments"].get(run.environment, {})
    told = (
        made_by["commit"],
        made_by["dirty"],
        environment.get("python"),
        environment.get("sha256"),
        made_by["machine"].get("host"),
        made_by["machine"].get("cpu_model"),
        made_by["machine"].get("hardware_threads"),
        _sum(made_by["calibration_before"]),
        _sum(made_by["calibration_after"]),
    )
    return dict(zip(SURROUNDINGS, told, strict=True))


def _asked(run: Run) -> Row:
    return {
        "run_id": run.id,
        "spelling": run.method,
        "environment": run.environment,
        "repetition": run.repetition,
        "permutation": run.permutation,
        "solved_sha256": run.solved_sha256,
        "timing": run.timing_class,
        "memory_limit_mb": run.limits.memory_limit_mb,
        "output_limit_mb": run.output_limit_mb,
        **({} if run.plugins is None else {"plugins": run.plugins}),
    }


def skipped_row(run: Run, reason: str) -> Row:
    """The row of a run that was not carried out: what was asked, and why not."""
    return {
        "instance": run.instance,
        "instance_sha256": run.instance_sha256,
        "nodes": run.nodes,
        "jobs": run.jobs,
        "method": run.method,
        **_asked(run),
        "time_limit": run.limits.time_limit,
        "gap_limit": run.limits.gap,
        "threads": run.limits.threads,
        "seed": run.limits.seed,
        "message": reason,
        "ended": "SKIPPED",
    }


def _at_limit(record: Record) -> float | None:
    limit, verdict = record.run.limits.time_limit, record.verdict
    known = [found["objective"] for found in record.incumbents if found["seconds"] <= limit]
    if verdict is not None and verdict.feasible:
        in_time = record.result.seconds.get("total", limit + 1) <= limit
        known += [verdict.objective] if in_time else []
    return min((cost for cost in known if cost is not None), default=None)


def _is_false(incumbent: Mapping[str, Any]) -> bool:
    cost, claimed = incumbent["objective"], incumbent["claimed"]
    return cost is None or abs(cost - claimed) > TOLERANCE * abs(cost) + ROUNDING


def _sum(parts: Mapping[str, float | None] | None) -> float | None:
    known = [seconds for seconds in (parts or {}).values() if seconds is not None]
    return sum(known) if known else None
