"""
What the rows of a study of formulations say together: one record per formulation and instance.

The root gap is the gap from the bound of the linear relaxation to the best cost that any row of
the same instance reached and the checker confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rsjs.experiments.gap import contradicts, gap
from rsjs.reporting.rows import Row, known

LIMITS = {"time_limit": "time", "memory_limit": "memory"}


@dataclass(frozen=True, kw_only=True)
class Record:
    """
    One formulation on one instance.

    Attributes
    ----------
    relaxed : row or None
        Of its linear relaxation.
    solves : mapping of str to row
        Solver -> row.
    best : float or None
        The least cost reached on the instance by any formulation.
    """

    family: str
    nodes: int
    jobs: int
    formulation: str
    relaxed: Row | None
    solves: Mapping[str, Row]
    best: float | None

    @property
    def measured(self) -> Row:
        """The row that has its size and times: of the relaxation, else of a solve."""
        return self.relaxed if self.relaxed is not None else next(iter(self.solves.values()))

    @property
    def bound(self) -> float | None:
        """Of the relaxation."""
        return None if self.relaxed is None else known(self.relaxed, "bound")

    @property
    def root_gap(self) -> float | None:
        """From the bound of the relaxation to the best cost."""
        return gap(self.best, self.bound)

    @property
    def ended(self) -> str:
        """How the relaxation ended: `solved`, `limit (time)`, or what went wrong."""
        return "" if self.relaxed is None else told(self.relaxed)


def records(rows: Sequence[Row]) -> list[Record]:
    """In the order of the rows; of several rows for the same thing the last one counts."""
    groups: dict[tuple[str, str], list[Row]] = {}
    best: dict[str, float] = {}
    for row in rows:
        groups.setdefault((row["instance_sha256"], row["formulation"]), []).append(row)
        cost = known(row, "objective")
        if cost is not None and row["status"] == "ok":
            best[row["instance_sha256"]] = min(cost, best.get(row["instance_sha256"], cost))
    return [_record(group, best.get(instance)) for (instance, _), group in groups.items()]


def told(row: Row) -> str:
    """How a measurement ended, in a word or two."""
    stop = str(row["stop"])
    if stop in LIMITS:
        return f"limit ({LIMITS[stop]})"
    if stop == "error":
        return "refused" if "serves" in str(row["message"]) else "error"
    if row["measure"] == "solve":
        return stop.replace("_", " ")
    return "solved" if known(row, "bound") is not None else stop.replace("_", " ")


def false_bounds(rows: Sequence[Row]) -> list[str]:
    """Relaxations above a cost that was reached: one line for each, there should be none."""
    return [
        f"{one.formulation} on {one.measured['instance']}: relaxation {one.bound:g} above a cost"
        f" reached, {one.best:g}"
        for one in records(rows)
        if one.best is not None and one.bound is not None and contradicts(one.best, one.bound)
    ]


def _record(group: Sequence[Row], best: float | None) -> Record:
    first = group[0]
    relaxed = [row for row in group if row["measure"] == "relaxation"]
    return Record(
        family=first["family"],
        nodes=first["nodes"],
        jobs=first["jobs"],
        formulation=first["formulation"],
        relaxed=relaxed[-1] if relaxed else None,
        solves={row["solver"]: row for row in group if row["measure"] == "solve"},
        best=best,
    )
