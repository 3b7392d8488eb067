"""
Gavel's traces (OSDI '20), such as the Philly-like ones: arrivals of 26 kinds of training jobs.

Seven fields, separated by tabs, no header: job type, command, name of the steps argument, whether
it needs data, total steps, arrival [s], scale factor k (GPUs). A job takes

    total steps / r,   r = steps per second on k V100

with r from simulation_throughputs.json of Gavel if that file is there too. Without it r is that of
`RATES`, one per family on one V100 (Gavel, combined_throughputs.json, MIT): batch and k are left
out, so a run time is then a guess, good to an order of magnitude.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats, Ints
from rsjs.instances.traces.columns import TableBlock, job_records, read_table
from rsjs.instances.traces.io.streams import HEAD, ByteSource
from rsjs.instances.traces.records import ID_BYTES, JobRecords, TraceFormat, TraceTable

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
_GPU = "v100"
_KEY = re.compile(r"\('(.*)', (\d+)\)")  # ('ResNet-50 (batch size 64)', 1)
Rates = Mapping[tuple[str, float], float]  # (job type, GPUs) -> steps per second


def _identify_rates(head: bytes) -> tuple[str, ...] | None:
    """Return () for a JSON object whose second key is a job type with its GPUs."""
    return () if head.lstrip().startswith(b"{") and b"\"('" in head else None


_TRACE = TraceTable(
    name="trace",
    columns={"type": "word", "steps": "number", "arrival": "number", "gpus": "number"},
    order=("type", "command", "steps argument", "data", "steps", "arrival", "gpus"),
    is_row=lambda row: row[2].startswith("-") and row[3] in ("0", "1"),
    separator="\t",
)
_RATES = TraceTable(name="throughputs", identify=_identify_rates, required=False)


def _rows(sources: Mapping[str, ByteSource]) -> Iterator[JobRecords]:
    rates = _read_rates(sources[_RATES.name]) if _RATES.name in sources else None
    return read_table(_TRACE, lambda block: _jobs(block, rates), sources)


def _read_rates(source: ByteSource) -> Rates:
    """Read the rates of jobs that are alone on V100s."""
    try:
        parts = [*source.pieces(HEAD)]
        if parts[-1:] != [b""]:
            raise EOFError("an end within the file")
        document = json.loads(b"".join(parts).decode("utf-8"))
        rates = {
            (match[1], float(match[2])): float(entry["null"])
            for key, entry in document[_GPU].items()
            if (match := _KEY.fullmatch(key))
        }
    except (EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        expected = f"an object {_GPU!r} of job types with their throughput 'null'"
        raise InputError("", described(repr(error)), expected, source.name) from None
    return {key: rate for key, rate in rates.items() if rate > 0}


def _jobs(block: TableBlock, rates: Rates | None) -> JobRecords:
    code, types = block.word("type")
    gpus, steps = block.number("gpus"), block.number("steps")
    return job_records(
        block,
        id=np.char.mod("line%d", block.line).astype(f"S{ID_BYTES}"),
        submit=block.time("arrival"),
        duration=steps / _rates_of(code, types, gpus, rates),
        gpus=gpus,
        application=(code, types),
    )


def _rates_of(code: Ints, types: tuple[str, ...], gpus: Floats, rates: Rates | None) -> Floats:
    """Return (n,) steps per second, NaN where they are not known."""
    if rates is None:  # by the family, ResNet-50 of "ResNet-50 (batch size 64)"
        known = [RATES.get(name.partition(" (")[0], np.nan) for name in types]
        return np.array([*known, np.nan])[code]
    rate = np.full(len(code), np.nan)
    for k in np.unique(gpus[np.isfinite(gpus)]):
        known = [rates.get((name, k), np.nan) for name in types]
        jobs = gpus == k
        rate[jobs] = np.array([*known, np.nan])[code[jobs]]
    return rate


GAVEL = TraceFormat(
    name="gavel",
    title="Gavel",
    licence="MIT",
    tables=(_TRACE, _RATES),
    rows=_rows,
    gpu="V100",
    network=_NETWORK,
)
