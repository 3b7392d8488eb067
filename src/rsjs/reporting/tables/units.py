"""
Families of instances, the unit of their objectives, and which of their runs is best.

Objectives are in $; those of schedules on MIG instances are the plain number of their first stage,
minutes or jobs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from rsjs.instances.instance import FAMILIES
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.select import Row, known, ordered
from rsjs.reporting.tables.table import Column
from rsjs.runs.gap import ties

DOLLARS = "$"
MIG, OTHER = "mig", "other"
FAMILY_NAMES = (*FAMILIES, MIG, OTHER)
R = TypeVar("R", bound=Row)


def is_schedule(row: Row) -> bool:
    """Whether a row is of a scheduling problem on MIG instances."""
    return known(row, "goal") is not None


def stages(row: Row) -> list[float]:
    """What a decision is judged by: the stages of a schedule, the cost of any other."""
    found: list[float] = json.loads(known(row, "stages") or "[]")
    return found or [row["objective"]]


def best_row(rows: Sequence[R]) -> R | None:
    """
    The run of the least verified cost, stage by stage of a schedule; None without a verified one.

    Of costs that tie (see `rsjs.runs.gap.ties`) the first in the order of `select.ordered`.
    """
    priced = [row for row in ordered(rows) if known(row, "objective") is not None]
    verified = [row for row in priced if row["status"] == "ok"]
    least = min(verified, key=stages, default=None)
    return next((row for row in verified if is_best(row, least)), None)


def is_best(row: Row, best: Row | None) -> bool:
    """Whether a run is verified and its cost ties with that of `best_row`."""
    if best is None or row["status"] != "ok" or known(row, "objective") is None:
        return False
    return all(map(ties, stages(row), stages(best)))


def unit(rows: Sequence[Row]) -> str:
    """$; nothing if all rows are of schedules."""
    return "" if all(map(is_schedule, rows)) else DOLLARS


def number(rows: Sequence[Row]) -> Callable[[float], str]:
    """How objectives and bounds are shown."""
    return formats.plain if all(map(is_schedule, rows)) else formats.cost


def headed(heading: str, rows: Sequence[Row]) -> str:
    """A heading with the unit."""
    found = unit(rows)
    return f"{heading} [{found}]" if found else heading


def column(key: str, heading: str, rows: Sequence[Row]) -> Column:
    """A column of objectives or bounds."""
    return Column(key, heading, number(rows), unit=unit(rows))


def shown(value: float | None, row: Row) -> str:
    """One objective or bound of a row with its unit; a dash where nothing is known."""
    if value is None:
        return formats.MISSING
    return f"{number([row])(value)} {unit([row])}".rstrip()


def family_of(row: Row) -> str:
    """
    The family that the name of a row's instance begins with; `other` for names of another form.

    Whatever its name, a scheduling problem on MIG instances is of `mig`.

    >>> family_of({"instance": "jahani-table2-base-N2-J10-s1"}), family_of({"instance": "mine"})
    ('jahani', 'other')
    """
    if is_schedule(row):
        return MIG
    head = str(row["instance"]).partition("-")[0]
    return head if head in FAMILY_NAMES else OTHER


def by_family(rows: Sequence[R]) -> dict[str, list[R]]:
    """The rows of each family that there is, in the order of the catalogue."""
    groups: dict[str, list[R]] = {name: [] for name in FAMILY_NAMES}
    for row in rows:
        groups[family_of(row)].append(row)
    return {name: group for name, group in groups.items() if group}
