"""What a row of a comparison says, in words; missing values are one thing, however stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

from rsjs.experiments.simulations import REFERENCES
from rsjs.reporting.formats import count

Row = Mapping[str, Any]
R = TypeVar("R", bound=Row)

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
    """Whether the seconds of a run were measured beside other runs."""
    return row.get("timing") == "shared"


def is_simulated(row: Row) -> bool:
    """Whether a row is of a workload."""
    return known(row, "simulation") is not None


def is_reference(row: Row) -> bool:
    """Whether a row has what policies on a workload are compared with, and is of none itself."""
    return is_simulated(row) and str(row["method"]).partition("?")[0] == REFERENCES.name


def competing(rows: Sequence[R]) -> list[R]:
    """The rows of what is compared: those of references only where there are no others."""
    return [row for row in rows if not is_reference(row)] or [*rows]


def executed(row: Row) -> str:
    """Executed jobs out of all."""
    run, jobs = known(row, "executed"), known(row, "jobs")
    if run is None:
        return ""
    return count(run) if jobs is None else f"{count(run)}/{count(jobs)}"


def _word(value: Any) -> str:
    return value.replace("_", " ") if isinstance(value, str) else ""
