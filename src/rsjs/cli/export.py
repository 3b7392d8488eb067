"""`rsjs export`: what authors attach to a paper."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from rsjs import library
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.output import print_facts, print_json, print_values, writable
from rsjs.cli.progress import Screen, busy
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance
from rsjs.instances.library.sets import library_set, names
from rsjs.reporting.archive.ijoc import export, paper, write_verifier
from rsjs.reporting.archive.instance_space import write_aslib, write_metadata
from rsjs.reporting.archive.source_tree import checkout
from rsjs.reporting.statistics.tidy import ROWS, read_stored

app = typer.Typer(
    help="Write what authors attach to a paper, and data for other tools.\n\n\b\nExample:\n"
    "  rsjs export verifier -o rsjs_verify.py --json\n"
    "  rsjs export features small -o metadata.csv\n"
    "  rsjs export ijoc runs/paper --number 2026.0001 -o 2026.0001\n"
    "  rsjs export dataset -o dataset",
)

Text = str | None
DAY = "a day like 2026-01-31"


@app.command("verifier")
def verifier(
    output: Annotated[Path, option("FILE", "Python file to write.", "-o", "--output")],
    as_json: Json = False,
) -> None:
    """
    Write a verifier in one file, which needs only Python 3.9.

    \b
    Example:
      rsjs export verifier -o rsjs_verify.py
      python3 rsjs_verify.py instance.json solution.json
      python3 rsjs_verify.py results

    It is an implementation of its own: all constraints and costs in exact fractions.
    """
    writable(output)
    print_values({"file": output, "sha256": write_verifier(output)}, as_json=as_json)


@app.command("ijoc")
def ijoc(
    stores: Annotated[list[Path], argument("STORE", "Stores of `rsjs run`; shards count as one.")],
    output: Annotated[Path, option("DIR", "Folder to write.", "-o", "--output")],
    number: Annotated[Text, option("NUMBER", "Of the paper, e.g. 2026.0001.")] = None,
    title: Annotated[Text, option("TEXT", "Of the paper.")] = None,
    authors: Annotated[Text, option("NAMES", "Separated by semicolons.")] = None,
    paper_doi: Annotated[Text, option("DOI", "Of the paper; by default from its number.")] = None,
    repository: Annotated[Text, option("URL", "Where the software is developed.")] = None,
    allow_dirty: Annotated[
        bool,
        option(
            None,
            "Also if runs failed, are missing or had a changed source; README notes it.",
            "--allow-dirty",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Write a paper's archive for INFORMS Journal on Computing.

    \b
    Example:
      rsjs export ijoc runs/paper --number 2026.0001 --title "..." \\
          --authors "First Author; Second Author" -o 2026.0001

    DIR, new or empty, gets README, LICENSE, AUTHORS, src, data, scripts, docs, results and
    SHA256SUMS in the journal's layout. The same stores give the same bytes. What is not known yet
    stays a placeholder and is listed at the end. A store with corrupt records is refused.
    """
    about = paper(number=number, title=title, authors=authors, doi=paper_doi, repository=repository)
    writable(output, folder=True)
    with busy("writing the archive"):
        made = export(stores, output, about, root=checkout(), allow_dirty=allow_dirty)
    if as_json:
        print_json(made)
        return
    print_facts(
        [
            ("archive", output),
            ("files", f"{made['files']}, listed in SHA256SUMS"),
            ("data", f"{made['instances']} instance files, {made['solutions']} verified solutions"),
            *([("logs", f"{made['logs']}, simulated again")] if made["logs"] else []),
            *(("defect", doubt) for doubt in made["doubts"]),
            *(("fill in", line) for line in made["left"]),
        ]
    )


