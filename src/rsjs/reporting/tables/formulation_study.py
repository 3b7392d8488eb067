"""
The tables of a study of formulations: one record per formulation and instance of its stored rows.

The root gap is the gap from the bound of the linear relaxation to the best cost that any row of
the same instance reached and the checker confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.comparison import conditions
from rsjs.reporting.tables.table import Column, Table, escaped
from rsjs.rows.select import AnyRow, known
from rsjs.runs.gap import contradicts, gap

LIMITS = {"time_limit": "time", "memory_limit": "memory"}
RELAXATION = "relaxation"  # the backend of that name
BOUND_ONLY = frozenset({"rsjs_bound"})  # its bound stands for a relaxation's


@dataclass(frozen=True, kw_only=True)
class Record:
    """One formulation on one instance."""

    family: str
    nodes: int
    jobs: int
    formulation: str  # method without its solver
    relaxed: AnyRow | None  # of its linear relaxation
    solves: Mapping[str, AnyRow]  # solver -> row
    best: float | None  # least cost reached on the instance by any formulation

    @property
    def measured(self) -> AnyRow:
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


def records(rows: Sequence[AnyRow]) -> list[Record]:
    """Return the records in the order of the rows; of several rows for one run the last counts."""
    groups: dict[tuple[str, str], list[AnyRow]] = {}
    best: dict[str, float] = {}
    for row in rows:
        groups.setdefault((row["instance_sha256"], _parts(row)[0]), []).append(row)
        cost = known(row, "objective")
        if cost is not None and row["status"] == "ok":
            best[row["instance_sha256"]] = min(cost, best.get(row["instance_sha256"], cost))
    return [
        Record(
            **{name: group[0][name] for name in ("family", "nodes", "jobs")},
            formulation=formulation,
            relaxed=next((row for row in reversed(group) if is_relaxation(row)), None),
            solves={_parts(row)[1]: row for row in group if not is_relaxation(row)},
            best=best.get(instance),
        )
        for (instance, formulation), group in groups.items()
    ]


def is_relaxation(row: AnyRow) -> bool:
    """Whether a row measures a relaxation, not a solve."""
    formulation, solver = _parts(row)
    return solver == RELAXATION or re.split("[:?]", formulation)[0] in BOUND_ONLY


def _parts(row: AnyRow) -> tuple[str, str]:
    """Return the method specification of a row without its solver, and the solver."""
    solver = re.match(r"[^@:?]*@([^:? ]+)", row["method"])
    if solver is None:
        return row["method"], ""
    return row["method"].replace(f"@{solver[1]}", "", 1), solver[1]


def told(row: AnyRow) -> str:
    """Return how a measurement ended, in a word or two."""
    stop = str(row["stop"])
    if stop in LIMITS:
        return f"limit ({LIMITS[stop]})"
    if stop == "error":
        return "refused" if "serves" in str(row["message"]) else "error"
    if not is_relaxation(row):
        return stop.replace("_", " ")
    return "solved" if known(row, "bound") is not None else stop.replace("_", " ")


def false_bounds(rows: Sequence[AnyRow]) -> list[str]:
    """Return one line for each relaxation above a cost that was reached: there should be none."""
    return [
        f"{one.formulation} on {one.measured['instance']}: relaxation {one.bound:g} above a cost"
        f" reached, {one.best:g}"
        for one in records(rows)
        if one.best is not None and one.bound is not None and contradicts(one.best, one.bound)
    ]


ROOT_GAP = (
    "Relaxation: the integers may be fractional; its optimum is a bound. Root gap: from it to the"
    " best checked cost of the instance, (z - b) / max(|z|, |b|). Limit: no bound within the time"
    " or memory; refused: the formulation does not serve that size."
)


def tables(rows: Sequence[AnyRow]) -> list[Table]:
    """Return a table of the formulations and, where some were solved, one of the solves."""
    found = records(rows)
    relaxed = [
        {**record.measured, **_facts(record)} for record in found if record.relaxed is not None
    ]
    solved = [
        {**row, **_facts(record), "solver": solver, "ended": told(row)}
        for record in found
        for solver, row in record.solves.items()
    ]
    formulations = Table(
        name="formulations",
        title="Formulations and their relaxations",
        columns=_FORMULATIONS,
        rows=relaxed,
        notes=[ROOT_GAP],
        sections=("size",),
    )
    solves = replace(
        formulations, name="solves", title="Solved", columns=_SOLVES, rows=solved, notes=()
    )
    return [formulations, solves] if solved else [formulations]


def markdown(rows: Sequence[AnyRow]) -> str:
    """Return both tables in Markdown with the conditions and what is wrong."""
    made = tables(rows)
    false = "\n".join(f"- **{escaped(text)}**" for text in false_bounds(rows))
    made[-1] = replace(made[-1], notes=[*made[-1].notes, *conditions(rows)])
    return "\n".join([*(table.markdown() for table in made), *([false + "\n"] if false else [])])


def _facts(record: Record) -> dict[str, object]:
    """Size, root gap and seconds of the relaxation, without the hand-over, which is apart."""
    solve, handover = (known(record.measured, key) for key in ("solve_s", "handover_s"))
    return {
        "formulation": record.formulation,
        "size": f"{record.family} {record.nodes} x {record.jobs}",
        "root_gap": record.root_gap,
        "relaxed_s": None if solve is None else solve - (handover or 0.0),
        "relaxation": record.ended,
    }


_WHAT = (Column("size", "instance"), Column("formulation", "formulation"))
_FORMULATIONS = (
    *_WHAT,
    Column("rows", "rows", formats.count, rank=5),
    Column("columns", "columns", formats.count, rank=2),
    Column("nonzeros", "nonzeros", formats.count, rank=6),
    Column("integers", "integers", formats.count, rank=4),
    Column("bound", "bound", formats.cost, unit="$", rank=3),
    Column("root_gap", "root gap", formats.percent, unit="%"),
    Column("build_s", "build", formats.measured, unit="s", rank=1),
    Column("handover_s", "hand-over", formats.measured, unit="s", rank=9),
    Column("relaxed_s", "relaxed in", formats.measured, unit="s", rank=7),
    Column("peak_memory_mb", "memory", formats.measured, unit="MB", rank=8),
    Column("relaxation", "relaxation"),
)
_SOLVES = (
    *_WHAT,
    Column("solver", "solver"),
    Column("ended", "ended"),
    Column("objective", "cost", formats.cost, unit="$", rank=1),
    Column("bound", "bound", formats.cost, unit="$", rank=3),
    Column("own_gap", "own gap", formats.percent, unit="%"),
    Column("search_nodes", "search nodes", formats.count, rank=4),
    Column("total_s", "total", formats.measured, unit="s", rank=2),
    Column("peak_memory_mb", "memory", formats.measured, unit="MB", rank=5),
)
