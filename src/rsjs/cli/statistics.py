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
    by seed.
    """
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy
    from rsjs.cli.statistics_text import as_document, print_all
    from rsjs.instances.errors import InputError
    from rsjs.reporting.statistics.analysis import Analysis
    from rsjs.reporting.statistics.files import write_all
    from rsjs.reporting.statistics.stored import read_stored

    if target is not None and not 0 <= target <= 1:
        raise InputError("--target", target, "a relative gap in [0, 1], e.g. 0.01")
    if not 0 < shift < inf:
        raise InputError("--shift", shift, "a number of seconds > 0")
    writable(output, folder=True)
    analysis = Analysis(
        rows=[row for path in stored for row in read_stored(path)],
        success="proved" if proved else "reached",
        target=target,
        shift=shift,
    )
    files = []
    if output is not None:
        with busy("writing tables and pictures"):
            files = write_all(analysis, output)
    if as_json:
        as_document(analysis, files)
    else:
        print_all(analysis, files)
