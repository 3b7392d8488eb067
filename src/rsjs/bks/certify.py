"""
Certificates for known bounds: made by `formulations.certificates`, kept if they reach them.

What proves more than the greatest bound raises it. Entries are written a few at a time, so that
the next call goes on where one was ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from rsjs.bks import schedules
from rsjs.bks.candidates import Candidates
from rsjs.bks.entries import BestKnown, Bound, Document
from rsjs.bks.merge import Updated, update
from rsjs.bks.regenerate import made_again
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.provenance import utc

SOURCE = "certificate"
AT_ONCE = 20  # entries between two times of writing
SHORT = 0.8e-6  # relative: less than the tolerance, so that prices may be rounded


def without(known: Iterable[BestKnown]) -> list[BestKnown]:
    """Return entries of instances whose greatest bound has no certificate, small ones first."""
    missing = (one for one in known if one.bound is not None and one.certificate is None)
    return sorted(missing, key=lambda one: (one.jobs, one.instance))


def certify(folder: Path, entries: list[BestKnown], seconds: float) -> Iterator[Updated]:
    """
    Make certificates of entries and write them into the folder, yielding each update.

    `seconds` is about what the tree of an instance may take.
    """
    rest = iter(entries)
    while some := [*islice(rest, AT_ONCE)]:
        made = {one.sha256: candidate(one, seconds) for one in some}
        yield update(folder, {sha256: found for sha256, found in made.items() if found is not None})


def candidate(entry: BestKnown, seconds: float) -> Candidates | None:
    """Return the best certificate of an entry; None if its objective has none."""
    instance = made_again(entry)
    assert entry.bound is not None, "there is a bound to prove"
    if not isinstance(instance, Instance):
        return None
    targets = [short_of(entry.bound.value)]
    if entry.cost is not None and not entry.closed:
        targets.append(entry.cost.value - entry.margin / 2)
    try:
        made = [certificate_of(instance, target, seconds) for target in targets]
    except InputError:
        return None
    return offered(instance, max(made, key=lambda one: one["bound"]))


def short_of(bound: float) -> float:
    """Return a bound [$] that is the same up to the tolerance, for prices that are rounded."""
    return bound - SHORT * abs(bound)


def certificate_of(instance: Instance, target: float, seconds: float) -> Document:
    """Return a certificate of a target [$], or of less if time ends; InputError if none can be."""
    from rsjs.formulations.certificates.tree import certificate

    return certificate(instance, target, stop=_after(seconds))


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def offered(instance: Instance, document: Document) -> Candidates:
    """Return a certificate as a candidate."""
    bound = Bound(
        value=document["bound"],
        date=utc(),
        source=SOURCE,
        rsjs_version=version("rsjs-bench"),
        bound_source="certificate",
    )
    packed = schedules.packed(document["format"], canonical_text(document))
    return Candidates(instance=instance, bounds=[bound], certificates={SOURCE: packed})
