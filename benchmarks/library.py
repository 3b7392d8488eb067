"""
The golden file of a new set of the instance library: `python -m benchmarks.library NAME ...`.

It has digests, and the optima of planted and enumerable instances. A set that has one is drawn and
compared with it by `rsjs fetch-set`; one that changes gets a new name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.formulations.enumeration import best
from rsjs.instances.costs import terms
from rsjs.instances.generators import planted
from rsjs.instances.io.csv_tables import write_rows
from rsjs.instances.library.sets import COLUMNS, calls, draw
from rsjs.instances.mig.jobs import JobSet

GOLDEN = Path(__file__).parents[1] / "instances" / "library" / "data" / "golden"
MOST_ENUMERATED = 8  # jobs: a second at most


def record(name: str) -> None:
    """Write the golden file of a new set."""
    path = GOLDEN / f"{name}.csv"
    if path.exists():
        raise InputError("", name, "a set without golden digests: one that changes gets a new name")
    write_rows(path, COLUMNS, [_row(*call) for call in calls(name)])


def _row(generator: str, arguments: dict[str, object]) -> list[object]:
    subject = draw(generator, arguments)
    if isinstance(subject, JobSet):
        return [subject.name, None, len(subject), subject.digest, None]
    optimum = None
    if subject.generator["name"] == "planted":
        optimum = planted.optimum(**arguments).cost
    elif len(subject.jobs) <= MOST_ENUMERATED:
        optimum = terms(subject, best(subject)).total
    return [subject.name, subject.cluster.nodes, len(subject.jobs), subject.digest, optimum]


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        record(argument)
