"""
A user's own catalogue, format `rsjs-catalogue/1`: applications with fitted step times.

    {"format": "rsjs-catalogue/1",
     "gpu_types": {"H100": {"memory_gb": 80, "node_base_w": 300, "train_w": 600}},
     "applications": {
       "BERT-base": {"memory_gb": 12, "samples": 130000, "batches": [8, 16], "times": {
         "T4": {"alpha": 3.1, "beta": 20.4, "rho": 0, "c0": 0, "c1": 1.2, "exchange": 6,
                "most_gpus": 4, "measurements": 12, "rms_error": 0.021}}}}}

`gpu_types` is needed for GPU types only that the catalogue of the package lacks: memory, power of a
node without its GPUs and of a GPU in training. Coefficients in ms, see `fitting`; `most_gpus` is
the largest number measured, beyond which no job is drawn. Memory 0 = no limit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, escaped
from rsjs.instances.catalogue.gpus import SAMPLES, StepTime, gpu_names
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.json_schema import fit as fit_schema
from rsjs.instances.io.json_schema import schema_text
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.profiles.fitting import Fit, Measurement

CATALOGUE = "rsjs-catalogue/1"
COEFFICIENTS = ("alpha", "beta", "rho", "c0", "c1", "exchange")


def read_catalogue(path: str | Path) -> Document:
    """
    Read a catalogue.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    document: Document = read_json(path)
    fit_schema(document, schema_text("catalogue", "rsjs.instances.profiles"), path)
    for name, application in document["applications"].items():
        for gpu in application["times"]:
            if gpu not in known_gpus(document):
                pointer = f"/applications/{escaped(name)}/times/{escaped(gpu)}"
                raise InputError(pointer, gpu, f"one of {', '.join(known_gpus(document))}", path)
    return document


def empty() -> Document:
    """Return a catalogue without applications."""
    return {"format": CATALOGUE, "gpu_types": {}, "applications": {}}


def known_gpus(document: Document) -> list[str]:
    """Return the GPU types of the package and those of a catalogue."""
    return [*dict.fromkeys([*gpu_names(), *document["gpu_types"]])]


def with_fit(document: Document, measured: list[Measurement], fitted: Fit) -> Document:
    """Return the catalogue with the fit of an application on a GPU type in place of the old one."""
    name, gpu = measured[0].application, measured[0].gpu
    before = document["applications"].get(
        name, {"memory_gb": 0, "samples": SAMPLES, "batches": [], "times": {}}
    )
    batches = sorted({*before["batches"], *(row.batch for row in measured)})
    times: dict[str, Any] = {
        **{key: float(f"{getattr(fitted.step_time, key):.6g}") for key in COEFFICIENTS},
        "most_gpus": max(row.gpus for row in measured),
        "measurements": len(measured),
        "rms_error": float(f"{fitted.rms:.3g}"),
    }
    application = {**before, "batches": batches, "times": {**before["times"], gpu: times}}
    return {**document, "applications": {**document["applications"], name: application}}


def write_catalogue(document: Document, path: str | Path) -> None:
    """Write a catalogue for people to read and change."""
    write_bytes((json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode(), path)


def step_time_of(times: Mapping[str, float]) -> StepTime:
    """Return the step time of an application on a GPU type."""
    values = {key: float(times[key]) for key in COEFFICIENTS}
    return StepTime(**values, io_cap=float("inf"), status="measured")
