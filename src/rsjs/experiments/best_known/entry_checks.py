"""
Does an entry of best-known values agree with itself, its instance and its solution?

Nothing in it is believed: what follows from the histories is derived again, the instance is made
again and compared with its sha256, the solution is priced again by the exact check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.experiments.best_known import folder as files
from rsjs.experiments.best_known.construction import wrong_bounds
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.making import made_again
from rsjs.experiments.best_known.origins import Cost, Step
from rsjs.experiments.best_known.pricing import as_text, exact_terms
from rsjs.experiments.gap import contradicts
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_document, read_solution
from rsjs.instances.io.serialization import Document, canonical_text


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
