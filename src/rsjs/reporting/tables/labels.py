"""Words of readers: names of instances made short and distinct, and statuses of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from rsjs.reporting.tables.select import Row, known

ELLIPSIS = "…"
STATUS_WORDS = {
    # what a run has: codes of rows, and the words that statistics count by
    "OPTIMAL_VERIFIED": "Optimal",
    "proved": "Optimal",
    "certified": "Within gap",
    "FEASIBLE_VERIFIED": "Feasible",
    "valid": "Feasible",
    "INFEASIBLE_CLAIMED": "Claimed infeasible",
    "says infeasible": "Claimed infeasible",
    "NO_SOLUTION": "Without solution",
    "nothing": "Without solution",
    "WRONG": "Wrong",
    "wrong": "Wrong",
    # how it ended
    "FINISHED": "Completed",
    "by itself": "Completed",
    "TIMEOUT": "Time limit",
    "time limit": "Time limit",
    "MEMOUT": "Memory limit",
    "memory limit": "Memory limit",
    "OUTPUT_LIMIT": "Output limit",
    "SOLVER_ERROR": "Error",
    "error": "Error",
    "CRASH": "Crash",
    "interrupted": "Interrupted",
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


def distinct(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """
    The rows with names of instances that differ.

    Instances that share a name have part of their digest after it, a workload that is simulated
    under several options those that differ.
    """
    digests: dict[object, set[object]] = {}
    options: dict[object, set[str]] = {}
    for row in rows:
        name = row.get("instance")
        digests.setdefault(name, set()).add(row.get("instance_sha256"))
        options.setdefault(name, set()).add(known(row, "simulation") or "{}")
    differing = {name: _differing(own) for name, own in options.items()}
    made = []
    for row in rows:
        name, told = row.get("instance"), []
        if len(digests[name]) > 1:
            told.append(str(row["instance_sha256"])[:8])
        own = json.loads(known(row, "simulation") or "{}") if differing[name] else {}
        told += [f"{key}={own[key]}" for key in differing[name] if key in own]
        made.append({**row, "instance": f"{name} ({', '.join(told)})"} if told else dict(row))
    return made


def _differing(options: set[str]) -> list[str]:
    """The options that not all of some simulations have alike."""
    values: dict[str, set[Any]] = {}
    for one in map(json.loads, options):
        for key, value in one.items():
            values.setdefault(key, set()).add(value)
    return sorted(key for key, own in values.items() if len(own) > 1)


def shortened(names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """
    What several names have in common, and each name without it.

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
