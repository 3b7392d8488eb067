"""
Files of the published job generator, and its published dataset `test_jobs.json`, byte for byte.

A file is an array of objects with six fields:

    priority, isStoppable, deadline (-1 = none), timeslices (MB, one per time unit),
    cudaCoresNumber, arrivalTime

Two forms. `program`: one line with the keys in the order of the Java program's hash map and
numbers as Java prints them. `published`: as the published dataset, keys sorted, indent 4, 15
significant digits of an arrival. Neither ends with a line end.

The configuration of the dataset (Konopa, Fesl and Beranek 2025, Table 3, where the mean of the
memory is misprinted as 200) determines all but the arrivals. These come from a second stream that
the configuration does not name; its seed was recovered from the arrivals in the dataset.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from rsjs.core.errors import InputError
from rsjs.core.types import Floats
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa.generator import NO_DEADLINE, generate, to_config

_ORDER = (
    "timeslices",
    "isStoppable",
    "arrivalTime",
    "priority",
    "deadline",
    "cudaCoresNumber",
)


def program_text(jobs: JobSet) -> str:
    """Return the jobs as the program writes them, arrivals with all digits."""
    lines = []
    for row in _rows(jobs):
        text = {key: json.dumps(value, separators=(",", ":")) for key, value in row.items()}
        text["arrivalTime"] = java_number(row["arrivalTime"])
        fields = ",".join(f'"{key}":{text[key]}' for key in _ORDER)
        lines.append(f"{{{fields}}}")
    return f"[{','.join(lines)}]"


def published_text(jobs: JobSet) -> str:
    """Return the jobs in the form of the published dataset."""
    rows = [row | {"arrivalTime": float(f"{row['arrivalTime']:.15g}")} for row in _rows(jobs)]
    return json.dumps(rows, indent=4, sort_keys=True)


FORMS: Mapping[str, Callable[[JobSet], str]] = {
    "program": program_text,
    "published": published_text,
}


def java_number(value: float) -> str:
    """Return a double as Java prints it, a whole number below 10^7 without ".0"."""
    if value.is_integer() and abs(value) < 1e7:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:])) or "0"
    return f"{'-' * sign}{first}.{rest}E{int(exponent) + len(digits) - 1}"


def _rows(jobs: JobSet) -> list[dict[str, Any]]:
    memory, start = _integers(jobs.memory, jobs, "memory"), jobs.start.tolist()
    deadline = np.where(np.isinf(jobs.deadline), NO_DEADLINE, jobs.deadline)
    columns = {
        "arrivalTime": jobs.arrival.tolist(),
        "cudaCoresNumber": jobs.cuda_cores.tolist(),
        "deadline": _integers(deadline, jobs, "deadline"),
        "isStoppable": jobs.interruptible.tolist(),
        "priority": jobs.priority.tolist(),
        "timeslices": [memory[a:b] for a, b in pairwise(start)],
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _integers(values: Floats, jobs: JobSet, name: str) -> list[int]:
    whole = values.astype(np.int64)
    if (bad := np.flatnonzero(whole != values)).size:
        i = int(bad[0])
        j = i if name == "deadline" else int(np.searchsorted(jobs.start, i, side="right")) - 1
        expected = "an integer: the files of the published program have no others"
        raise InputError(f"/jobs/{j}/{name}", float(values[i]), expected)
    return list(whole.tolist())


SHA256 = "623a201745acb088aaa5e84e7f88be96e7ce8c9865033ccfd2be09141c06f438"
ARRIVAL_SEED = 189028438751160
CONFIG: dict[str, Any] = {
    "priorityConfigSettings": {
        "type": "Random",
        "distributionType": "Uniform",
        "distributionParams": {"lowerBound": 1, "upperBound": 5},
    },
    "deadlineConfigSettings": {"type": "Fixed", "deadline": 100},
    "maxRamUsageConfigSettings": {
        "type": "RandomDependentOnPrevious",
        "distributionType": "Normal",
        "distributionParams": {"mean": 2000, "sd": 50},
    },
    "maxTimeslicesNumberConfigSettings": {
        "type": "Random",
        "distributionType": "Normal",
        "distributionParams": {"mean": 5, "sd": 2},
    },
    "stoppabilityConfigSettings": {"type": "Fixed", "isStoppable": True},
    "cudaCoresConfigSettings": {"type": "Fixed", "coresNumber": 100},
    "jobsArrivalConfigSettings": {
        "type": "Random",
        "distributionType": "Poisson",
        "distributionParams": {"lambda": 10},
    },
    "numberOfJobs": 1000,
    "seed": 41,
}


def published_jobs() -> JobSet:
    """Return the 1000 jobs, arrivals with all digits."""
    return generate(
        to_config(CONFIG), name="mig-published", arrival_seed=ARRIVAL_SEED, document=CONFIG
    )


def published_dataset() -> bytes:
    """Return the bytes of the file; their sha256 is `SHA256`."""
    return published_text(published_jobs()).encode()
