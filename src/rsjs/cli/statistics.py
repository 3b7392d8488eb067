"""`rsjs statistics`: what the stored rows of comparisons say together."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json


def statistics(
    stored: Annotated[
        list[Path],
        typer.Argument(
            metavar="ROWS...",
            help="Folders of `rsjs compare` or `rsjs collect`, or their rows.csv.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder for tables and pictures."),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            "--target", metavar="GAP", help="Gap that counts as solved; the runs' gap limit."
        ),
    ] = None,
    proved: Annotated[
        bool,
        typer.Option("--proved", help="Solved only if the method's own bound proves the gap."),
    ] = False,
    family: Annotated[
        str | None,
        typer.Option("--family", metavar="NAME", help="Only instances of this family."),
    ] = None,
    shift: Annotated[
        float,
        typer.Option("--shift", metavar="SECONDS", help="Of the shifted geometric mean."),
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """
    Count, average, test and rank the methods of stored comparisons, and audit their fairness.

    \b
    Example:
      rsjs compare *.json --methods jahani_patterns@highs,greedy:paper -o seed0
      rsjs compare *.json --methods jahani_patterns@highs,greedy:paper --seed 1 -o seed1
      rsjs statistics seed0 seed1 -o statistics

    Nothing is run: rows.csv is read, and events.json beside it for what needs the course of the
    runs. DIR gets statistics.md, statistics.tex, a CSV for each table, and pictures: performance
    profiles, gaps, targets, pairs of times, ranks. Instances are told apart by digest, repetitions
    by seed. Rows of several families are analysed family by family, for most methods serve some
    only: DIR then gets a folder for each.
    """
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy
    from rsjs.cli.statistics_text import as_document, print_all
    from rsjs.core.errors import InputError
    from rsjs.reporting.statistics.analysis import Analysis
    from rsjs.reporting.statistics.files import write_all
    from rsjs.reporting.statistics.tidy import read_stored
    from rsjs.reporting.tables.families import by_family

    if target is not None and not 0 <= target <= 1:
        raise InputError("--target", target, "a relative gap in [0, 1], e.g. 0.01")
    if not 1 <= shift < inf:  # below, the mean would count short runs as 1 s less the shift
        raise InputError("--shift", shift, "a number of seconds >= 1")
    writable(output, folder=True)
    groups = by_family([row for path in stored for row in read_stored(path)])
    if family is not None and family not in groups:
        raise InputError("--family", family, f"one of {', '.join(groups)}")
    made = {
        name: Analysis(
            rows=rows, success="proved" if proved else "reached", target=target, shift=shift
        )
        for name, rows in groups.items()
        if family in (None, name)
    }
    files: dict[str, list[Path]] = {name: [] for name in made}
    if output is not None:
        with busy("writing tables and pictures"):
            for name, analysis in made.items():
                files[name] = write_all(analysis, output / name if len(made) > 1 else output)
    if as_json:
        as_document(made, files)
    else:
        print_all(made, files)
