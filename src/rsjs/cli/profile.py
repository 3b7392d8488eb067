"""`rsjs profile`: step times that were measured, as a law that generators draw jobs from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json

app = typer.Typer(
    help="Fit execution times to measurements.\n\n\b\nExample:\n"
    "  rsjs profile fit measured.csv -o applications.json --json\n"
    "  rsjs generate andreas --profiles applications.json -N 10 -J 100 -o instance.json",
)


@app.callback()
def group() -> None: ...


@app.command("fit")
def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV: application,gpu,gpus,batch,seconds, a row per measurement."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="CATALOGUE",
            help="Catalogue to write; one that is there is extended.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Fit the step-time law to measurements, and tell the error of every row.

    \b
    Example:
      rsjs profile fit measured.csv -o applications.json

    `seconds` is one training step with `batch` samples on each of `gpus` GPUs. A law is fitted for
    each application on each GPU type; coefficients that the measurements leave open are named and
    set to 0. An application that is in the catalogue already gets the new law in place of the old.
    """
    from rsjs.cli.console import print_json
    from rsjs.cli.inputs import writable
    from rsjs.cli.profile_text import described, print_fits
    from rsjs.core.errors import InputError
    from rsjs.instances.profiles.fitting import fit as fitted
    from rsjs.instances.profiles.fitting import read_measurements
    from rsjs.instances.profiles.user_catalogue import (
        empty,
        known_gpus,
        read_catalogue,
        with_fit,
        write_catalogue,
    )

    writable(output)
    catalogue = read_catalogue(output) if output is not None and output.exists() else empty()
    groups: dict[tuple[str, str], list[int]] = {}
    rows = read_measurements(file)
    for i, row in enumerate(rows):
        if row.gpu not in (known := known_gpus(catalogue)):
            expected = f"one of {', '.join(known)}, or of gpu_types in a catalogue"
            raise InputError(f"/{row.line}/gpu", row.gpu, expected, file)
        groups.setdefault((row.application, row.gpu), []).append(i)
    fits = []
    for members in groups.values():
        measured = [rows[i] for i in members]
        found = fitted(measured)
        catalogue = with_fit(catalogue, measured, found)
        fits.append(described(measured, found))
    if output is not None:
        write_catalogue(catalogue, output)
    document = {"file": file, "fits": fits, "catalogue": output}
    print_json(document) if as_json else print_fits(document)
