"""Words of readers: statuses of runs, objectives with their unit, names of instances made short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column
from rsjs.rows.select import AnyRow, unit

ELLIPSIS = "…"
STATUS_WORDS = {
    # what a run has: codes of rows, and the words that statistics count by
    "OPTIMAL_VERIFIED": "Optimal",
    "WITHIN_GAP": "Within gap",
    "FEASIBLE_VERIFIED": "Feasible",
    "INFEASIBLE_CLAIMED": "Claimed infeasible",
    "BOUND_ONLY": "Bound only",
    "NO_SOLUTION": "Without solution",
    "WRONG": "Wrong",
    # how it ended
    "FINISHED": "Completed",
    "TIMEOUT": "Time limit",
    "MEMOUT": "Memory limit",
    "OUTPUT_LIMIT": "Output limit",
    "SOLVER_ERROR": "Error",
    "CRASH": "Crash",
    "INTERRUPTED": "Interrupted",
    "SKIPPED": "Skipped",
}
STATUS_NOTE = (
    "Optimal: verified, and the method's own bound is within the gap limit. Within gap: verified,"
    " and within the gap limit of another method's bound. Feasible: verified."
)


def status_word(code: str) -> str:
    """
    Return the words for a status.

    >>> status_word("OPTIMAL_VERIFIED"), status_word("CRASH(SIGKILL)")
    ('Optimal', 'Crash (SIGKILL)')
    """
    head, _, rest = code.partition("(")
    word = STATUS_WORDS.get(head, head)
    return f"{word} ({rest}" if rest else word


def outcome(ended: str, quality: str) -> str:
    """
    Return how a run ended and what it has.

    >>> outcome("TIMEOUT", "NO_SOLUTION"), outcome("FINISHED", "OPTIMAL_VERIFIED")
    ('Time limit without solution', 'Optimal')
    """
    how, what = status_word(ended), status_word(quality)
    if ended == "FINISHED":
        return what
    return f"{how} {what.lower()}" if quality == "NO_SOLUTION" else f"{what} ({how.lower()})"


def number(rows: Sequence[AnyRow]) -> Callable[[float], str]:
    """Return how objectives and bounds are shown."""
    return formats.cost if unit(rows) else formats.plain


def column(key: str, heading: str, rows: Sequence[AnyRow]) -> Column:
    """Return a column of objectives or bounds."""
    return Column(key, heading, number(rows), unit=unit(rows))


def shown(value: float | None, row: AnyRow) -> str:
    """Return one objective or bound of a row with its unit; a dash where nothing is known."""
    if value is None:
        return formats.MISSING
    return f"{number([row])(value)} {unit([row])}".rstrip()


def shortened(names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """
    Return the common part of several names, and each name without it.

    >>> shortened(["jahani-N2-J20-s1", "jahani-N10-J20-s1"])
    ('jahani-…-J20-s1', {'jahani-N2-J20-s1': 'N2', 'jahani-N10-J20-s1': 'N10'})
    """
    parts = [name.split("-") for name in dict.fromkeys(names)]
    if len(parts) < 2:
        return "", {name: name for name in names}
    head = _shared(parts)
    tail = _shared([part[head:][::-1] for part in parts])
    if head + tail == 0:
        return "", {name: name for name in names}
    end = [*parts[0][len(parts[0]) - tail :]] if tail else []
    common = "-".join([*parts[0][:head], ELLIPSIS, *end])
    return common, {
        "-".join(part): "-".join(part[head : len(part) - tail]) or ELLIPSIS for part in parts
    }


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """Length of the longest common beginning that leaves every name something."""
    same = takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    return min(len(list(same)), min(map(len, parts)) - 1)
