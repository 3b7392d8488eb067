"""The exact verdict beside the one in floating point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsjs.instances.check import Verdict

AGREEMENT = 1e-9  # relative


def check_exactly(instance: Path, solution: Path, verdict: Verdict) -> dict[str, Any]:
    """The exact verdict on two files as a JSON object, and whether it agrees with the other."""
    from rsjs.instances.exact import check_exact
    from rsjs.instances.files import read_exact

    exact = check_exact(read_exact(instance), read_exact(solution))
    total = None if exact.objective is None else float(exact.objective)
    return {
        "feasible": exact.feasible,
        "objective": total,
        "terms": exact.terms,
        "violations": [vars(violation) for violation in exact.violations],
        "agrees": exact.feasible == verdict.feasible and _close(total, verdict.objective),
    }


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= AGREEMENT * max(abs(one), abs(other))


def exact_lines(exact: dict[str, Any]) -> list[tuple[str, str]]:
    """What is printed of it."""
    word = "feasible" if exact["feasible"] else "not feasible"
    cost = "" if exact["objective"] is None else f", {exact['objective']!r} $"
    verdict = "agrees" if exact["agrees"] else "DISAGREES with the check in floating point"
    rows = [("exact", f"{word}{cost}: {verdict}")]
    if not exact["agrees"]:
        rows += [("exact", str(violation)) for violation in exact["violations"]]
    return rows
