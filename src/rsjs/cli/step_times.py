"""
`rsjs profile`: step times that were measured, as a law that generators draw jobs from.

Fitted step times as data, and as text.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from rsjs.cli.options import Json
from rsjs.cli.output import console, number, plain_table, print_json
from rsjs.cli.paths import writable
from rsjs.core.errors import InputError
from rsjs.instances.profiles.fitting import fit as fitted
from rsjs.instances.profiles.fitting import read_measurements
from rsjs.instances.profiles.user_catalogue import (
    COEFFICIENTS,
    empty,
    known_gpus,
    read_catalogue,
    with_fit,
    write_catalogue,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.instances.profiles.fitting import Fit, Measurement

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


def described(measured: Sequence[Measurement], found: Fit) -> dict[str, Any]:
    """The law of one application on one GPU type, and its errors."""
    sizes = np.abs(found.errors)
    return {
        "application": measured[0].application,
        "gpu": measured[0].gpu,
        "coefficients_ms": {key: getattr(found.step_time, key) for key in COEFFICIENTS},
        "undetermined": found.undetermined,
        "gpus": sorted({row.gpus for row in measured}),
        "batches": sorted({row.batch for row in measured}),
        "spare_rows": len(measured) - len(COEFFICIENTS) + len(found.undetermined),
        "rms_error": found.rms,
        "median_error": float(np.median(sizes)),
        "largest_error": float(sizes.max()),
        "rows": [
            {
                "line": row.line,
                "gpus": row.gpus,
                "batch": row.batch,
                "measured_ms": row.milliseconds,
                "fitted_ms": ms,
                "error": error,
            }
            for row, ms, error in zip(
                measured, found.fitted.tolist(), found.errors.tolist(), strict=True
            )
        ],
    }


def print_fits(document: dict[str, Any]) -> None:
    """Every row with its error, then a line per law."""
    table = plain_table("Measured and fitted step times")
    for heading in ("line", "application", "GPUs", "batch", "measured [ms]", "fitted", "error"):
        table.add_column(heading, justify="left" if heading == "application" else "right")
    for entry in document["fits"]:
        for row in entry["rows"]:
            table.add_row(
                str(row["line"]),
                entry["application"],
                f"{row['gpus']} x {entry['gpu']}",
                str(row["batch"]),
                number(row["measured_ms"], 4),
                number(row["fitted_ms"], 4),
                f"{100 * row['error']:+.1f} %",
            )
    console().print(table)
    for entry in document["fits"]:
        law = ", ".join(f"{k} {v:.4g}" for k, v in entry["coefficients_ms"].items())
        errors = (f"{100 * entry[f'{k}_error']:.1f} % {k}" for k in ("rms", "median", "largest"))
        print(f"\n{entry['application']} on {entry['gpu']}: {law} [ms, rho -]")
        print(f"  error {', '.join(errors)}, {len(entry['rows'])} rows")
        if entry["undetermined"]:
            print(f"  not determined by these rows, set to 0: {', '.join(entry['undetermined'])}")
        if entry["spare_rows"] <= 0:
            print("  no more rows than coefficients: these errors say nothing")
        if entry["gpus"] == [1]:
            print("  measured on one GPU only: no jobs on several will be drawn")
    if document["catalogue"] is not None:
        print(f"\nWritten to {document['catalogue']}")
