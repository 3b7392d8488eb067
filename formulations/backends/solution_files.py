"""Solution files of other programs, and how these say why they ended and what bound they have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.instances.io.bounded_files import read_text

HEAD_LINES = 12  # of a solution file, in which its format and status are searched
NUMBER = r"([-+]?\d[\d.]*(?:[eE][-+]?\d+)?)"


@dataclass(frozen=True, kw_only=True)
class SolutionFormat:
    """Solution format and status words of a family of programs."""

    #: pattern at the head of a solution file in this format
    sign: str
    #: lines of a file -> (name, value) of columns; None if the file says that there is no solution
    read: Callable[[list[str]], Iterator[tuple[str, str]] | None]
    #: pattern in what is printed or in the head of the solution file -> why the program ended
    status: Mapping[str, Stop] = field(default_factory=dict)
    #: pattern, the number in a group; the last place where it is printed counts. An optimum printed
    #: where there was nothing to branch on is a bound
    bound: str = ""


def _pairs(lines: Iterable[str], at: int = 0) -> Iterator[tuple[str, str]]:
    """Yield word `at` of each line, and the one that follows; other lines are left out."""
    return ((part[at], part[at + 1]) for part in map(str.split, lines) if len(part) > at + 1)


def _highs(lines: list[str]) -> Iterator[tuple[str, str]] | None:
    """Read `name value` after "# Columns N", unless the primal solution is None or infeasible."""
    for i, line in enumerate(lines):
        if (head := re.fullmatch(r"# Columns (\d+)\s*", line)) is not None:
            columns = lines[i + 1 : i + 1 + int(head[1])]
            if len(columns) < int(head[1]):
                found = described(f"{len(columns)} of {head[1]} columns")
                raise InputError("", found, "a whole file (highs format)")
            feasible = "Feasible" in (before.strip() for before in lines[:i])
            return _pairs(columns) if feasible else None
    return None


def _scip(lines: list[str]) -> Iterator[tuple[str, str]] | None:
    """Read `name value (obj:cost)` after "objective value:"."""
    heads = (i for i, line in enumerate(lines) if line.startswith("objective value:"))
    return next((_pairs(lines[i + 1 :]) for i in heads), None)


def _cbc(lines: list[str]) -> Iterator[tuple[str, str]] | None:
    """Read `number name value cost`, marked by ** if infeasible, after a line with the status."""
    if not lines or re.search(r"no integer solution|[Ii]nfeasible|Unbounded", lines[0]):
        return None
    return _pairs((line.replace("**", " ") for line in lines[1:]), at=1)


def _values(lines: list[str]) -> Iterator[tuple[str, str]] | None:
    """Read `name value`, also with = or a colon between them; lines with # are comments."""
    bare = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not bare:
        return None
    return (
        (part[0], part[1] if len(part) > 1 else "")
        for part in (re.sub(r"\s*[=:]\s*", " ", line, count=1).split() for line in bare)
    )


FORMATS: Mapping[str, SolutionFormat] = {
    "highs": SolutionFormat(
        sign=r"^Model status\n",
        read=_highs,
        status={
            r"Model status\s*:?\s*Optimal|^\s+Status\s+Optimal": Stop.OPTIMAL,
            r"Model status\s*:?\s*Infeasible|^\s+Status\s+Infeasible": Stop.INFEASIBLE,
            r"Time limit reached": Stop.TIME_LIMIT,
            r"Memory limit reached": Stop.MEMORY_LIMIT,
        },
        bound=rf"Dual bound\s+{NUMBER}|status\s*:\s*Optimal\s+Objective value\s*:\s*{NUMBER}",
    ),
    "scip": SolutionFormat(
        sign=r"^(solution status:|objective value:|no solution available)",
        read=_scip,
        status={
            r"\[optimal solution found\]|^solution status: optimal": Stop.OPTIMAL,
            r"\[infeasible\]|^solution status: infeasible": Stop.INFEASIBLE,
            r"gap limit reached": Stop.OPTIMAL,
            r"time limit reached": Stop.TIME_LIMIT,
            r"memory limit reached": Stop.MEMORY_LIMIT,
        },
        bound=rf"Dual Bound\s*:\s*{NUMBER}",
    ),
    "cbc": SolutionFormat(
        sign=r"^(Optimal|Infeasible|Integer infeasible|Stopped|Unbounded|Status).* objective value",
        read=_cbc,
        status={
            r"^(Optimal|Result - Optimal)": Stop.OPTIMAL,
            r"^(Infeasible|Integer infeasible)|proven infeasible|infeasibility proved": (
                Stop.INFEASIBLE
            ),
            r"^(Stopped on time|Result - Stopped on time)": Stop.TIME_LIMIT,
        },
        bound=rf"Lower bound:\s*{NUMBER}|Optimal solution found\s+Objective value:\s*{NUMBER}",
    ),
    "gurobi": SolutionFormat(
        sign=r"^# (Objective value|Solution for model)",
        read=_values,
        status={
            r"^Optimal solution found": Stop.OPTIMAL,
            r"^(Model is infeasible|Infeasible model)": Stop.INFEASIBLE,
            r"^Time limit reached": Stop.TIME_LIMIT,
            r"^Memory limit reached": Stop.MEMORY_LIMIT,
        },
        bound=rf"best bound {NUMBER}",
    ),
    "values": SolutionFormat(sign="", read=_values),
}


def format_of(head: str) -> str:
    """Return the name of the format of a solution file that begins like this."""
    found = (name for name, known in FORMATS.items() if re.search(known.sign, head, re.MULTILINE))
    return next(found)


def read_solution(path: Path, name: str = "auto") -> dict[str, float] | None:
    """
    Read the columns of a solution file.

    Parameters
    ----------
    path : Path
        The file, perhaps `.gz`.
    name : str
        A key of `FORMATS`; "auto" tells it by the head of the file.

    Returns
    -------
    dict or None
        Value by column; None if the file says that there is no solution.

    Raises
    ------
    InputError
        For what cannot be read as text, ends early, or has a column twice or with a value that is
        no finite number.
    """
    return columns_of(read_text(path, encoding="latin-1"), name, path)


def columns_of(text: str, name: str, path: Path) -> dict[str, float] | None:
    """Return the columns in the text of a solution file, see `read_solution`."""
    lines = text.splitlines()
    chosen = format_of("\n".join(lines[:HEAD_LINES])) if name == "auto" else name
    try:
        pairs = FORMATS[chosen].read(lines)
    except InputError as error:
        raise error.at(path) from None
    if pairs is None:
        return None
    values: dict[str, float] = {}
    for column, text in pairs:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not isfinite(value):
            expected = f"a finite number ({chosen} format)"
            raise InputError("", described(f"{column} {text}"), expected, path)
        if column in values:
            raise InputError("", described(f"column {column} twice"), "each column once", path)
        values[column] = value
    return values
