"""`rsjs collect`: the records of a store as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json


def collect(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Stores of `rsjs run`; several count as one."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the tables.")
    ],
    as_json: Json = False,
) -> None:
    """
    Collect the records of a campaign into tables.

    \b
    Example:
      rsjs collect results -o tables
      rsjs collect shard1 shard2 -o tables
      rsjs statistics tables -o statistics

    DIR gets rows.csv, a row per run, with the best bound of each instance over all runs;
    events.json, the course of each run; skipped.csv, what was not run and why; with pyarrow also
    rows.parquet and events.parquet. Every file of a record is compared with its sum: exit code 1 if
    a record cannot be read or a run of the plan is missing.
    """
    from rsjs.campaigns.collection import collect as collected
    from rsjs.campaigns.manifest import STORE
    from rsjs.cli.campaign_text import print_collected
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy
    from rsjs.core.errors import InputError, described
    from rsjs.reporting.tables.csv_rows import write_all

    if (output / STORE).exists():
        raise InputError("-o", described("a store"), "another folder for tables", output)
    writable(output, folder=True)
    with busy("reading records"):
        found = collected(stores)
    if not found.rows and not found.corrupt:
        raise InputError("", described("no records"), "runs; see `rsjs run`", stores[0])
    with busy("writing tables"):
        written = write_all(found.rows, found.skipped, found.courses, output)
    print_collected(found, written, as_json=as_json)
    raise typer.Exit(1 if found.corrupt or found.missing else 0)
