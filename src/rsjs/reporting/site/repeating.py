"""How a run is made again, and what it printed last."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rsjs.core.errors import InputError
from rsjs.instances.io.bounded_files import read_bytes, unpacked
from rsjs.reporting.objectives import is_schedule
from rsjs.reporting.rows import known
from rsjs.reporting.site.material import Material

LINES, LONGEST = 20, 2000  # of a log, characters


def command(row: Mapping[str, Any], material: Material) -> str:
    """`rsjs solve` or `mig schedule` on the very instance of a run; "" if that was not kept."""
    file = material.solved(dict(row))
    if file is None:
        return ""
    verb = ["mig", "schedule"] if is_schedule(row) else ["solve"]
    words = ["rsjs", *verb, file.as_posix(), "--method", row["spelling"]]
    options = {
        "--time-limit": "time_limit",
        "--gap": "gap_limit",
        "--threads": "threads",
        "--seed": "seed",
        "--memory-limit": "memory_limit_mb",
    }
    if is_schedule(row):
        del options["--gap"]  # what it is given is a proof or the end of its time
    for option, key in options.items():
        value = known(row, key)
        words += [] if value is None else [option, _exact(value)]
    return shlex.join([*words, "-o", "schedule" if is_schedule(row) else "solution.json"])


def log_end(row: Mapping[str, Any], material: Material) -> str:
    """The last lines of a run's output; "" if it was not kept."""
    record = material.record(dict(row))
    if record is None:
        return ""
    try:
        log = unpacked(read_bytes(record / "log.gz"), record / "log.gz")
    except InputError as error:
        return str(error)
    lines = log.decode("utf-8", errors="replace").splitlines(keepends=True)
    return "".join(lines[-LINES:])[-LONGEST:].strip()


def _exact(value: float) -> str:
    """A number as an option: none of its digits lost, no exponent where an integer is asked for."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
