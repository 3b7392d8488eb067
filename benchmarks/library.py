"""
The golden file of a new set of the instance library: `python -m benchmarks.library NAME ...`.

It has digests, and the optima of planted and enumerable instances. A set that has one is drawn and
compared with it by `rsjs fetch-set`; one that changes gets a new name. Of decision points the
states are written too, after the simulations that the set's recipe names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError
from rsjs.formulations.enumeration import best
from rsjs.instances.costs import terms
from rsjs.instances.generators import planted
from rsjs.instances.io.csv_tables import write_rows
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.library.sets import (
    COLUMNS,
    POINTS,
    calls,
    draw,
    drawings,
    drawn_workload,
    recipes,
)
from rsjs.instances.mig.jobs import JobSet
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.snapshots import Moments, points

DATA = Path(__file__).parents[1] / "instances" / "library" / "data"
GOLDEN = DATA / "golden"
MOST_ENUMERATED = 8  # jobs: a second at most


def record(name: str) -> None:
    """Write the golden file of a new set."""
    path = GOLDEN / f"{name}.csv"
    if path.exists():
        raise InputError("", name, "a set without golden digests: one that changes gets a new name")
    if entries := recipes()[name].get(POINTS):
        lines = [f"{canonical_text(state)}\n" for entry in entries for state in states(entry)]
        write_bytes("".join(lines).encode(), DATA / POINTS / f"{name}.jsonl")
    write_rows(path, COLUMNS, [_row(*call) for call in calls(name)])


def states(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the records of the decision points of an entry, workload by workload."""
    for arguments in drawings(entry):
        recipe = {
            "generator": entry["generator"],
            "arguments": arguments,
            "rigid": entry.get("rigid", False),
        }
        workload = drawn_workload(canonical_text(recipe))
        log = event_log.of(simulate(workload, policy(entry["policy"], workload)))
        for point in points(workload, log, Moments(use=entry["use"])):
            yield {"workload": recipe, **point.record()}


def _row(generator: str, arguments: dict[str, object]) -> list[object]:
    subject = draw(generator, arguments)
    if isinstance(subject, JobSet):
        return [subject.name, None, len(subject), subject.digest, None]
    optimum = None
    if generator == "planted":
        optimum = planted.optimum(**arguments).cost
    elif len(subject.jobs) <= MOST_ENUMERATED:
        optimum = terms(subject, best(subject)).total
    return [subject.name, subject.cluster.nodes, len(subject.jobs), subject.digest, optimum]


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        record(argument)
