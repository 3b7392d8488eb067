"""
Do the files of best-known values agree with each other, the instances and the solutions?

Does an entry of best-known values agree with itself, its instance and its solution?

Nothing in it is believed: what follows from the histories is derived again, the instance is made
again and compared with its sha256, the solution is priced again by the exact check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from rsjs.best_known import storage as files
from rsjs.best_known.entries import BestKnown, Cost, Step
from rsjs.best_known.exact_cost import as_text, exact_terms
from rsjs.best_known.regenerate import made_again, wrong_bounds
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_document, read_solution
from rsjs.instances.io.serialization import Document, canonical_text
from rsjs.runs.gap import contradicts


def heads(entry: BestKnown, stated: Document) -> Iterator[str]:
    """What follows from the histories."""
    for key, expected in entry.as_document().items():
        if stated[key] != expected:
            yield f"{differs(f'/{key}', stated[key], expected)} by its history"


def histories(entry: BestKnown) -> Iterator[str]:
    """Every step better than the one before, no bound above the least cost, true witnesses."""
    sides: tuple[tuple[str, int, Sequence[Step]], ...] = (
        ("lb_data", 1, entry.lb_data),
        ("ub_data", -1, entry.ub_data),
    )
    for name, sign, history in sides:
        for k, (old, new) in enumerate(pairwise(history), start=1):
            if sign * new.value <= sign * old.value:
                yield f"/{name}/{k}/value: {new.value!r} is not better than {old.value!r} before"
        for k, step in enumerate(history):
            yield from (f"/{name}/{k}/confirmed_by: {line}" for line in _twice(step))
    if entry.cost is not None:
        for k, bound in enumerate(entry.lb_data):
            if contradicts(entry.cost.value, bound.value):
                yield f"/lb_data/{k}/value: {bound.value!r} above the cost {entry.cost.value!r}"
        yield from _agreement(entry.cost, entry.margin, "ub_data")
    if entry.bound is not None:
        yield from _agreement(entry.bound, entry.margin, "lb_data")


def _twice(step: Step) -> Iterator[str]:
    seen = {step.method_and_solver}
    for other in step.confirmed_by:
        if other.method_and_solver in seen:
            yield f"{other.name} differs in neither method nor solver"
        seen.add(other.method_and_solver)


def _agreement(step: Step, margin: float, where: str) -> Iterator[str]:
    for other in step.confirmed_by:
        short = step.value - other.value
        if (abs(short) if isinstance(step, Cost) else short) > margin:
            yield f"/{where}/-1/confirmed_by: {other.name} has {other.value!r}, not {step.value!r}"


def solution(entry: BestKnown, folder: Path) -> Iterator[str]:
    """The instance and what is known by its construction made again, the best solution priced."""
    try:
        instance = made_again(entry, folder)
        yield from wrong_bounds(entry, instance)
        if entry.cost is not None:
            yield from _cost(entry.cost, instance, files.solution_path(folder, entry.instance))
    except InputError as error:
        yield str(error)


def _cost(cost: Cost, instance: Instance, path: Path) -> Iterator[str]:
    text = canonical_text(read_document(path))
    digest = sha256(text.encode()).hexdigest()
    if digest != cost.solution_sha256:
        yield f"{path} has sha256 {digest}, expected {cost.solution_sha256}"
        return
    found = read_solution(path)
    if found.instance_digest != instance.digest:
        yield f"{path} is for instance {found.instance_digest}, expected {instance.digest}"
        return
    terms = exact_terms(instance, found.solution)
    total = sum(terms.values(), Fraction())
    for key, stated, exact in (
        ("value", cost.value, float(total)),
        ("exact", cost.exact, as_text(total)),
        ("terms", dict(cost.terms), {name: float(value) for name, value in terms.items()}),
    ):
        if stated != exact:
            yield f"{differs(f'/ub_data/-1/{key}', stated, exact)} by the exact check"


def differs(where: str, found: object, expected: object) -> str:
    return f"{where}: found {found!r}, expected {expected!r}"


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
