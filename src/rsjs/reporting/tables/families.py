"""The family of an instance, which the methods that serve it depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rsjs.instances.instance import FAMILIES
from rsjs.reporting.tables.select import Row
from rsjs.reporting.tables.units import is_schedule

MIG, OTHER = "mig", "other"
NAMES = (*FAMILIES, MIG, OTHER)
R = TypeVar("R", bound=Row)


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
    return head if head in NAMES else OTHER


def by_family(rows: Sequence[R]) -> dict[str, list[R]]:
    """The rows of each family that there is, in the order of the catalogue."""
    groups: dict[str, list[R]] = {name: [] for name in NAMES}
    for row in rows:
        groups[family_of(row)].append(row)
    return {name: group for name, group in groups.items() if group}
