"""Instance names made short enough for narrow places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from rsjs.reporting.rows import Row

ELLIPSIS = "…"


def distinct(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows, with part of the digest after the name where instances share a name."""
    digests: dict[object, set[object]] = {}
    for row in rows:
        digests.setdefault(row.get("instance"), set()).add(row.get("instance_sha256"))
    return [
        {**row, "instance": f"{row['instance']} ({str(row['instance_sha256'])[:8]})"}
        if len(digests[row.get("instance")]) > 1
        else dict(row)
        for row in rows
    ]


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


def folded(name: str, width: int) -> list[str]:
    """
    A long name on several lines, broken after its punctuation where that is possible.

    >>> folded("jahani_literal@highs?printed=overdue,route=pyomo", 28)
    ['jahani_literal@highs?', 'printed=overdue,route=pyomo']
    """
    lines = [""]
    for piece in re.split(r"(?<=[\s?,:@_-])", name):
        if len(lines[-1]) + len(piece) > width and lines[-1]:
            lines.append("")
        pieces = [piece[i : i + width] for i in range(0, len(piece), width)] or [""]
        lines[-1:] = [lines[-1] + pieces[0], *pieces[1:]]
    return [line.rstrip() for line in lines]


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """Length of the longest common beginning that leaves every name something."""
    same = takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    return min(len(list(same)), min(map(len, parts)) - 1)
