"""
The files of best-known values.

    <family>.json                  everything known, one entry per instance, sorted by name
    best_known.solu                the same in one line each, as MIPLIB has it
    solutions/<instance>.json.gz   a solution of the least cost, format rsjs-solution/1
    instances/<instance>.json.gz   an instance that no generator of this package makes again

A file is written whole or not at all, and only if it changes. Solutions come first and the values
last, so an update that was ended in the middle is mended by giving it again.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

from rsjs.best_known.entries import BestKnown
from rsjs.campaigns import schema_files
from rsjs.core.errors import InputError, described, reason
from rsjs.instances.check import TOLERANCE
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.serialization import Document, canonical_text, of_instance

KIND, SOLU = "best-known", "best_known.solu"
HERE = Path("results/best_known")  # of a checkout, in the working folder


def known_here() -> Path:
    """Return the folder of the values in use: `HERE` if it is there, else the package's."""
    return HERE if HERE.is_dir() else shipped()


def shipped() -> Path:
    """Return the folder of the values that come with the package."""
    return Path(str(resources.files("rsjs.best_known.values")))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """
    The folder for one process at a time; others wait.

    It is made if it is not there, and removed again if nothing was written to it.
    """
    import fcntl

    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        expected = "a folder that can be written"
        raise InputError("", described(reason(error)), expected, folder) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # ends with the process that holds it
        yield
    finally:
        if new:
            with suppress(OSError):  # no longer empty
                folder.rmdir()
        os.close(descriptor)


def families(folder: Path) -> list[Path]:
    """The files with values."""
    return sorted(folder.glob("*.json"))


def some_families(folder: Path) -> list[Path]:
    """The same; InputError if there are none."""
    found = families(folder)
    if not found:
        expected = "some; see `rsjs bks update`"
        raise InputError("", described("no best-known values"), expected, folder)
    return found


def read_family(path: Path) -> Document:
    """
    The document in one of them.

    Raises
    ------
    InputError
        For a file that cannot be read or does not fit the schema.
    """
    return schema_files.read(path, KIND)


def read_all(folder: Path) -> list[BestKnown]:
    """Everything known, sorted by name; InputError if there is nothing."""
    some_families(folder)
    return sorted(read(folder).values(), key=lambda entry: entry.instance)


def named(known: Iterable[BestKnown], instance: str) -> BestKnown:
    """The entry of an instance; an unknown name is refused with the nearest that are known."""
    entries = {entry.instance: entry for entry in known}
    if instance not in entries:
        near = get_close_matches(instance, entries, n=3, cutoff=0.3) or sorted(entries)[:3]
        raise InputError("", instance, f"an instance, e.g. {', '.join(near)}")
    return entries[instance]


def read(folder: Path) -> dict[str, BestKnown]:
    """Everything known, by sha256 of the instance; nothing where there is no folder."""
    found = {}
    for path in families(folder):
        for document in read_family(path)["instances"]:
            known = BestKnown.of_document(document)
            found[known.sha256] = known
    return found


def solution_path(folder: Path, instance: str) -> Path:
    """Where the best solution of an instance is."""
    return folder / "solutions" / f"{instance}.json.gz"


def instance_path(folder: Path, instance: str) -> Path:
    """Where an instance is that is kept."""
    return folder / "instances" / f"{instance}.json.gz"


def write(
    folder: Path,
    known: Iterable[BestKnown],
    solutions: Mapping[str, Document],
    instances: Iterable[Instance],
) -> None:
    """
    Write everything known.

    Parameters
    ----------
    known : all entries
    solutions : mapping
        Name of the instance -> document of its new solution.
    instances : new ones to keep
    """
    for instance in instances:
        _write(instance_path(folder, instance.name), _packed(of_instance(instance)))
    for name, solution in solutions.items():
        _write(solution_path(folder, name), _packed(solution))
    entries = sorted(known, key=lambda entry: (entry.family, entry.instance))
    for family, members in groupby(entries, key=lambda entry: entry.family):
        text = json.dumps(as_document(family, members), indent=1, allow_nan=False)
        _write(folder / f"{family}.json", f"{text}\n".encode())
    _write(folder / SOLU, "".join(f"{line}\n" for line in solu(entries)).encode())


def as_document(family: str, members: Iterable[BestKnown]) -> dict[str, Any]:
    """The file of a family."""
    return {
        "format": schema_files.name(KIND),
        "family": family,
        "tolerance": TOLERANCE,
        "instances": [entry.as_document() for entry in members],
    }


def solu(known: Iterable[BestKnown]) -> list[str]:
    """The lines =opt= or =best= with the least cost, or =unkn=, sorted by instance."""
    lines = []
    for entry in sorted(known, key=lambda entry: entry.instance):
        if entry.cost is None:
            lines.append(f"=unkn=  {entry.instance}")
        else:
            word = "=opt=" if entry.closed else "=best="
            lines.append(f"{word}  {entry.instance} {entry.cost.value!r}")
    return lines


def _packed(document: Document) -> bytes:
    return gzip.compress(f"{canonical_text(document)}\n".encode(), mtime=0)


def _write(path: Path, data: bytes) -> None:
    if not path.is_file() or path.read_bytes() != data:
        write_bytes(data, path)
