"""A table of statistics as data: columns, lines and what is to be said below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from rsjs.reporting.tables.formats import MISSING


@dataclass(frozen=True)
class Column:
    """
    Attributes
    ----------
    key : str
        Column of the lines.
    heading : str
    number : function of a number to str, or None
        None = text.
    missing : str
        Shown where there is no number.
    """

    key: str
    heading: str
    number: Callable[[float], str] | None = None
    missing: str = MISSING

    def text(self, value: Any) -> str:
        """A cell; an en dash where nothing is known, unless told otherwise."""
        if self.number is None:
            return str(value) or MISSING
        return self.missing if value is None or not isfinite(value) else self.number(float(value))


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """
    Attributes
    ----------
    name : str
        Of its file.
    title : str
    columns : sequence of Column
    lines : DataFrame
        At full precision.
    notes : sequence of str
        Definitions and warnings.
    """

    name: str
    title: str
    columns: Sequence[Column]
    lines: pd.DataFrame
    notes: Sequence[str] = ()

    def cells(self) -> list[list[str]]:
        """The text of each line."""
        return [
            [column.text(line[column.key]) for column in self.columns]
            for line in self.lines.to_dict("records")
        ]


METHOD = Column("method", "method")


def named(found: pd.DataFrame) -> pd.DataFrame:
    """A table by method as lines with the method in its own column."""
    return found.rename_axis(index="method").reset_index()
