"""
Gavel's traces (OSDI '20), such as the Philly-like ones: arrivals of 26 kinds of training jobs.

Seven fields, separated by tabs, no header: job type, command, name of the steps argument, whether
it needs data, total steps, arrival [s], scale factor k (GPUs). A job takes

    total steps / r,   r = steps per second on k V100

with r from simulation_throughputs.json of Gavel if that file is there too. Without it r is that of
`RATES`, one per family on one V100 (Gavel, combined_throughputs.json, MIT): batch and k are left
out, so a run time is then a guess, good to an order of magnitude.

Steps per second of Gavel's jobs on V100s, from its simulation_throughputs.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Ints
from rsjs.instances.traces.columns import TableColumns, job_records, layout_rows
from rsjs.instances.traces.io.csv import CsvLayout
from rsjs.instances.traces.io.streams import HEAD, ByteSource, pieces
from rsjs.instances.traces.records import ID_BYTES, JobRecords, Sources, TraceFormat, TraceTable

Rates = Mapping[tuple[str, float], float]
_GPU = "v100"
_KEY = re.compile(r"\('(.*)', (\d+)\)")  # ('ResNet-50 (batch size 64)', 1)


def is_rates(head: bytes) -> tuple[str, ...] | None:
    """`TraceTable.missing`: () for a JSON object whose second key is a job type with its GPUs."""
    return () if head.lstrip().startswith(b"{") and b"\"('" in head else None


def read_rates(source: ByteSource) -> Rates:
    """(job type, GPUs) -> steps per second of the job alone on V100s."""
    try:
        with source.open() as stream:
            parts = [*pieces(stream, HEAD)]
        if parts[-1:] != [b""]:
            raise EOFError("an end within the file")
        document = json.loads(b"".join(parts).decode("utf-8"))
        found = {
            (match[1], float(match[2])): float(entry["null"])
            for key, entry in document[_GPU].items()
            if (match := _KEY.fullmatch(key))
        }
    except (EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        expected = f"an object {_GPU!r} of job types with their throughput 'null'"
        raise InputError("", described(repr(error)), expected, source.name) from None
    return {key: rate for key, rate in found.items() if rate > 0}


_TRACE, _RATES = "trace", "throughputs"
_COLUMNS = ("type", "command", "steps argument", "data", "steps", "arrival", "gpus")
_WANTED = {"type": "word", "steps": "number", "arrival": "number", "gpus": "number"}
RATES: Mapping[str, float] = MappingProxyType(  # steps per second on one V100
    {
        "A3C": 7.237954214304961,
        "CycleGAN": 3.675618512816215,
        "LM": 96.24638978858054,
        "Recommendation": 0.43019487158826614,
        "ResNet-18": 46.81725852189685,
        "ResNet-50": 1.3768704198194044,
        "Transformer": 8.741806494725642,
    }
)
# The nearest network of the catalogue; only ResNet-50 and LM are in it.
_NETWORK = {
    "A3C": "AlexNet",
    "CycleGAN": "VGG16",
    "LM": "LSTM",
    "Recommendation": "LSTM",
    "ResNet-18": "MobileNetV2",
    "ResNet-50": "ResNet-50",
    "Transformer": "LSTM",
}


def _missing(head: bytes) -> tuple[str, ...] | None:
    for line in head.decode("utf-8", "replace").splitlines():
        row = line.split("\t")
        if len(row) == len(_COLUMNS) and row[2].startswith("-") and row[3] in ("0", "1"):
            return ()
    return None


def _rows(sources: Sources) -> Iterator[JobRecords]:
    rates = read_rates(sources[_RATES]) if _RATES in sources else None
    layout = CsvLayout(columns=_COLUMNS, wanted=_WANTED, separator="\t", header=False)

    def made(columns: TableColumns, file: str, line: Ints) -> JobRecords:
        return _jobs(columns, file, line, rates)

    return layout_rows(sources[_TRACE], layout, made)


def _jobs(columns: TableColumns, file: str, line: Ints, rates: Rates | None) -> JobRecords:
    code, types = columns.word("type")
    gpus, steps = columns.number("gpus"), columns.number("steps")
    submit = columns.time("arrival")
    unknown = np.full(len(line), np.nan)
    return job_records(
        file=file,
        line=line,
        id=np.char.mod("line%d", line).astype(f"S{ID_BYTES}"),
        submit=submit,
        start=unknown,
        end=unknown,
        duration=steps / _rate(code, types, gpus, rates),
        gpus=gpus,
        application=(code, types),
        flaw=columns.flaw,
    )


def _rate(code: Ints, types: tuple[str, ...], gpus: np.ndarray, rates: Rates | None) -> np.ndarray:
    """(n,) steps per second, NaN where it is not known."""
    if rates is None:
        known = [RATES.get(family(name), np.nan) for name in types]
        return np.array([*known, np.nan])[code]
    rate = np.full(len(code), np.nan)
    for k in np.unique(gpus[np.isfinite(gpus)]):
        known = [rates.get((name, k), np.nan) for name in types]
        here = gpus == k
        rate[here] = np.array([*known, np.nan])[code[here]]
    return rate


def family(job_type: str) -> str:
    """ResNet-50 of "ResNet-50 (batch size 64)"."""
    return job_type.partition(" (")[0]


GAVEL = TraceFormat(
    name="gavel",
    title="Gavel",
    tables=(
        TraceTable(name=_TRACE, missing=_missing),
        TraceTable(name=_RATES, missing=is_rates, needed=False),
    ),
    rows=_rows,
    gpu="V100",
    network=_NETWORK,
)
