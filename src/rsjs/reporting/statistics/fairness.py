"""
What makes a comparison unfair: runs of one instance that were not given the same.

Each aspect is a column of the rows, or several of which any may be there. An aspect is *unfair* if
its values differ between the runs of one instance, and a *note* if it differs between instances
only, or if the rows do not tell. Further checks are no equality of a column.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rsjs.core.call import GRACE
from rsjs.reporting.tables.comparison import solver_versions
from rsjs.reporting.tables.formats import counted, measured
from rsjs.rows.columns import Row
from rsjs.rows.select import AnyRow, disturbed, group_by, known, load_of_others


@dataclass(frozen=True)
class Finding:
    """Finding of the fairness audit."""

    aspect: str
    unfair: bool  # favours a method; otherwise a note
    message: str  # one line


MOST_METHODS = 3  # names in a message
FEW_SEEDS = 5
ROUNDING = 1e-9
TAKEN = {  # option of a solver: aspect, and column of what it was to be
    **dict.fromkeys(("threads", "lp/threads", "num_workers"), ("threads", "threads")),
    **dict.fromkeys(("mip_rel_gap", "limits/gap"), ("gap", "gap_limit")),
}
DRIFT = 0.1  # of the seconds of a calibration
SPARE = 0.1  # of a processor, for what runs beside the solver's threads


def by(rows: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    """Return the rows by a value, in order of first appearance; None where there is none."""
    return group_by(rows, lambda row: known(row, key))


def values(rows: Sequence[AnyRow], key: str) -> list[Any]:
    """Return the distinct values of a column, in order of first appearance; None for none."""
    return list(dict.fromkeys(known(row, key) for row in rows))


def differing(rows: Sequence[Row], key: str) -> str:
    """Return on how many instances a value differs, and the first one's: `1 (a, b), 4 (c)`."""
    groups = by(rows, "instance_sha256").values()
    unequal = [group for group in groups if len(values(group, key)) > 1]
    if not unequal:
        return ""
    who = ", ".join(
        f"{shown(value)} ({_listed(values(own, 'method'))})"
        for value, own in by(unequal[0], key).items()
    )
    return f"{counted(len(unequal), 'instance')}: {who}"


def shown(value: Any) -> str:
    """Return a value in a message."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_METHODS
    return ", ".join(names[:MOST_METHODS]) + (f" and {more} more" if more > 0 else "")


def versions(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find solvers that ran in several versions."""
    for solver, several in solver_versions(rows).items():
        if len(several) > 1:
            yield Finding("version", True, f"{solver} in versions {', '.join(several)}")


