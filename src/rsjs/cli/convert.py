"""`rsjs convert`: the CSV files of the authors' program, to our format and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.api import save
from rsjs.cli.options import Json, report
from rsjs.cli.paths import writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io import gpuscheduler_csv
from rsjs.instances.io.files import SolutionFile, read_any


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE", help="Folder with the three CSV files, or an instance or workload."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="TARGET", help="File to write, or folder for the CSV files."
        ),
    ],
    as_json: Json = False,
) -> None:
    """
    Convert the CSV files of the authors' program, or write them.

    \b
    Example:
      rsjs convert folder-with-csv -o instance.json.gz
      rsjs convert instance.json.gz -o folder-with-csv

    The program is GPUScheduler. Jobs submitted at one time become an instance, others a
    workload. The CSV files have no place for objective, H, rho and a placement: read back,
    they are the program's own.
    """

    if source.is_dir():
        writable(output)
        with busy("converting"):
            subject = gpuscheduler_csv.read_any(source)
            save(subject, output)
    else:
        writable(output, folder=True)
        with busy("converting"):
            found = read_any(source)
            if isinstance(found, SolutionFile):
                raise InputError("", described("a solution"), "an instance or a workload", source)
            subject = found
            gpuscheduler_csv.write(subject, output)
    report(subject, output, as_json=as_json)
