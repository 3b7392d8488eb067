"""Do the files of best-known values agree with each other, the instances and the solutions?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.experiments.best_known import folder as files
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.entry_checks import differs, heads, histories, solution
from rsjs.instances.io.serialization import Document


@dataclass(frozen=True, kw_only=True)
class Verified:
    """
    What was looked at, and what is wrong: a line each.

    Attributes
    ----------
    known : list of BestKnown
        All entries that could be read.
    solutions : int
        Solutions that passed the exact check.
    findings : list of str
    """

    known: list[BestKnown]
    solutions: int
    findings: list[str] = field(default_factory=list)


def verify(
    folder: Path,
    only: Collection[str] | None = None,
    on_solution: Callable[[str], None] = lambda instance: None,
) -> Verified:
    """
    Check all files in a folder of best-known values.

    Parameters
    ----------
    only : collection of str, optional
        sha256 of the instances that are made again and whose solutions are priced, instead of all.
    on_solution : callable
        Told the name of each before.

    Raises
    ------
    InputError
        If there are none.
    """
    findings: list[str] = []
    known: list[BestKnown] = []
    sound = 0
    for path in files.some_families(folder):
        try:
            document = files.read_family(path)
        except InputError as error:
            findings.append(str(error))
            continue
        entries = [BestKnown.of_document(entry) for entry in document["instances"]]
        findings += [f"{path}: {line}" for line in _family(path.stem, document, entries)]
        for entry, stated in zip(entries, document["instances"], strict=True):
            lines = [*heads(entry, stated), *histories(entry)]
            if only is None or entry.sha256 in only:
                on_solution(entry.instance)
                lines += solution(entry, folder)
                sound += entry.cost is not None and not lines
            findings += [f"{path}: {entry.instance}: {line}" for line in lines]
        known += entries
    findings += [*_names(known), *_solu(folder, known), *_strays(folder, known)]
    return Verified(known=known, solutions=sound, findings=findings)


def _family(family: str, document: Document, entries: list[BestKnown]) -> Iterator[str]:
    expected = files.as_document(family, entries)
    for key in ("family", "tolerance"):
        if document[key] != expected[key]:
            yield differs(f"/{key}", document[key], expected[key])
    for entry in entries:
        if entry.family != family:
            yield f"{entry.instance}: belongs into {entry.family}.json"
    names = [entry.instance for entry in entries]
    if names != sorted(names):
        yield "instances are not sorted by name"


def _names(known: list[BestKnown]) -> Iterator[str]:
    for what in ("instance", "sha256"):
        values = sorted(getattr(entry, what) for entry in known)
        yield from (
            f"{one}: two entries of this {what}" for one, two in pairwise(values) if one == two
        )


def _solu(folder: Path, known: list[BestKnown]) -> Iterator[str]:
    path, expected = folder / files.SOLU, files.solu(known)
    found = path.read_text("utf-8").splitlines() if path.is_file() else []
    yield from (f"{path}: no line {line!r}" for line in expected if line not in found)
    yield from (f"{path}: unexpected line {line!r}" for line in found if line not in expected)
    if sorted(found) == sorted(expected) and found != expected:
        yield f"{path}: lines are not sorted by instance"


def _strays(folder: Path, known: list[BestKnown]) -> Iterator[str]:
    expected = {files.solution_path(folder, one.instance) for one in known if one.cost is not None}
    expected |= {files.instance_path(folder, one.instance) for one in known if not one.made_by}
    found = {path for name in ("solutions", "instances") for path in folder.glob(f"{name}/*")}
    yield from (f"{path}: of no entry" for path in sorted(found - expected))
