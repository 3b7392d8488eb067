"""A study of formulations on the disk: what is planned, what is measured, what is kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rsjs.cli.console import console, number, print_json
from rsjs.cli.progress import RunLine, Screen, busy
from rsjs.cli.runs import LeftOut, not_served
from rsjs.cli.spellings import requests, split
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.methods import Request, all_methods, parse
from rsjs.reporting.figures.formulation_study import formulation_sizes
from rsjs.reporting.tables import formulation_study
from rsjs.reporting.tables.csv_rows import csv_text, read_rows
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.formulation_study import false_bounds, told
from rsjs.runs import formulation_study as experiment
from rsjs.runs.compare import Row
from rsjs.runs.formulation_study import Family

Plan = list[tuple[Request, bool]]  # a method, and whether it is solved too
ROWS, TABLE, PICTURE = "rows.csv", "table.md", "sizes.png"


@dataclass
class Study:
    """
    The rows of a folder and those that are added; each is written as soon as it is there.

    Attributes
    ----------
    rows : list of Row
    left_out : list of LeftOut
        What was not measured, and why.
    interrupted : bool
    """

    folder: Path
    limits: Limits
    rows: list[Row]
    left_out: list[LeftOut] = field(default_factory=list)
    interrupted: bool = False

    @staticmethod
    def at(folder: Path, limits: Limits) -> Study:
        """The study in a folder, with the rows that are there."""
        path = folder / ROWS
        return Study(folder, limits, read_rows(path) if path.exists() else [])

    def measure(self, family: Family, instance: Instance, plan: Plan, screen: Screen) -> None:
        """Measure on one instance what has no row yet, until Ctrl-C."""
        self.left_out += not_served([instance], [request for request, _ in plan])
        served = [
            (request, solve) for request, solve in plan if not not_served([instance], [request])
        ]
        if not served:
            return
        kept = {experiment.key_of(row) for row in self.rows}
        screen.say(f"{family.name} {instance.name}")
        try:
            for task in experiment.tasks(family, instance, *map(list, zip(*served, strict=True))):
                name = f"  {task.measure} {task.request.spelling}"
                if task.key(self.limits) in kept:
                    screen.say(f"{name}: kept")
                    continue
                line = RunLine(name, self.limits.time_limit)
                screen.show(line)
                row = experiment.measure(task, self.limits, on_event=line)
                if row is None:
                    self.interrupted = True
                    return
                self._keep(row)
                screen.say(f"{name}: {told(row)}, {number(row['total_s'], 3)} s")
        except KeyboardInterrupt:  # between two measurements
            self.interrupted = True

    def _keep(self, row: Row) -> None:
        self.rows.append(row)
        write_bytes(csv_text(self.rows).encode(), self.folder / ROWS)


def sized(text: str) -> list[tuple[int, int]]:
    """
    Nodes and jobs of each size.

    >>> sized("2,10x40")
    [(2, 20), (10, 40)]
    """
    sizes = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", part)
        if not found:
            raise InputError("--sizes", part, "nodes, or nodes x jobs, e.g. 10 or 10x100")
        nodes = int(found[1])
        sizes.append((nodes, int(found[2]) if found[2] else 10 * nodes))
    if not sizes:
        raise InputError("--sizes", text, "sizes, e.g. 2,5,10")
    return sizes


def planned(methods: str | None, family: Family) -> Plan:
    """The methods asked for, or the family's own; those with a solver named are solved too."""
    spelled = split(methods, all_methods()) if methods is not None else list(family.methods)
    if methods is not None:
        requests(methods)  # refuses an empty list
    return [(parse(text), "@" in text) for text in spelled]


def instances_of(
    families: Sequence[Family], sizes: Sequence[tuple[int, int]], seed: int
) -> Iterator[tuple[Instance, Family]]:
    """One instance for each family and size, drawn when its turn comes; small ones first."""
    for family in families:
        for nodes, jobs in sorted(sizes):
            with busy("drawing jobs"):
                instance = family.draw(nodes=nodes, jobs=jobs, seed=seed)
            yield instance, family


def present(study: Study, *, as_json: bool) -> None:
    """Write table and picture, print the table or the rows, and what was not measured."""
    files = write(study)
    if as_json:
        print_json(
            {
                "rows": study.rows,
                "left_out": [vars(left) for left in study.left_out],
                "interrupted": study.interrupted,
                "folder": study.folder,
                "files": files,
            }
        )
        return
    out = console()
    for table in formulation_study.rich_tables(study.rows, out.width) if study.rows else []:
        out.print(table)
        print()
    for line in false_bounds(study.rows):
        print(f"WRONG: {line}")
    cases = Counter((left.method, left.reason) for left in study.left_out)
    for (method, reason), count in cases.items():
        print(f"Not measured: {method} on {counted(count, 'instance')}: {reason}")
    if files:
        print(f"Written to {study.folder}: {', '.join(path.name for path in files)}")
    if study.interrupted:
        print(f"Interrupted with {len(study.rows)} rows; the same command goes on from there.")


def write(study: Study) -> list[Path]:
    """Table and picture of the rows; nothing without rows."""
    if not study.rows:
        return []
    rows, table = study.folder / ROWS, study.folder / TABLE
    with busy("writing table and picture"):
        write_bytes(formulation_study.markdown(study.rows).encode(), table)
        if not any(row["measure"] == experiment.RELAXATION for row in study.rows):
            return [rows, table]
        return [rows, table, formulation_sizes(study.rows, study.folder / PICTURE)]
