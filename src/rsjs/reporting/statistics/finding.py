"""One finding of the fairness linter, and the groups and words that its checks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rsjs.reporting.rows import Row, known

MOST_METHODS = 3  # names in a message


@dataclass(frozen=True)
class Finding:
    """
    One thing that a reader of the comparison must know.

    Attributes
    ----------
    aspect : str
    unfair : bool
        Whether it favours a method; otherwise a note.
    message : str
        One line.
    """

    aspect: str
    unfair: bool
    message: str


def by_instance(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each instance."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.get("instance_sha256"), []).append(row)
    return list(groups.values())


def values(rows: Sequence[Row], key: str) -> list[Any]:
    """Distinct values of a column, in order of first appearance; None where there is none."""
    return list(dict.fromkeys(known(row, key) for row in rows))


def who(group: Sequence[Row], key: str) -> str:
    """Each value on one instance with the methods that had it: `1 (a, b), 4 (c)`."""
    of_value: Mapping[Any, list[str]] = {value: [] for value in values(group, key)}
    for row in group:
        of_value[known(row, key)].append(str(row.get("method")))
    return ", ".join(f"{shown(value)} ({_listed(names)})" for value, names in of_value.items())


def shown(value: Any) -> str:
    """A value in a message."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _listed(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - MOST_METHODS
    return ", ".join(distinct[:MOST_METHODS]) + (f" and {more} more" if more > 0 else "")
