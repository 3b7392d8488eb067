"""Rows of repetitions of a simulation, which differ in the seed of the policy, made one row."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from benchmarks.online_rows import Row

SAME = ("rsjs_version", "commit", "dirty", "cpu_model")
MEANS = (
    *("objective", "energy", "tardiness", "late", "utilisation", "makespan_h", "longest_queue"),
    *("decisions", "decision_median_s", "policy_s", "whole_s"),
    *("best_bound", "clairvoyant_greedy", "infinite_cluster"),
)


def averaged(rows: Sequence[dict[str, Any]]) -> list[Row]:
    """
    A row for each workload and policy, in order: means, and the standard deviation of the cost.

    Where a repetition has no cost, the mean has none.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["instance"], row["method"]), []).append(row)
    return [_one(groups[key]) for key in sorted(groups)]


def _one(rows: Sequence[dict[str, Any]]) -> Row:
    first = rows[0]
    found = {name: first[name] for name in ("instance", "nodes", "jobs", "method")}
    found |= {"runs": len(rows)}
    found |= {name: _mean([row.get(name) for row in rows]) for name in MEANS}
    found |= {"objective_sd": _deviation([row["objective"] for row in rows])}
    return found | {name: _told([row.get(name) for row in rows]) for name in SAME}


def _mean(values: Sequence[float | None]) -> float | None:
    known = _known(values)
    return fmean(known) if known else None


def _deviation(values: Sequence[float | None]) -> float | None:
    known = _known(values)
    return stdev(known) if len(known) > 1 else None


def _known(values: Sequence[float | None]) -> list[float]:
    """All of them, or none if one is missing."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def _told(values: Sequence[Any]) -> Any:
    """One value, or all of them in words."""
    different = sorted({str(value) for value in values})
    return values[0] if len(different) == 1 else " ".join(different)
