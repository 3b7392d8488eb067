"""
Candidates against the best-known values: what is taken, who is credited, who confirms.

    a cost     is taken if the exact check agrees with it and it is less than the least known; of
               equal ones the earliest run is credited
    a bound    is taken if it is greater than the greatest known, until the instance is closed;
               one above the least cost by no more than rounding is entered as that cost
    a bound above the least cost by more is a contradiction: one of the two is wrong

A run confirms a cost if it reached it, a bound if it proves it, both up to the margin, and if it
differs in method or solver from the run that is credited. Of several with the same method and
solver the earliest is named. Solutions from elsewhere confirm nothing: they may be copies. An
update of a folder takes everything, or nothing if there is a contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version
from math import inf, isclose
from pathlib import Path
from typing import Any

from rsjs.bks import schedules, storage
from rsjs.bks.candidates import Candidates, CostCandidate
from rsjs.bks.certificates import claims, refuse_less
from rsjs.bks.entries import BestKnown, Bound, Cost, Document, Origin
from rsjs.bks.exact_cost import AGREEMENT, priced
from rsjs.bks.regenerate import constructed, document, made_by
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.serialization import canonical_text, of_solution
from rsjs.instances.solution import Solution
from rsjs.runs.gap import contradicts
from rsjs.simulation.event_log import Log

NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A bound above a cost that was reached."""

    instance: str
    bound: Origin
    cost: Origin

    def __str__(self) -> str:
        return (
            f"{self.instance}: bound {self.bound.value!r} $ of {self.bound.name} "
            f"above cost {self.cost.value!r} $ of {self.cost.name}"
        )


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Best-known values of an instance, updated with its candidates."""

    known: BestKnown
    contradictions: list[Contradiction] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # that the exact check does not confirm


@dataclass(frozen=True, kw_only=True)
class Updated:
    """Result of an update."""

    before: Mapping[str, BestKnown]  # by sha256, of the instances with candidates, if known
    after: Mapping[str, BestKnown]
    contradictions: list[Contradiction]  # if there are any, nothing was written
    refused: list[str]  # solutions that failed the exact check

    @property
    def changed(self) -> list[BestKnown]:
        """Changed entries, by name; none if there is a contradiction."""
        if self.contradictions:
            return []
        new = (one for digest, one in self.after.items() if one != self.before.get(digest))
        return sorted(new, key=lambda one: one.instance)


def update(folder: Path, candidates: Mapping[str, Candidates]) -> Updated:
    """
    Take what is better, and what confirms; write it unless there is a contradiction.

    The folder is made if it is missing; `candidates` are by sha256 of the instance. InputError for
    files that cannot be read or written, and for an instance whose name another one has.
    """
    with storage.locked(folder):
        known = storage.read(folder) if any(folder.glob("*.jsonl")) else {}
        before = {digest: known[digest] for digest in candidates if digest in known}
        _refuse_names(known.values(), candidates)
        results = {
            digest: merged(known[digest], new) if digest in known else _begun(new)
            for digest, new in candidates.items()
        }
        contradictions = [found for result in results.values() for found in result.contradictions]
        after = {  # runs without cost or bound leave no entry
            digest: result.known
            for digest, result in results.items()
            if result.known.ub_data or result.known.lb_data
        }
        if not contradictions:
            storage.write(folder, {**known, **after}.values())
    refused = [reason for result in results.values() for reason in result.refused]
    return Updated(before=before, after=after, contradictions=contradictions, refused=refused)


def _refuse_names(known: Collection[BestKnown], candidates: Mapping[str, Candidates]) -> None:
    names = {entry.instance: entry.sha256 for entry in known}
    for digest, new in candidates.items():
        name = new.instance.name
        if not re.fullmatch(NAME, name):
            raise InputError("/name", name, f"text like {NAME}: it names files")
        if names.setdefault(name, digest) != digest:
            raise InputError("/name", name, f"another name: that is of {names[name]}")


def _begun(candidates: Candidates) -> Merged:
    """Merge the first candidates of an instance, those by construction before all others."""
    instance = candidates.instance
    recipe = None if candidates.stranger else made_by(instance)
    nothing = BestKnown(
        instance=instance.name,
        sha256=instance.digest,
        nodes=instance.cluster.nodes,
        jobs=len(instance.jobs),
        made_by=recipe,
        instance_document=document(instance) if recipe is None else None,
    )
    return merged(merged(nothing, constructed(nothing, instance)).known, candidates)


def merged(known: BestKnown, candidates: Candidates) -> Merged:
    """Merge candidates into the best-known values; `known` itself if there is a contradiction."""
    best, refused = _least(known, candidates)
    reasons = [*refused.values()]
    cost = known.cost if best is None else best[0]
    if cost is not None:
        contradictions = [
            Contradiction(instance=known.instance, bound=bound.alone(), cost=cost.alone())
            for bound in sorted(
                [*known.lb_data, *candidates.bounds, *candidates.unsound], key=lambda one: one.order
            )
            if contradicts(cost.value, bound.value)
        ]
        if contradictions:
            return Merged(known=known, contradictions=contradictions, refused=reasons)
    if best is not None:
        known = replace(known, ub_data=(*known.ub_data, best[0]), solution=best[1])
    bounds, bound = candidates.bounds, None
    while not known.closed and (bound := _greatest(known, bounds)) is not None:
        if not (reason := _unproved(candidates, bound)):
            break
        reasons.append(reason)
        bounds = [one for one in bounds if one.name != bound.name]
    if bound is not None:
        known = replace(known, lb_data=(*known.lb_data, bound))
    known = replace(known, certificate=_certificate(known, bound, candidates))
    costs = [one for one in candidates.costs if one.name not in refused]
    return Merged(known=_confirmed(known, costs, bounds), refused=reasons)


def _least(
    known: BestKnown, candidates: Candidates
) -> tuple[tuple[Cost, Document] | None, dict[str, str]]:
    """
    Return the least cost by the exact check and its solution, None if no less than the least known.

    Also returned is why candidates are refused, by their names.
    """
    exact: list[tuple[Cost, Document]] = []
    refused: dict[str, str] = {}
    for candidate in sorted(candidates.costs, key=lambda one: (one.value, *one.order)):
        least = exact[0][0] if exact else known.cost
        if least is not None and candidate.value > least.value * (1 + AGREEMENT):
            break
        try:
            exact.append(_priced(candidates, candidate))
        except InputError as error:
            refused[candidate.name] = f"{candidate.name} on {known.instance}: {error}"
    best = min(exact, key=lambda pair: (pair[0].value, *pair[0].order), default=None)
    if best is not None and known.cost is not None and best[0].value >= known.cost.value:
        best = None
    return best, refused


def _priced(candidates: Candidates, candidate: CostCandidate) -> tuple[Cost, Document]:
    instance, solution = candidates.instance, candidate.read_solution()
    if isinstance(instance, Workload) and isinstance(solution, Log):
        price, by = schedules.priced(instance, solution), "replay"
        made = schedules.of_log(solution)
    else:
        assert isinstance(instance, Instance), "solutions are of instances"
        assert isinstance(solution, Solution), "logs are of workloads"
        price, by = priced(instance, solution), "check --exact"
        told = {"method": candidate.method, "objective": price["value"]}
        made = of_solution(solution, instance.digest, **told)
    value = price["value"]
    if not isclose(value, candidate.value, rel_tol=AGREEMENT):
        raise InputError("", candidate.value, f"{value!r}, the exact cost")
    cost = Cost(
        **{**vars(candidate.alone()), **price},
        solution_sha256=sha256(canonical_text(made).encode()).hexdigest(),
        verifier=f"rsjs-bench {version('rsjs-bench')}, {by}",
    )
    return cost, made


def _greatest(known: BestKnown, candidates: Iterable[Bound]) -> Bound | None:
    """Return the greatest of the bounds, if it is greater than the greatest known."""
    highest = inf if known.cost is None else known.cost.value
    cut = [replace(one, value=min(one.value, highest)) for one in candidates]
    best = min(cut, key=lambda one: (-one.value, *one.order), default=None)
    if best is None or (known.bound is not None and best.value <= known.bound.value):
        return None
    return best


def _unproved(candidates: Candidates, bound: Bound) -> str:
    """Return why a bound is refused: its certificate, which a workload's must have; else ""."""
    instance, packed = candidates.instance, candidates.certificate_of(bound)
    try:
        if packed is not None:
            refuse_less(instance, packed, bound.value)
        elif isinstance(instance, Workload):
            raise InputError("/certificate", described("none"), "one of the bound of a workload")
    except InputError as error:
        return f"{bound.name} on {instance.name}: {error}"
    return ""


