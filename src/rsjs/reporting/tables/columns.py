"""The columns of a comparison, declared once for the terminal, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from textwrap import wrap
from typing import Literal

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.labels import folded
from rsjs.reporting.tables.select import Row, executed, how_it_ended, known

SHORT_HEADING = 7  # characters that fit above any number
LONGEST_LINE, LONGEST_NAME = 16, 28  # characters of words and of names in a cell


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One column.

    Attributes
    ----------
    key : str
        Key of the row.
    heading, unit : str
    part : "instance" | "method" | "cost" | "effort"
        What it tells of: LaTeX prints costs and effort as two tables, instances as headings.
    rank : int
        Columns of a high rank are the first to go when a terminal is narrow; rank 0 stays.
    number : function of a number to str, or None
        None = text.
    text_of : function of a row, optional
        For text that is more than the value of `key`.
    latex : str
        Heading in LaTeX, if another.
    """

    key: str
    heading: str
    unit: str = ""
    part: Literal["instance", "method", "cost", "effort"]
    rank: int
    number: Callable[[float], str] | None = None
    text_of: Callable[[Row], str] | None = None
    latex: str = ""

    @property
    def align(self) -> Literal["left", "right"]:
        """Numbers to the right."""
        return "left" if self.part in ("instance", "method") and self.number is None else "right"

    @property
    def full_heading(self) -> str:
        """Heading with unit."""
        return f"{self.heading} [{self.unit}]" if self.unit else self.heading

    def heading_lines(self, heading: str = "") -> list[str]:
        """The same, or another heading with the same unit, on several short lines."""
        heading = heading or self.heading
        lines = wrap(heading, max(SHORT_HEADING, *map(len, heading.split())))
        return [*lines, f"[{self.unit}]"] if self.unit else lines

    def cell_lines(self, row: Row) -> list[str]:
        """The cell's text; long names and what is in parentheses on lines of their own."""
        shown = self.cell(row)
        if self.key in ("instance", "method"):
            return folded(shown, LONGEST_NAME)
        if self.key == "stop" and len(shown) > LONGEST_LINE:
            return shown.replace(" (", "\n(").split("\n")
        return [shown]

    def cell(self, row: Row) -> str:
        """The cell's text; an en dash where nothing is known."""
        value = known(row, self.key)
        if self.number is not None:
            return self.number(float(value)) if isinstance(value, Real) else MISSING
        text = self.text_of(row) if self.text_of else value if isinstance(value, str) else ""
        return " ".join(text.split()) or MISSING


COLUMNS: Sequence[Column] = (
    Column(key="instance", heading="instance", part="instance", rank=0),
    Column(key="method", heading="method", part="method", rank=0),
    Column(key="stop", heading="ended", part="method", rank=0, text_of=how_it_ended),
    Column(
        key="objective", heading="objective", unit="$", part="cost", rank=0, number=formats.cost
    ),
    Column(
        key="tardiness",
        heading="tardiness",
        latex="tard.",
        unit="$",
        part="cost",
        rank=9,
        number=formats.term,
    ),
    Column(
        key="postponement",
        heading="postponement",
        latex="postp.",
        unit="$",
        part="cost",
        rank=6,
        number=formats.term,
    ),
    Column(key="energy", heading="energy", unit="$", part="cost", rank=7, number=formats.term),
    Column(key="idle", heading="idle", unit="$", part="cost", rank=10, number=formats.term),
    Column(key="bound", heading="bound", unit="$", part="cost", rank=4, number=formats.cost),
    Column(
        key="best_bound",
        heading="best bound",
        unit="$",
        part="instance",
        rank=8,
        number=formats.cost,
    ),
    Column(key="gap", heading="own gap", unit="%", part="cost", rank=5, number=formats.percent),
    Column(key="gap_to_best", heading="gap", unit="%", part="cost", rank=0, number=formats.percent),
    Column(
        key="gap_without_postponement",
        heading="gap w/o postp.",
        unit="%",
        part="cost",
        rank=3,
        number=formats.percent,
    ),
    Column(
        key="gap_over_energy",
        heading="gap over energy",
        unit="%",
        part="cost",
        rank=14,
        number=formats.percent,
    ),
    Column(key="executed", heading="jobs run", part="effort", rank=2, text_of=executed),
    Column(
        key="build_s", heading="build", unit="s", part="effort", rank=12, number=formats.measured
    ),
    Column(
        key="solve_s", heading="solve", unit="s", part="effort", rank=13, number=formats.measured
    ),
    Column(
        key="total_s", heading="total", unit="s", part="effort", rank=1, number=formats.measured
    ),
    Column(
        key="peak_memory_mb",
        heading="memory",
        unit="MB",
        part="effort",
        rank=11,
        number=formats.measured,
    ),
)
