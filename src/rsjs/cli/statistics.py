"""`rsjs statistics`: what the stored rows of comparisons say together, as text or JSON."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated

from rsjs.cli.options import Baseline, Json, argument, option, options_named
from rsjs.cli.output import print_json, print_text, show_table, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError
from rsjs.reporting.statistics.analysis import Analysis, baseline_of
from rsjs.reporting.statistics.gaps import with_trajectories
from rsjs.reporting.statistics.tables import tables, write_all
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.rows.select import by_family

STORED = "Folders of `rsjs compare` or `rsjs collect`, or their rows.csv or rows.parquet."


def statistics(
    stored: Annotated[list[Path], argument("ROWS", STORED)],
    output: Annotated[
        Path | None, option("DIR", "Folder for tables and pictures.", "-o", "--output")
    ] = None,
    target: Annotated[
        float | None, option("GAP", "Gap that counts as solved; the runs' gap limit.", "--target")
    ] = None,
    proved: Annotated[
        bool, option(None, "Solved only if the method's own bound proves the gap.", "--proved")
    ] = False,
    family: Annotated[
        str | None, option("NAME", "Only instances of this family.", "--family")
    ] = None,
    shift: Annotated[float, option("SECONDS", "Of the shifted geometric mean.", "--shift")] = 1.0,
    baseline: Baseline = None,
    as_json: Json = False,
) -> None:
    """
    Count, average, test and rank the methods of stored comparisons, and audit their fairness.

    \b
    Example:
      rsjs compare *.json --methods jahani_patterns@highs,greedy:paper -o seed0
      rsjs compare *.json --methods jahani_patterns@highs,greedy:paper --seed 1 -o seed1
      rsjs statistics seed0 seed1 -o statistics

    Nothing is run: rows.csv is read, and events.json beside it for what needs trajectories. The
    first table is the ranked summary. With --baseline each method is compared with that one only,
    and Holm's correction is for these pairs. DIR gets statistics.md, each table
    as LaTeX and as CSV, and pictures: performance profiles, costs, gaps, targets, pairs of times,
    ranks.
    Instances are identified by digest, repetitions by seed.
    Rows of several families are analysed family by family, for most methods serve some only: DIR
    then gets a folder for each.
    """
    if target is not None and not 0 <= target <= 1:
        raise InputError("--target", target, "a relative gap in [0, 1], e.g. 0.01")
    if not 1 <= shift < inf:  # below, the mean would count short runs as 1 s less the shift
        raise InputError("--shift", shift, "a number of seconds >= 1")
    writable(output, folder=True)
    groups = by_family([row for path in stored for row in read_stored(path)])
    if family is not None and family not in groups:
        raise InputError("--family", family, f"one of {', '.join(groups)}")
    with options_named():
        chosen = [row for name, rows in groups.items() if family in (None, name) for row in rows]
        against = baseline_of(chosen, baseline)
    made = {
        name: Analysis(
            rows=rows,
            success="proved" if proved else "reached",
            target=target,
            shift=shift,
            baseline=against,
        )
        for name, rows in groups.items()
        if family in (None, name)
    }
    several, told = len(made) > 1, {}
    if several and not as_json:
        print_text(f"{len(made)} families, each by itself: {', '.join(made)}.")
    for name, analysis in made.items():
        files: list[Path] = []
        if output is not None:
            with busy("writing tables and pictures"):
                files = write_all(analysis, output / name if several else output)
        if as_json:
            found = {table.name: table.rows for table in tables(analysis)}
            told[name] = {**found, "conditions": analysis.conditions(), "files": files}
            continue
        if several:
            print(f"\nFamily {name}\n")
        for table in tables(analysis):
            show_table(table)
            print()
        if not with_trajectories(analysis.runs):
            print_text("No integrals and targets: they need events.json beside every rows.csv.")
        for line in analysis.conditions():
            print_text(line)
        if files:
            print_text(f"Written to {files[0].parent}: {', '.join(path.name for path in files)}")
    if as_json:
        print_json({"families": told} if several else next(iter(told.values())))
