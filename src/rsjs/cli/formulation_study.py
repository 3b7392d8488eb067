"""
`rsjs formulation-study`: what formulations cost to build, hand over and relax, by size.

A study of formulations on the disk: what is planned, what is measured, what is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.comparisons import LeftOut, not_served, requests, split
from rsjs.cli.options import Gap, Json, Seed, Threads, TimeLimit, limits
from rsjs.cli.output import console, number, print_json, writable
from rsjs.cli.progress import RunLine, Screen, busy, running
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.methods import Request, all_methods, parse
from rsjs.reporting.figures.formulation_study import formulation_sizes
from rsjs.reporting.tables import formulation_study as study_tables
from rsjs.reporting.tables.csv_rows import csv_text, read_rows
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.formulation_study import false_bounds, told
from rsjs.runs import formulation_study as experiment
from rsjs.runs.compare import Row
from rsjs.runs.formulation_study import FAMILIES, Family


def formulation_study(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for rows and tables.")
    ],
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes", metavar="SIZES", help="N or NxJ with commas between them; J is 10 N."
        ),
    ] = "2,5,10",
    families: Annotated[
        str, typer.Option("--families", metavar="NAMES", help="Of jahani, kiros, sts, sts-shared.")
    ] = "jahani,kiros,sts,sts-shared",
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="METHODS",
            help="Instead of the families' own; name@solver is solved too, name only relaxed.",
        ),
    ] = None,
    seed: Seed = 1,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    memory_limit: Annotated[
        float, typer.Option("--memory-limit", metavar="MB", help="Resident memory of a run.")
    ] = 4096.0,
    as_json: Json = False,
) -> None:
    """
    Measure formulations side by side: size, relaxation, root gap, times and memory.

    \b
    Example:
      rsjs formulation-study --sizes 2,5,10 --families jahani,kiros -o study
      rsjs formulation-study --methods jahani_literal@scip,jahani_patterns@scip \\
          --families jahani --sizes 2x20,10x100 -o study

    Each measurement runs in a process of its own within the limits, and becomes a row of
    DIR/rows.csv at once: rows that are there are not measured again, so a study that was ended
    goes on where it was. DIR gets table.md and sizes.png, made from the rows alone. Exit code 1
    if a relaxation lies above a cost that was reached.
    """

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    wanted = sized(sizes)
    names = [name.strip() for name in families.split(",") if name.strip()]
    for name in names:
        if name not in FAMILIES:
            raise InputError("--families", name, f"one of {', '.join(FAMILIES)}")
    chosen = {name: planned(methods, FAMILIES[name]) for name in names}
    writable(output, folder=True)
    study = Study.at(output, allowed)
    with running() as screen:
        for instance, family in instances_of([FAMILIES[name] for name in names], wanted, seed):
            study.measure(family, instance, chosen[family.name], screen)
            if study.interrupted:
                break
    present(study, as_json=as_json)
    wrong = bool(false_bounds(study.rows))
    raise typer.Exit(INTERRUPTED if study.interrupted else int(wrong))


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
    for table in study_tables.tables(study.rows) if study.rows else []:
        print(table.terminal(out.width, colour=out.is_terminal))
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
        write_bytes(study_tables.markdown(study.rows).encode(), table)
        if not any(row["measure"] == experiment.RELAXATION for row in study.rows):
            return [rows, table]
        return [rows, table, formulation_sizes(study.rows, study.folder / PICTURE)]
