"""What a row of a comparison says, in words; missing values are one thing, however stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

from rsjs.reporting.tables.formats import count
from rsjs.runs.kinds.simulation import REFERENCES
from rsjs.runs.provenance import busy_above

Row = Mapping[str, Any]
R = TypeVar("R", bound=Row)

FEW = 0.05  # share of runs with other processes beside them that a ranking by time survives
STATUS = {"ok": "", "wrong": "WRONG", "infeasible": "decision INFEASIBLE"}


def known(row: Row, key: str) -> Any:
    """The value, None where there is none: nan, inf and "" (rows read by pandas) count as none."""
    value = row.get(key)
    if isinstance(value, str):
        return value or None
    return value if isinstance(value, Real) and isfinite(value) else None


def how_it_ended(row: Row) -> str:
    """Stop and status in words: `optimal`, `no solution (time limit)`, `WRONG (gap)`."""
    stop, status = (_word(row.get(key)) for key in ("stop", "status"))
    if (stop, status) == ("infeasible", "no solution"):
        return "problem infeasible"
    told = STATUS.get(status, status)
    return f"{told} ({stop})" if told and stop else told or stop


def is_wrong(row: Row) -> bool:
    """Whether a claim of the row is false or its decision fails the check."""
    return row.get("status") in ("wrong", "infeasible")


def is_shared(row: Row) -> bool:
    """Whether a run was measured beside other runs of its campaign, or in a process of several."""
    return row.get("timing") in ("shared", "batch")


def load_of_others(row: Row, threads: float) -> float | None:
    """Load average beside so many threads, before or after a run; None if it is not recorded."""
    found = [known(row, key) for key in ("load_before", "load_after")]
    return max((load - threads for load in found if load is not None), default=None)


def disturbed(rows: Sequence[R]) -> list[tuple[R, float]]:
    """
    Runs of exclusive campaigns that had other processes beside them, and the load of these.

    A load average holds the run before, too: as many threads as any of the runs had do not count.
    Where the hardware threads of a machine are not recorded, it is taken to have one.
    """
    exclusive = [row for row in rows if row.get("timing") == "exclusive"]
    threads = max((known(row, "threads") or 1 for row in exclusive), default=1)
    loads = [(row, load_of_others(row, threads) or 0.0) for row in exclusive]
    return [(row, load) for row, load in loads if load > busy_above(_hardware_threads(row))]


def are_shared(rows: Sequence[Row]) -> bool:
    """Whether seconds were measured beside others, so that none may be ranked: see `FEW`."""
    return any(map(is_shared, rows)) or len(disturbed(rows)) > FEW * len(rows)


def is_simulated(row: Row) -> bool:
    """Whether a row is of a workload."""
    return known(row, "simulation") is not None


def is_reference(row: Row) -> bool:
    """Whether a row has what policies on a workload are compared with, and is of none itself."""
    return is_simulated(row) and str(row["method"]).partition("?")[0] == REFERENCES.name


def ordered(rows: Sequence[R]) -> list[R]:
    """
    The rows in the one order that tables and the bootstrap start from, however they are stored.

    Small instances first, then by name; the runs of an instance by method, seed and repetition.
    """
    return sorted(rows, key=_place)


def competing(rows: Sequence[R]) -> list[R]:
    """The rows of what is compared: those of references only where there are no others."""
    return [row for row in rows if not is_reference(row)] or [*rows]


def executed(row: Row) -> str:
    """Executed jobs out of all."""
    run, jobs = known(row, "executed"), known(row, "jobs")
    if run is None:
        return ""
    return count(run) if jobs is None else f"{count(run)}/{count(jobs)}"


def _hardware_threads(row: Row) -> int:
    return int(known(row, "hardware_threads") or 1)


def _place(row: Row) -> tuple[Any, ...]:
    size = (known(row, "nodes") or 0, known(row, "jobs") or 0)
    names = (str(row.get(key)) for key in ("instance", "instance_sha256", "simulation", "method"))
    return *size, *names, known(row, "seed") or 0, known(row, "repetition") or 1


def _word(value: Any) -> str:
    return value.replace("_", " ") if isinstance(value, str) else ""
