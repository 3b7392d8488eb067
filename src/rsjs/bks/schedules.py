"""
Best-known values of workloads: schedules are logs of simulations, bounds have certificates.

A cost is that of a simulation with the default options, whatever its policy is told of the epochs
that jobs run: a schedule in hindsight counts like any other. It is what a replay of the log comes
to, in which the checker and the engine hold each solution to the constraints; sums of a simulation
are floats, so there is no exact fraction. Their bounds have certificates (`certificates`).

Both are kept as they are written, packed: {"format": ..., "packed": xz in base64}.
"""

from __future__ import annotations

import json
import lzma
from base64 import b64decode, b64encode
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Workload
from rsjs.instances.io.serialization import canonical_text
from rsjs.simulation import event_log
from rsjs.simulation.event_log import Log
from rsjs.simulation.options import is_comparable
from rsjs.simulation.policy import Status

MOST, MEMORY = 2**28, 2**28  # bytes of what is unpacked, and while it is
Document = dict[str, Any]


def packed(form: str, text: str) -> Document:
    """Return a text as part of an entry."""
    return {"format": form, "packed": b64encode(lzma.compress(text.encode(), preset=9)).decode()}


def unpacked(document: Any, form: str, at: str) -> str:
    """Return the text in a part of an entry; errors point to `at`."""
    if not isinstance(document, dict) or document.get("format") != form:
        raise InputError(at, described("another document"), f"one of format {form}")
    try:
        data = b64decode(document.get("packed", ""), validate=True)
        stream = lzma.LZMADecompressor(memlimit=MEMORY)
        text = stream.decompress(data, max_length=MOST)
        if not stream.eof:
            raise ValueError(f"cut off, or more than {MOST} bytes")
        return text.decode()
    except (lzma.LZMAError, EOFError, TypeError, ValueError) as error:
        raise InputError(f"{at}/packed", described(str(error)), "xz in base64") from None


def of_log(log: Log) -> Document:
    """Return the log of a simulation as the solution of an entry."""
    return packed(event_log.FORMAT, event_log.text_of(log))


def to_log(document: Any) -> Log:
    """Return the log in the solution of an entry."""
    text = unpacked(document, event_log.FORMAT, "/solution")
    try:
        documents = [json.loads(line) for line in text.splitlines()]
    except ValueError as error:
        raise InputError("/solution/packed", described(str(error)), "lines of JSON") from None
    return event_log.of_documents(documents)


def priced(workload: Workload, log: Log) -> Document:
    """
    Price a schedule by replaying it; InputError for one that is none, or has other options.

    Returned are fields of `Cost`.
    """
    with event_log.readable():
        usual = is_comparable(log.run.get("options", {}))
    if not usual:
        found = described(canonical_text(log.run["options"]))
        raise InputError("/options", found, "the default options of a simulation")
    outcome = event_log.replay(workload, log)
    if outcome.status != Status.COMPLETE:
        raise InputError("/status", str(outcome.status), "a simulation that completed")
    totals = outcome.totals
    terms = {"tardiness": totals.tardiness, "energy": totals.energy}
    terms |= {"postponement": 0.0, "idle": 0.0}
    return {"value": totals.cost, "exact": None, "terms": terms}