def _certificate(known: BestKnown, bound: Bound | None, candidates: Candidates) -> Document | None:
    """Return a certificate of the greatest bound: its own, that known, or another's."""
    if known.bound is None:
        return known.certificate
    own = None if bound is None else candidates.certificate_of(bound)
    for checked in (own, known.certificate):
        if checked is not None and claims(checked, known.bound.value):
            return checked
    for other in candidates.certificates.values():
        with suppress(InputError):
            refuse_less(candidates.instance, other, known.bound.value)
            return other
    return None


def _confirmed(known: BestKnown, costs: Iterable[Origin], bounds: Iterable[Origin]) -> BestKnown:
    """Return the entry with its witnesses, from candidates and from those the histories name."""
    for key, candidates in (("ub_data", costs), ("lb_data", bounds)):
        if history := getattr(known, key):
            head = history[-1]
            named = [origin for step in history for origin in (step, *step.confirmed_by)]
            runs = [one.alone() for one in (*named, *candidates) if one.run_id is not None]
            first = {head.method_and_solver: head}  # then of each other method and solver
            for one in sorted(runs, key=lambda one: one.order):
                if known.agrees(head, one):
                    first.setdefault(one.method_and_solver, one)
            _, *witnesses = first.values()
            confirmed = replace(head, confirmed_by=(*witnesses,))
            steps: dict[str, Any] = {key: (*history[:-1], confirmed)}
            known = replace(known, **steps)
    return known
