"""`rsjs formulation-study`: what formulations cost to build, hand over and relax, by size."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import Gap, Json, Seed, Threads, TimeLimit, limits


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
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import running
    from rsjs.cli.study import Study, instances_of, planned, present, sized
    from rsjs.core.errors import InputError
    from rsjs.reporting.tables.formulation_study import false_bounds
    from rsjs.runs.formulation_study import FAMILIES

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
