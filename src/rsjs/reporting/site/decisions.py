"""The best decision of an instance, laid out on its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rsjs.instances.files import read_instance, read_solution
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.gpu_slots import Shelf, shelves
from rsjs.reporting.rows import known
from rsjs.reporting.site.material import DECISION, Material


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """
    Attributes
    ----------
    row : mapping
        Of the run that made it.
    instance, solution
        In the order that the run was given.
    on : list of Shelf
    """

    row: Mapping[str, Any]
    instance: Instance
    solution: Solution
    on: list[Shelf]


def best_row(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The run of the least verified cost; of equals the first."""
    verified = [
        row for row in rows if row["status"] == "ok" and known(row, "objective") is not None
    ]
    return min(verified, key=lambda row: row["objective"], default=None)


def best_decision(rows: Sequence[Mapping[str, Any]], material: Material) -> Decision | None:
    """The decision of the best run; None where none was kept."""
    row = best_row([row for row in rows if row["solution_sha256"]])
    if row is None:
        return None
    folder, file = material.record(dict(row)), material.solved(dict(row))
    if folder is None or file is None or not file.exists():
        return None
    instance = read_instance(file)
    solution = read_solution(folder / DECISION).solution
    return Decision(row=row, instance=instance, solution=solution, on=shelves(instance, solution))
