"""Fitted step times as data, and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.cli.console import console, number, plain_table
from rsjs.instances.profiles.user_catalogue import COEFFICIENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.instances.profiles.fitting import Fit, Measurement


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
