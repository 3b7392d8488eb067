"""
What makes a comparison unfair: runs of one instance that were not given the same.

Each aspect is a column of the rows, or several of which any may be there. An aspect is *unfair* if
its values differ between the runs of one instance, and a *note* if it differs between instances
only, or if the rows do not tell. `fairness_checks` adds what is no equality of a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rsjs.reporting.formats import counted
from rsjs.reporting.rows import Row, known
from rsjs.reporting.statistics.fairness_checks import CHECKS
from rsjs.reporting.statistics.finding import Finding, by_instance, shown, values, who

__all__ = ["ASPECTS", "Aspect", "Finding", "findings"]

Missing = Literal["unknown", "a value", "ignored"]


@dataclass(frozen=True)
class Aspect:
    """
    Something that the runs of an instance should share.

    Attributes
    ----------
    keys : tuple of str
        Columns of the rows that tell it.
    missing : "unknown", "a value" or "ignored"
        What an empty field of such a column means: not recorded, none was given (a warm start, a
        memory limit), or does not apply (a tolerance of a method without a solver).
    """

    name: str
    keys: tuple[str, ...]
    missing: Missing = "unknown"


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
    """All findings on the rows of one comparison, what is unfair first."""
    found = [finding for aspect in ASPECTS for finding in _of_aspect(aspect, rows)]
    found += [finding for check in CHECKS for finding in check(rows)]
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
        unequal = [group for group in by_instance(told) if len(values(group, key)) > 1]
        if unequal:
            message = f"{key} differs on {counted(len(unequal), 'instance')}: "
            yield Finding(aspect.name, True, message + who(unequal[0], key))
        elif len(several := values(told, key)) > 1:
            message = f"{key} differs between instances: {', '.join(map(shown, several))}"
            yield Finding(aspect.name, False, message)