@app.command("features")
def features(
    name: Annotated[str, argument("SET", "A set of instances, see `rsjs list sets`.")],
    output: Annotated[
        Path,
        option("FILE|DIR", "metadata.csv of MATILDA, or folder of a scenario.", "-o", "--output"),
    ],
    rows: Annotated[
        Path | None, option("ROWS", "Also the performance of methods: rows.csv of runs.", "--rows")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Write features and stored runs of a set for other tools.

    \b
    Example:
      rsjs export features small -o metadata.csv
      rsjs export features small --rows results/small/rows.csv -o metadata.csv
      rsjs export features small --rows results/small/rows.csv -o scenario

    A name that ends in .csv is for instance-space tools, as MATILDA reads it: Instances, Source,
    feature_NAME, and with --rows algo_METHOD, cost / least cost - 1. Any other is a folder for
    algorithm selection, a scenario of ASlib. docs/reference/features.md has the features.
    """
    table = output.suffix == ".csv"
    writable(output, *([] if rows is None else [rows, rows / ROWS]), folder=not table)
    if not table and rows is None:
        raise InputError("--rows", described("none"), "ROWS: a scenario has runs of methods")
    stored = [] if rows is None else read_stored(rows, events=False)
    with busy("drawing the instances"):
        members = _members(name)
        if table:
            write_metadata(members, stored, output)
        else:
            write_aslib(name, members, stored, output)
    print_values({"written": output, "instances": len(members)}, as_json=as_json)


@app.command("dataset")
def dataset(
    output: Annotated[Path, option("DIR", "Folder to write.", "-o", "--output")],
    sets: Annotated[
        Text, option("LIST", "Sets of the library, separated by commas; all by default.")
    ] = None,
    models: Annotated[
        str, option("recipes|files", "Of the solver track: recipes alone, or the files, too.")
    ] = "recipes",
    url: Annotated[Text, option("URL", "Where the suite or the package is found.")] = None,
    date: Annotated[
        Text, option("YYYY-MM-DD", "Of publication; that of the newest run or value by default.")
    ] = None,
    results: Annotated[
        Path | None,
        option("DIR", "Stored rows and values; results by default, here or of the sources."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Write library, values, models and runs as a data package.

    \b
    Example:
      rsjs export dataset -o dataset
      rsjs export dataset --sets small,tiny -o dataset
      rsjs export dataset --models files --url https://github.com/OWNER/NAME -o dataset

    DIR, new or empty, gets CSV, Parquet and JSON, a Croissant card (JSON-LD), .zenodo.json, the
    verifier and SHA256SUMS. The same sources give the same bytes. Instances and values are those of
    the sets, runs are all. Needs the extras `report` and `parquet`. Licence: CC-BY-4.0.
    """
    from rsjs.bks.storage import known_here
    from rsjs.formulations.milp.models import SUFFIX, fetch
    from rsjs.formulations.milp.models import models as track
    from rsjs.reporting.archive.dataset import Options, export

    writable(output, folder=True)
    with options_named("--sets"):
        chosen = tuple(map(library_set, names() if sets is None else sets.split(",")))
    for name, value, pattern, expected in (
        ("--models", models, "recipes|files", "recipes or files"),
        ("--url", url, r"https?://\S+", "an address like https://github.com/OWNER/NAME"),
        ("--date", date, r"\d{4}-\d\d-\d\d", DAY),
    ):
        if value is not None and not re.fullmatch(pattern, value):
            raise InputError(name, value, expected)
    try:
        datetime.date.fromisoformat(date or "2026-01-31")
    except ValueError:
        raise InputError("--date", date, DAY) from None

    def write_models(folder: Path) -> Iterator[Path]:
        for model, _ in fetch(track(), folder):
            yield folder / f"{model.name}{SUFFIX}"

    options = Options(
        sets=chosen,
        recipes=[{**asdict(one), "arguments": json.dumps(one.arguments)} for one in track()],
        write_models=write_models if models == "files" else None,
        url=url,
        date=date,
    )
    with Screen() as screen:
        made = export(results or known_here().parent, output, options, screen.show)
    print_values(made, as_json=as_json)


def _members(name: str) -> list[Instance]:
    """Return the instances of a set; one without any is refused."""
    if "instances" not in (kinds := library_set(name).kinds):
        raise InputError("SET", described(f"{name}, {' and '.join(kinds)}"), "a set of instances")
    return [one for one in library.load(name) if isinstance(one, Instance)]
