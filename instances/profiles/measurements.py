"""
A measured profile: a CSV file with a row per measurement.

    application,gpu,gpus,batch,seconds
    BERT-base,T4,1,8,0.182
    BERT-base,T4,2,8,0.201

`seconds` is the time of one training step, in which each of `gpus` GPUs takes `batch` samples.
Rows may repeat a measurement.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.csv_tables import Row, read_rows

COLUMNS = ("application", "gpu", "gpus", "batch", "seconds")
MOST_GPUS, MOST_SAMPLES = 1024, 10**9
SHORTEST, LONGEST = 1e-9, 1e9  # s


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """
    One row.

    Attributes
    ----------
    line : int
        In the file, the header being 1.
    application, gpu : str
    gpus, batch : int
        GPUs, and samples on each of them.
    milliseconds : float
        Of a step.
    """

    line: int
    application: str
    gpu: str
    gpus: int
    batch: int
    milliseconds: float


def read_measurements(path: str | Path) -> list[Measurement]:
    """
    Read a profile.

    Raises
    ------
    InputError
        Naming the file, the line and column ("/<line>/<column>"), the value found and what was
        expected.
    """
    path = Path(path)
    rows = read_rows(path, COLUMNS)
    _refuse_other_header(path)
    return [_measurement(row) for row in rows]


def _measurement(row: Row) -> Measurement:
    name, seconds = row.name("application").strip(), row.positive("seconds")
    if not name.isprintable():
        raise row.error("application", name, "a name that can be printed")
    if not SHORTEST <= seconds <= LONGEST:
        raise row.error("seconds", row.entries["seconds"], f"{SHORTEST:g} to {LONGEST:g}")
    return Measurement(
        line=row.line,
        application=name,
        gpu=row.name("gpu").strip(),
        gpus=row.integer("gpus", 1, MOST_GPUS),
        batch=row.integer("batch", 1, MOST_SAMPLES),
        milliseconds=1000 * seconds,
    )


def _refuse_other_header(path: Path) -> None:
    lines = StringIO(read_text(path, encoding="utf-8-sig"), newline="")
    first = [cell.strip() for cell in next(csv.reader(lines))]
    for number, (found, expected) in enumerate(zip(first, COLUMNS, strict=False), start=1):
        if found != expected:
            raise InputError(f"/1/{number}", found, f"the column {expected!r}", path)
    if len(first) < len(COLUMNS):
        found = described(f"{len(first)} columns")
        raise InputError("/1", found, f"{len(COLUMNS)}: {', '.join(COLUMNS)}", path)
