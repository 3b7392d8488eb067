"""The best decision of an instance, laid out on its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rsjs.experiments.campaigns.records import SCHEDULE, SOLUTION
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance, read_solution
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, read_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, read_schedule
from rsjs.instances.solution import Solution
from rsjs.reporting.gpu_slots import Shelf, shelves
from rsjs.reporting.objectives import best_row, is_schedule
from rsjs.reporting.site.material import Material


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


def best_decision(rows: Sequence[Mapping[str, Any]], material: Material) -> Decision | None:
    """The decision of the best run; None where none was kept."""
    found = _best_files(rows, material, schedules=False)
    if found is None:
        return None
    row, file, record = found
    instance = read_instance(file)
    solution = read_solution(record / SOLUTION).solution
    return Decision(row=row, instance=instance, solution=solution, on=shelves(instance, solution))


def best_schedule(
    rows: Sequence[Mapping[str, Any]], material: Material
) -> tuple[Mapping[str, Any], SchedulingProblem, Schedule] | None:
    """The schedule of the best run on MIG instances, and its row; None where none was kept."""
    found = _best_files(rows, material, schedules=True)
    if found is None:
        return None
    row, file, record = found
    problem = read_problem(file)
    return row, problem, read_schedule(record / SCHEDULE, problem).schedule


def _best_files(
    rows: Sequence[Mapping[str, Any]], material: Material, *, schedules: bool
) -> tuple[Mapping[str, Any], Path, Path] | None:
    """The best run with a decision of this kind: its row, its instance, its record."""
    row = best_row(
        [row for row in rows if row["solution_sha256"] and is_schedule(row) == schedules]
    )
    if row is None:
        return None
    folder, file = material.record(dict(row)), material.solved(dict(row))
    if folder is None or file is None or not file.exists():
        return None
    return row, file, folder
