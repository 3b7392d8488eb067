"""Steps per second of Gavel's jobs on V100s, from its simulation_throughputs.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from rsjs.instances.errors import InputError, described
from rsjs.instances.traces.io.streams import HEAD, Source, pieces

Rates = Mapping[tuple[str, float], float]
_GPU = "v100"
_KEY = re.compile(r"\('(.*)', (\d+)\)")  # ('ResNet-50 (batch size 64)', 1)


def is_rates(head: bytes) -> tuple[str, ...] | None:
    """`Table.missing`: () for a JSON object whose second key is a job type with its GPUs."""
    return () if head.lstrip().startswith(b"{") and b"\"('" in head else None


def read_rates(source: Source) -> Rates:
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
