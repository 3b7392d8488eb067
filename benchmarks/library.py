"""
The instance library drawn from nothing: `python -m benchmarks.library [PATTERN ...]`.

Writes every set whose name matches a pattern (all up to tier `large` by default) to a temporary
folder, compares each member with its golden digest and prints the seconds of each set; an error
ends it. `--record NAME ...` writes the golden file of a set that has none, with the optima of
planted and of enumerable instances. `--picture WORKLOAD ...` draws docs/images/sets.png with
workloads, such as those that `rsjs trace convert` makes, beside the sets.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.instances.generators import planted
from rsjs.instances.io.csv_tables import write_rows
from rsjs.instances.io.files import read_workload
from rsjs.instances.library.download import fetch
from rsjs.instances.library.features import features
from rsjs.instances.library.sets import COLUMNS, calls, draw, library_set, names
from rsjs.instances.mig.jobs import JobSet

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "instances" / "library" / "data" / "golden"
MOST_ENUMERATED = 8  # jobs: a second at most


def main(arguments: list[str]) -> None:
    """Compare, record or draw."""
    if arguments[:1] == ["--record"]:
        for name in arguments[1:]:
            record(name)
        return
    if arguments[:1] == ["--picture"]:
        picture([Path(name) for name in arguments[1:]])
        return
    begin = time.process_time()
    for name in names():
        chosen = library_set(name)
        wanted = any(fnmatchcase(name, pattern) for pattern in arguments)
        if wanted or (not arguments and chosen.tier != "huge"):
            print(f"{name:32s} {len(chosen.members):4d} members {seconds(name):7.2f} s", flush=True)
    print(f"{'all':32s} {'':12s} {time.process_time() - begin:7.2f} s")


def seconds(name: str) -> float:
    """Processor time to draw, compare and write a set [s]."""
    begin = time.process_time()
    folder = tempfile.mkdtemp(prefix="rsjs-library-")
    try:
        for _ in fetch(library_set(name), folder):
            pass
    finally:
        shutil.rmtree(folder)
    return time.process_time() - begin


def record(name: str) -> None:
    """Write the golden file of a new set."""
    path = GOLDEN / f"{name}.csv"
    if path.exists():
        raise InputError("", name, "a set without golden digests: one that changes gets a new name")
    write_rows(path, COLUMNS, [_row(*call) for call in calls(name)])


def picture(workloads: list[Path]) -> None:
    """Draw the sets, and workloads by the names of their files."""
    from rsjs.cli.show import points_of_sets
    from rsjs.reporting.figures.inputs import set_picture

    others = {path.name.partition(".")[0]: features(read_workload(path)) for path in workloads}
    set_picture(points_of_sets(), ROOT / "docs" / "images" / "sets.png", others=others)


def _row(generator: str, arguments: dict[str, object]) -> list[object]:
    subject = draw(generator, arguments)
    nodes = None if isinstance(subject, JobSet) else subject.cluster.nodes
    return [subject.name, nodes, _count(subject), subject.digest, _optimum(subject, arguments)]


def _count(subject: object) -> int:
    return len(subject) if isinstance(subject, JobSet) else len(subject.jobs)


def _optimum(subject: object, arguments: dict[str, object]) -> float | None:
    """By construction, or by enumeration if there are few jobs."""
    if isinstance(subject, JobSet):
        return None
    if subject.generator["name"] == "planted":
        return planted.optimum(**arguments).cost
    if len(subject.jobs) > MOST_ENUMERATED:
        return None
    from rsjs.formulations.enumeration import best
    from rsjs.instances.costs import terms

    return terms(subject, best(subject)).total


if __name__ == "__main__":
    main(sys.argv[1:])
