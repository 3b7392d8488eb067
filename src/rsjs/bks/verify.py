"""
Verification of the files of best-known values: entries, instances and solutions agree.

Nothing in them is believed: what follows from the histories is derived again, the instance is made
again and compared with its sha256, the solution is priced again by the exact check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from rsjs.bks import certificates, schedules, storage
from rsjs.bks.entries import BestKnown, Document
from rsjs.bks.exact_cost import priced
from rsjs.bks.regenerate import made_again, wrong_bounds
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.deserialization import to_solution
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.gap import contradicts


@dataclass(frozen=True, kw_only=True)
class Verified:
    """Result of a verification."""

    known: list[BestKnown]  # entries that were asked for and could be read
    solutions: int  # that passed the exact check
    certificates: int  # that prove their bounds in exact arithmetic
    findings: list[str]  # what is wrong, a line each


def verify(folder: Path, only: Collection[str] | None = None) -> Verified:
    """
    Check all files in a folder of best-known values; InputError if there are none.

    Files and histories are checked of all; `only` has the sha256 of the instances that are counted,
    made again and whose solutions are priced, instead of all.
    """
    findings: list[str] = []
    known: list[BestKnown] = []
    solutions = proofs = 0
    for path in storage.families(folder):
        try:
            documents = storage.read_family(path)
        except InputError as error:
            findings.append(str(error))
            continue
        entries = [BestKnown.of_document(document) for document in documents]
        names = [entry.instance for entry in entries]
        if names != sorted(names):
            findings.append(f"{path}: instances are not sorted by name")
        for entry, document in zip(entries, documents, strict=True):
            lines = [
                f"{_differs(f'/{key}', document[key], expected)} by its history"
                for key, expected in entry.heads().items()
                if document[key] != expected
            ]
            lines += _histories(entry)
            if entry.family != path.stem:
                lines.append(f"belongs into {entry.family}.jsonl")
            if only is None or entry.sha256 in only:
                lines += _instance_and_solution(entry)
                solutions += entry.cost is not None and not lines
                proofs += entry.certificate is not None and not lines
            findings += [f"{path}: {entry.instance}: {line}" for line in lines]
        known += entries
    for key in ("instance", "sha256"):
        counts = Counter(getattr(entry, key) for entry in known)
        findings += [f"{value}: two entries of this {key}" for value, n in counts.items() if n > 1]
    known = [entry for entry in known if only is None or entry.sha256 in only]
    return Verified(known=known, solutions=solutions, certificates=proofs, findings=findings)


def _histories(entry: BestKnown) -> Iterator[str]:
    """Check that steps improve, bounds are not above the least cost, and witnesses agree."""
    for name, sign, history in (("lb_data", 1, entry.lb_data), ("ub_data", -1, entry.ub_data)):
        for k, (old, new) in enumerate(pairwise(history), start=1):
            if sign * new.value <= sign * old.value:
                yield f"/{name}/{k}/value: {new.value!r} is not better than {old.value!r} before"
        for k, step in enumerate(history):
            seen = {step.method_and_solver}
            for other in step.confirmed_by:
                if other.method_and_solver in seen:
                    where = f"/{name}/{k}/confirmed_by"
                    yield f"{where}: {other.name} differs in neither method nor solver"
                seen.add(other.method_and_solver)
        for other in history[-1].confirmed_by if history else ():
            if not entry.agrees(history[-1], other):
                values = f"{other.name} has {other.value!r}, not {history[-1].value!r}"
                yield f"/{name}/-1/confirmed_by: {values}"
    for k, bound in enumerate(entry.lb_data):
        if entry.cost is not None and contradicts(entry.cost.value, bound.value):
            yield f"/lb_data/{k}/value: {bound.value!r} above the cost {entry.cost.value!r}"


def _instance_and_solution(entry: BestKnown) -> Iterator[str]:
    """Make the instance and what is known by its construction again, price the solution."""
    try:
        instance = made_again(entry)
        if instance.name != entry.instance:
            yield _differs("/instance", entry.instance, instance.name)
        yield from wrong_bounds(entry, instance)
        cost, document = entry.cost, entry.solution
        digest = document and sha256(canonical_text(document).encode()).hexdigest()
        if cost is None or document is None:
            if cost is not None:
                yield "/solution: found none, expected that of the least cost"
            elif document is not None:
                yield "/solution: found one, expected none without a cost"
        elif digest != cost.solution_sha256:
            yield f"/solution: has sha256 {digest}, expected {cost.solution_sha256}"
        elif (other := document.get("instance", instance.digest)) != instance.digest:
            yield f"/solution: is for instance {other}, expected {instance.digest}"
        else:
            for key, expected in _priced(instance, document).items():
                if getattr(cost, key) != expected:
                    found = _differs(f"/ub_data/-1/{key}", getattr(cost, key), expected)
                    yield f"{found} by the exact check"
        yield from _certificate(entry, instance)
    except InputError as error:
        yield str(error)


def _priced(instance: Instance | Workload, document: Document) -> Document:
    if isinstance(instance, Workload):
        return schedules.priced(instance, schedules.to_log(document))
    fit(document, schema_text("solution"), "/solution")
    return priced(instance, to_solution(document))


def _certificate(entry: BestKnown, instance: Instance | Workload) -> Iterator[str]:
    """Evaluate the certificate of the greatest bound again, where there is one."""
    if entry.certificate is None:
        if isinstance(instance, Workload) and entry.bound is not None:
            yield "/certificate: found none, expected one of the bound of a workload"
        return
    if entry.bound is None:
        yield "/certificate: found one, expected none but of a bound"
        return
    proved = certificates.proved(instance, entry.certificate)
    if not certificates.reaches(proved, entry.bound.value):
        yield f"/certificate: proves {proved!r}, expected the bound {entry.bound.value!r}"


def _differs(where: str, found: object, expected: object) -> str:
    return f"{where}: found {found!r}, expected {expected!r}"
