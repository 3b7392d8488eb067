"""
What every measured method and call must find: `python -m benchmarks.expected` writes it anew,
with `--missing` only what is new.

`expected.json` holds cost, bound and repeatable counts of each case and call, and for instances the
best certified bound, against which all gaps are taken. CI compares these, never seconds: counts
exactly, costs up to rounding, those of solvers within the gap (`MethodCase.tolerance`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rsjs.instances.io.files import write_bytes

FILE = Path(__file__).with_name("expected.json")
ROUNDING = 1e-9  # relative
EXPECTED: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}


def differences(
    expected: Mapping[str, Any], found: Mapping[str, Any], tolerance: float | None
) -> list[str]:
    """
    What a case found that it must not, one line each.

    Parameters
    ----------
    expected, found : values by name, `counts` a mapping of its own or among the others
    tolerance : float or None
        Relative, of floats; None = rounding. Integers must be equal.
    """
    return list(_differences(expected, found, ROUNDING if tolerance is None else tolerance))


def _differences(
    expected: Mapping[str, Any], found: Mapping[str, Any], tolerance: float
) -> Iterator[str]:
    for name in {**expected, **found}:
        if name not in expected or name not in found:
            yield f"{name}: {'not found' if name in expected else 'not expected'}"
            continue
        wanted, got = expected[name], found[name]
        if isinstance(wanted, dict):
            yield from _differences(wanted, got, tolerance)
        elif isinstance(wanted, float) and got is not None:
            if not abs(got - wanted) <= tolerance * max(abs(got), abs(wanted)):  # nan, too
                yield f"{name}: {got!r}, expected {wanted!r} within {tolerance:g}"
        elif got != wanted:
            yield f"{name}: {got!r}, expected {wanted!r}"


def main(*, missing: bool) -> None:
    """Run every case, or those that are new, once and write what all have found."""
    from rich.progress import track

    from benchmarks.cases import CASES, values_of
    from benchmarks.work import GROUPS

    known = EXPECTED if missing else {}
    methods = dict(known.get("methods", {}))
    for name, case in track(CASES.items(), description="methods"):
        if name not in methods:
            case.load()
            methods[name] = values_of(case, case.solve())
    methods = {name: methods[name] for name in CASES}
    wheres: dict[str, list[Any]] = {}
    for name, case in CASES.items():
        wheres.setdefault(case.where, []).append(methods[name])
    found: dict[str, Any] = {
        "bounds": {where: _best_bound(where, values) for where, values in wheres.items()},
        "methods": methods,
    }
    for group, works in GROUPS.items():
        found[group] = {}
        for name, make in track(works.items(), description=group):
            found[group][name] = known.get(group, {}).get(name) or make().measured()
    write_bytes((json.dumps(found, indent=1) + "\n").encode(), FILE)


def _best_bound(where: str, values: list[Any]) -> float | None:
    """The best bound of an instance; none above a cost that was reached."""
    from rsjs.runs.gap import contradicts

    bound = max((v["bound"] for v in values if v["bound"] is not None), default=None)
    cost = min((v["cost"] for v in values if v["cost"] is not None), default=None)
    if bound is not None and cost is not None and contradicts(cost, bound):
        raise SystemExit(f"{where}: bound {bound!r}, expected at most the cost {cost!r}")
    return bound


if __name__ == "__main__":
    main(missing="--missing" in sys.argv)
