"""`rsjs profile`: measured step times, as a model that generators draw jobs from."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import print_json, print_table, writable
from rsjs.core.errors import InputError
from rsjs.instances.profiles import user_catalogue as catalogues
from rsjs.instances.profiles.fitting import fit, read_measurements
from rsjs.rows.select import group_by

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
    catalogue = (
        catalogues.read_catalogue(output)
        if output is not None and output.exists()
        else catalogues.empty()
    )
    rows, known = read_measurements(file), catalogues.known_gpus(catalogue)
    for row in rows:
        if row.gpu not in known:
            expected = f"one of {', '.join(known)}, or of gpu_types in a catalogue"
            raise InputError(f"/{row.line}/gpu", row.gpu, expected, file)
    fits = []
    for measured in group_by(rows, attrgetter("application", "gpu")).values():
        fitted = fit(measured)
        catalogue = catalogues.with_fit(catalogue, measured, fitted)
        fits.append(_described(measured, fitted))
    if output is not None:
        catalogues.write_catalogue(catalogue, output)
    if as_json:
        print_json({"file": file, "fits": fits, "catalogue": output})
        return
    _print(fits)
    if output is not None:
        print(f"\nWritten to {output}")


def _described(measured: Sequence[Measurement], fitted: Fit) -> dict[str, Any]:
    """Return the model of one application on one GPU type, and its errors."""
    sizes = np.abs(fitted.errors)
    return {
        "application": measured[0].application,
        "gpu": measured[0].gpu,
        "coefficients_ms": {key: getattr(fitted.step_time, key) for key in catalogues.COEFFICIENTS},
        "undetermined": fitted.undetermined,
        "gpus": sorted({row.gpus for row in measured}),
        "batches": sorted({row.batch for row in measured}),
        "spare_rows": len(measured) - len(catalogues.COEFFICIENTS) + len(fitted.undetermined),
        "rms_error": fitted.rms,
        "median_error": float(np.median(sizes)),
        "largest_error": float(sizes.max()),
        "rows": [
            {
                **{key: getattr(row, key) for key in ("line", "gpus", "batch")},
                "measured_ms": row.milliseconds,
                "fitted_ms": ms,
                "error": error,
            }
            for row, ms, error in zip(measured, fitted.fitted, fitted.errors, strict=True)
        ],
    }


def _print(fits: Sequence[dict[str, Any]]) -> None:
    """Print every row with its error, then a line per model."""
    headings = (">line", "application", ">GPUs", ">batch", ">measured [ms]", ">fitted", ">error")
    rows = []
    for entry in fits:
        for row in entry["rows"]:
            gpus, error = f"{row['gpus']} x {entry['gpu']}", f"{100 * row['error']:+.1f} %"
            times = (row["batch"], row["measured_ms"], row["fitted_ms"])
            rows.append((row["line"], entry["application"], gpus, *times, error))
    print_table("Measured and fitted step times", headings, rows)
    for entry in fits:
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
