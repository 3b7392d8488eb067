"""CSV files by position, every entry checked; errors name file, line, column and value."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from math import inf, isfinite, nextafter
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import most_rows, read_text
from rsjs.instances.io.files import write_bytes


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a file: its number (1 = header), and its entries by column name."""

    file: Path
    line: int
    entries: dict[str, str]

    def error(self, column: str, value: Any, expected: str) -> InputError:
        """Return the error of one entry; its pointer is "/<line>/<column>"."""
        return InputError(f"/{self.line}/{column}", value, expected, self.file)

    def name(self, column: str) -> str:
        """Return the text of an entry that must not be empty."""
        if not self.entries[column]:
            raise self.error(column, "", "a name")
        return self.entries[column]

    def number(self, column: str, *, signed: bool = False) -> float:
        """Return a finite number, >= 0 unless signed."""
        text = self.entries[column]
        expected = "a finite number" if signed else "a finite number >= 0"
        try:
            value = float(text) if text.isascii() and "_" not in text else float("nan")
        except ValueError:
            value = float("nan")
        if not isfinite(value) or (value < 0 and not signed):
            raise self.error(column, text, expected)
        return value

    def positive(self, column: str) -> float:
        """Return a finite number > 0."""
        if (value := self.number(column)) == 0:
            raise self.error(column, self.entries[column], "a finite number > 0")
        return value

    def integer(self, column: str, least: int, most: int) -> int:
        """Return a whole number in a range."""
        value = self.number(column)
        if not (value.is_integer() and least <= value <= most):
            raise self.error(column, self.entries[column], f"a whole number {least} to {most}")
        return int(value)


def read_rows(path: Path, columns: Sequence[str], *, named: bool = False) -> list[Row]:
    """
    Read the lines of a CSV file after the first, which is dropped; empty lines are skipped.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Names for the columns by position; what stands beyond them is ignored.
    named : bool
        Whether the first line must begin with these names.

    Raises
    ------
    InputError
        No such file, not UTF-8, a line with too few columns, no line at all.
    """
    rows = []
    reader = csv.reader(StringIO(read_text(path, encoding="utf-8-sig"), newline=""))
    try:
        header = [name.strip() for name in next(reader, [])]
        for number, (name, expected) in enumerate(zip(header, columns, strict=False), start=1):
            if named and name != expected:
                raise InputError(f"/1/{number}", name, f"the column {expected!r}", path)
        if named and 0 < len(header) < len(columns):
            raise _short(path, 1, header, columns)
        for entries in reader:
            if not entries:
                continue
            if len(entries) < len(columns):
                raise _short(path, reader.line_num, entries, columns)
            by_name = dict(zip(columns, entries, strict=False))
            rows.append(Row(file=path, line=reader.line_num, entries=by_name))
            if len(rows) > most_rows(len(columns)):
                raise _damaged(path, f"more than {len(rows) - 1} lines", "no more than that")
    except csv.Error as error:
        raise _damaged(path, f"{error} in line {reader.line_num}", "CSV text") from None
    if not rows:
        raise _damaged(path, "no line after the first", "at least one")
    return rows


def write_rows(path: Path, columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file; floats in their shortest form that reads back exactly."""
    out = StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)
    write_bytes(out.getvalue().encode(), path)


def unique(rows: Sequence[Row], column: str) -> tuple[str, ...]:
    """Return the names in a column; none may stand twice."""
    seen: set[str] = set()
    for row in rows:
        if (name := row.name(column)) in seen:
            raise row.error(column, name, "a name that no line before has")
        seen.add(name)
    return tuple(row.entries[column] for row in rows)


def preimage(function: Callable[[float], float], value: float, guess: float) -> float:
    """Return a number near `guess` that `function` maps to `value` exactly, if there is one."""
    near = (guess, nextafter(guess, -inf), nextafter(guess, inf))
    return next((number for number in near if function(number) == value), guess)


def _short(path: Path, line: int, entries: Sequence[str], columns: Sequence[str]) -> InputError:
    found = described(f"{len(entries)} columns")
    return InputError(f"/{line}", found, f"{len(columns)}: {', '.join(columns)}", path)


def _damaged(path: Path, found: str, expected: str) -> InputError:
    return InputError("", described(found), expected, path)
