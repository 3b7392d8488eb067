"""What is written under a table: definition of the gap, limits, versions, remarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.select import Row, is_wrong, known

GAP = (
    "Gap = (z - b) / max(|z|, |b|): z is the checked cost, b the best valid lower bound of the "
    "instance (own gap: the method's bound). Without postponement: (z - b) / |z - postponement|; "
    "over energy: (z - b) / energy."
)
GAP_LATEX = (
    r"Gap: $(z-b)/\max(|z|,|b|)$, where $z$ is the checked cost and $b$ the best valid lower bound "
    r"of the instance (own gap: the method's bound); without postponement: "
    r"$(z-b)/|z-\mathrm{postponement}|$; over energy: $(z-b)/\mathrm{energy}$."
)
MOST_REMARKS = 10
LONGEST_MESSAGE = 200

LIMITS: dict[str, Callable[[Any], str]] = {
    "time_limit": lambda value: f"{value:g} s",
    "gap_limit": lambda value: f"gap {value:g}",
    "threads": lambda value: counted(int(value), "thread"),
    "seed": lambda value: f"seed {int(value)}",
}


def conditions(rows: Sequence[Row]) -> list[str]:
    """Limits, threads and seed in one sentence, versions in another."""
    told = [_values(rows, key, show) for key, show in LIMITS.items()]
    limits = ", ".join(text for text, _ in told if text)
    head = "LIMITS DIFFER between rows" if any(several for _, several in told) else "Limits"
    versions = ", ".join([*_packages(rows), *_solvers(rows)])
    return [f"{head}: {text}." for head, text in ((head, limits), ("Versions", versions)) if text]


def remarks(rows: Sequence[Row]) -> list[str]:
    """One line for each row whose claims are false or that has no solution, wrong ones first."""
    told = [row for row in rows if is_wrong(row) or row.get("status") == "no_solution"]
    told.sort(key=lambda row: not is_wrong(row))
    lines = [_remark(row) for row in told[:MOST_REMARKS]]
    left = len(told) - len(lines)
    return [*lines, f"and {left} more: see the messages of the rows"] if left else lines


def _remark(row: Row) -> str:
    mark = row["status"].replace("_", " ")
    mark = mark.upper() if is_wrong(row) else mark.capitalize()
    message = " ".join(str(known(row, "message") or "no reason given").split())
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 1] + "…"
    return f"{mark}: {row.get('method')} on {row.get('instance')}: {message}"


def _values(rows: Sequence[Row], key: str, show: Callable[[Any], str]) -> tuple[str, bool]:
    found = Counter(row[key] for row in rows if known(row, key) is not None)
    if len(found) == 1:
        return show(next(iter(found))), False
    several = [f"{show(value)} ({counted(n, 'row')})" for value, n in sorted(found.items())]
    return " or ".join(several), len(found) > 1


def _packages(rows: Sequence[Row]) -> list[str]:
    found = dict.fromkeys(str(row["rsjs_version"]) for row in rows if known(row, "rsjs_version"))
    return [f"rsjs-bench {' and '.join(found)}"] if found else []


def _solvers(rows: Sequence[Row]) -> list[str]:
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        _, at, rest = str(row.get("method")).partition("@")
        if at and known(row, "solver_version"):
            name = rest.partition("?")[0].partition(":")[0]
            found.setdefault(name, {})[str(row["solver_version"])] = None
    return [f"{name} {' and '.join(versions)}" for name, versions in sorted(found.items())]
