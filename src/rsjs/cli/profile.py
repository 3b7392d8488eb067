"""`rsjs profile`: measured step times, as a model that generators draw jobs from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import number, print_json, print_table, writable
from rsjs.core.errors import InputError
from rsjs.instances.profiles.fitting import fit, read_measurements
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


def profile(
    file: Annotated[
        Path,
        argument("FILE", "CSV: application,gpu,gpus,batch,seconds, a row per measurement."),
    ],
    output: Annotated[
        Path | None,
        option("CATALOGUE", "Catalogue to write; one that is there is extended.", "-o", "--output"),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Fit the model of step times to measurements.

    \b
    Example:
      rsjs profile measured.csv -o applications.json
      rsjs generate andreas --profiles applications.json -N 10 -J 100 -o instance.json

    `seconds` is one training step with `batch` samples on each of `gpus` GPUs. A model is fitted
    for each application on each GPU type, and the error of each row is printed; coefficients that
    the measurements leave open are named and set to 0. An application that is in the catalogue
    already gets the new model.
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
        fitted = fit(measured)
        catalogue = with_fit(catalogue, measured, fitted)
        fits.append(_described(measured, fitted))
    if output is not None:
        write_catalogue(catalogue, output)
    document = {"file": file, "fits": fits, "catalogue": output}
    print_json(document) if as_json else _print(document)


def _described(measured: Sequence[Measurement], fitted: Fit) -> dict[str, Any]:
    """Return the model of one application on one GPU type, and its errors."""
    sizes = np.abs(fitted.errors)
    return {
        "application": measured[0].application,
        "gpu": measured[0].gpu,
        "coefficients_ms": {key: getattr(fitted.step_time, key) for key in COEFFICIENTS},
        "undetermined": fitted.undetermined,
        "gpus": sorted({row.gpus for row in measured}),
        "batches": sorted({row.batch for row in measured}),
        "spare_rows": len(measured) - len(COEFFICIENTS) + len(fitted.undetermined),
        "rms_error": fitted.rms,
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
            for row, ms, error in zip(measured, fitted.fitted, fitted.errors, strict=True)
        ],
    }


def _print(document: dict[str, Any]) -> None:
    """Print every row with its error, then a line per model."""
    rows = [
        [
            str(row["line"]),
            entry["application"],
            f"{row['gpus']} x {entry['gpu']}",
            str(row["batch"]),
            number(row["measured_ms"], 4),
            number(row["fitted_ms"], 4),
            f"{100 * row['error']:+.1f} %",
        ]
        for entry in document["fits"]
        for row in entry["rows"]
    ]
    headings = (">line", "application", ">GPUs", ">batch", ">measured [ms]", ">fitted", ">error")
    print_table("Measured and fitted step times", headings, rows)
    for entry in document["fits"]:
        model = ", ".join(f"{k} {v:.4g}" for k, v in entry["coefficients_ms"].items())
        errors = (f"{100 * entry[f'{k}_error']:.1f} % {k}" for k in ("rms", "median", "largest"))
        print(f"\n{entry['application']} on {entry['gpu']}: {model} [ms, rho -]")
        print(f"  error {', '.join(errors)}, {len(entry['rows'])} rows")
        if entry["undetermined"]:
            print(f"  not determined by these rows, set to 0: {', '.join(entry['undetermined'])}")
        if entry["spare_rows"] <= 0:
            print("  no more rows than coefficients: these errors say nothing")
        if entry["gpus"] == [1]:
            print("  measured on one GPU only: no jobs on several will be drawn")
    if document["catalogue"] is not None:
        print(f"\nWritten to {document['catalogue']}")
