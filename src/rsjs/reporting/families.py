"""The family of an instance, which the methods that serve it depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rsjs.instances.schema import FAMILIES
from rsjs.reporting.rows import Row

OTHER = "other"
R = TypeVar("R", bound=Row)


def family_of(instance: str) -> str:
    """
    The family that an instance's name begins with; `other` for names of another form.

    >>> family_of("jahani-table2-base-N2-J10-s1"), family_of("mine")
    ('jahani', 'other')
    """
    head = instance.partition("-")[0]
    return head if head in FAMILIES else OTHER


def by_family(rows: Sequence[R]) -> dict[str, list[R]]:
    """The rows of each family that there is, in the order of the catalogue."""
    groups: dict[str, list[R]] = {name: [] for name in (*FAMILIES, OTHER)}
    for row in rows:
        groups[family_of(str(row["instance"]))].append(row)
    return {name: group for name, group in groups.items() if group}