def coverage(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find methods that were not run on an instance that others were run on."""
    groups = by(rows, "instance_sha256").values()
    for method in values(rows, "method"):
        left = sum(method not in values(group, "method") for group in groups)
        if left:
            message = f"{method} was not run on {left} of {counted(len(groups), 'instance')}"
            yield Finding("instances", False, f"{message}: not ranked")


def seeds(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find instances whose methods ran with unlike seeds, or with too few seeds."""
    unequal: list[Row] = []
    fewest = FEW_SEEDS
    for group in by(rows, "instance_sha256").values():
        of_method = [{*values(own, "seed")} for own in by(group, "method").values()]
        fewest = min(fewest, *map(len, of_method))
        unequal += group if any(own != of_method[0] for own in of_method) else []
    if unequal:
        yield Finding("seeds", True, f"seeds differ on {differing(unequal, 'seed')}")
    if fewest < FEW_SEEDS:
        told = f"{counted(fewest, 'seed')} for some instance and method"
        yield Finding("seeds", False, f"{told}: {FEW_SEEDS} or more show the luck of one")


def taken(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find options that a solver read back above what its run was given."""
    most: dict[tuple[Any, str], tuple[float, float]] = {}
    for row in rows:
        options = json.loads(known(row, "options") or "{}")
        for name, (_, key) in TAKEN.items():
            found, asked = options.get(name), known(row, key)
            if not isinstance(found, int | float) or asked is None:
                continue  # of a method of the user's own, any word
            if found > asked * (1 + ROUNDING):
                of = row.get("method"), name
                most[of] = max(most.get(of, (found, asked)), (found, asked))
    for (method, name), (found, asked) in most.items():
        message = f"{method} ran with {name} = {shown(found)}, was given {shown(asked)}"
        yield Finding(TAKEN[name][0], True, message)


def overshoot(row: AnyRow) -> float:
    """Return seconds from the time limit to the end; of the method if not known of the process."""
    over = known(row, "overshoot_s")
    return float((known(row, "total_s") or 0.0) - row["time_limit"] if over is None else over)


def overruns(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find methods that continued after their time limit, and whether they may have gained."""
    over = [row for row in rows if overshoot(row) > GRACE]
    for (method, gained), own in group_by(over, lambda row: (row["method"], _gained(row))).items():
        message = f"{method} overran its limit in {counted(len(own), 'run')}"
        message += f", by {measured(max(map(overshoot, own)))} s at most"
        after = "" if gained else ", and gained nothing: no solution after the limit counts"
        yield Finding("time limit", gained, message + after)


def _gained(row: Row) -> bool:
    cost, at_limit = known(row, "objective"), known(row, "objective_at_limit")
    if row.get("status") == "no_solution":
        return False
    return cost is None or at_limit is None or cost < at_limit


def processor(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find methods that used more processors than they were given threads: cpu / wall > threads."""
    for method, own in by(rows, "method").items():
        found = [
            [known(row, key) or 0.0 for key in ("cpu_s", "process_s", "threads")] for row in own
        ]
        used = [
            cpu / wall
            for cpu, wall, threads in found
            if wall and threads and cpu / wall > threads + SPARE
        ]
        if used:
            message = f"{method} used up to {measured(max(used))} processors"
            yield Finding("threads", True, f"{message}, more than its threads")


def timing(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find runs that shared the machine, or their process."""
    classes = {"shared": "beside other runs", "batch": "in processes of several runs"}
    for where in [words for name, words in classes.items() if name in values(rows, "timing")]:
        message = f"seconds were measured {where}: not fit for a ranking by time"
        yield Finding("timing class", False, message)


def loaded(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find exclusive runs that had other processes beside them."""
    exclusive = [row for row in rows if row.get("timing") == "exclusive"]
    silent = [row for row in exclusive if load_of_others(row, 0) is None]
    if silent:
        left = f"{counted(len(silent), 'run')} of {len(exclusive)}"
        yield Finding("load", False, f"load_before and load_after not recorded for {left}")
    if found := disturbed(rows):
        row, load = max(found, key=lambda pair: pair[1])
        cores = known(row, "hardware_threads")
        where = f" on {counted(int(cores), 'hardware thread')}" if cores else ""
        message = f"{len(found)} of {counted(len(exclusive), 'exclusive run')} beside other"
        told = f"{message} processes, whose load was up to {load:.1f}{where}"
        # as with all aspects: what every run had favours no method, and its seconds rank nothing
        yield Finding("load", len(found) < len(exclusive), told)


def calibrated(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find machines whose calibration differs before, between and after exclusive runs."""
    exclusive = [row for row in rows if row.get("timing") == "exclusive"]
    keys = ("calibration_before", "calibration_after")
    silent = sum(any(known(row, key) is None for key in keys) for row in exclusive)
    if silent:
        left = f"{counted(silent, 'run')} of {len(exclusive)}"
        yield Finding("calibration", False, f"not recorded before and after {left}")
    for host, own in by(exclusive, "host").items():
        every = [known(row, key) for row in own for key in keys]
        seconds = [value for value in every if value is not None]
        if seconds and max(seconds) > (1 + DRIFT) * min(seconds):
            ends = f"from {measured(min(seconds))} to {measured(max(seconds))} s"
            where = f" on {host}" if host else ""
            yield Finding("calibration", True, f"the machine's speed changed{where}: {ends}")


def commits(rows: Sequence[Row]) -> Iterator[Finding]:
    """Find runs of a working tree with uncommitted changes."""
    changed = sum(str(known(row, "dirty")) == "True" for row in rows)
    if changed:
        message = f"{counted(changed, 'run')} of code with changes that no commit holds"
        yield Finding("version", False, message)


@dataclass(frozen=True)
class Aspect:
    """Setting that the runs of an instance should share."""

    name: str
    keys: tuple[str, ...]  # columns of the rows that tell it
    # what an empty field means: not recorded, none was given (a warm start, a memory limit), or
    # does not apply (a tolerance of a method without a solver)
    missing: Literal["unknown", "a value", "ignored"] = "unknown"


ASPECTS = (
    Aspect("threads", ("threads",)),
    Aspect("gap", ("gap_limit",)),
    Aspect("tolerance", ("feasibility_tolerance", "integrality_tolerance"), "ignored"),
    Aspect("time limit", ("time_limit",)),
    Aspect("memory limit", ("memory_limit_mb",), "a value"),
    Aspect("hardware", ("cpu_model", "host")),
    Aspect("warm start", ("warm_start_sha256",), "a value"),
    Aspect("timing class", ("timing",)),
    Aspect("version", ("rsjs_version", "commit")),
)


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Return all findings on the rows of one comparison, what is unfair first."""
    found = [finding for aspect in ASPECTS for finding in _of_aspect(aspect, rows)]
    checks = (versions, coverage, seeds, taken, overruns, processor, timing, loaded)
    for check in (*checks, calibrated, commits):
        found += check(rows)
    return sorted(found, key=lambda finding: not finding.unfair)


def _of_aspect(aspect: Aspect, rows: Sequence[Row]) -> Iterator[Finding]:
    keys = [key for key in aspect.keys if any(key in row for row in rows)]
    if not keys:
        yield Finding(aspect.name, False, f"not recorded (column {' or '.join(aspect.keys)})")
    for key in keys:
        told = [row for row in rows if known(row, key) is not None or aspect.missing == "a value"]
        if aspect.missing == "unknown" and len(told) < len(rows):
            left = counted(len(rows) - len(told), "run")
            yield Finding(aspect.name, False, f"{key} not recorded for {left} of {len(rows)}")
        if unequal := differing(told, key):
            yield Finding(aspect.name, True, f"{key} differs on {unequal}")
        elif len(several := values(told, key)) > 1:
            message = f"{key} differs between instances: {', '.join(map(shown, several))}"
            yield Finding(aspect.name, False, message)
