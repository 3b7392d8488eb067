"""
Claims on an instance against what is known of it.

    a cost     is taken if the exact check agrees with it and it is less than the least known; of
               equal ones the earliest run is credited
    a bound    is taken if it is greater than the greatest known, until the instance is closed;
               one above the least cost by no more than rounding is entered as that cost
    a bound above the least cost by more is a contradiction: one of the two is wrong

Who confirms what: see `confirmation`.

Who agrees with the least cost and the greatest bound of an instance.

A run confirms a cost if it reached it, a bound if it proves it, both up to the margin, and if it
differs in method or solver from the run that is credited. Of several with the same method and
solver the earliest is named. Solutions from elsewhere confirm nothing: they may be copies.

New claims against a folder of best-known values: everything is taken, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from rsjs.best_known import storage as files
from rsjs.best_known.candidates import BoundClaim, Claims, CostClaim
from rsjs.best_known.entries import BestKnown, Bound, Cost, Origin, Step
from rsjs.best_known.exact_cost import AGREEMENT, as_text, exact_terms, verifier
from rsjs.best_known.regenerate import constructed, made_by
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.serialization import Document, canonical_text, of_solution
from rsjs.runs.gap import contradicts


def confirmed(known: BestKnown, costs: Iterable[Origin], bounds: Iterable[Origin]) -> BestKnown:
    """The same with its witnesses, from claims and from those that the histories name."""
    least, greatest, margin = known.cost, known.bound, known.margin
    if least is not None:
        at = least.value
        agree = [one for one in _runs(known.ub_data, costs) if abs(one.value - at) <= margin]
        head = replace(least, confirmed_by=_named(least, agree))
        known = replace(known, ub_data=(*known.ub_data[:-1], head))
    if greatest is not None:
        at = greatest.value
        prove = [one for one in _runs(known.lb_data, bounds) if one.value >= at - margin]
        proof = replace(greatest, confirmed_by=_named(greatest, prove))
        known = replace(known, lb_data=(*known.lb_data[:-1], proof))
    return known


def _runs(history: Iterable[Step], claims: Iterable[Origin]) -> list[Origin]:
    """Runs that claim a value now, or are named in the history, the earliest first."""
    named = [origin for step in history for origin in (step, *step.confirmed_by)]
    runs = [origin.alone() for origin in [*named, *claims] if origin.run_id is not None]
    return sorted(runs, key=lambda one: one.order)


def _named(step: Step, agree: Iterable[Origin]) -> tuple[Origin, ...]:
    """Those that differ from the step and from each other in method or solver."""
    found = {step.method_and_solver: step.alone()}
    for one in agree:
        found.setdefault(one.method_and_solver, one)
    del found[step.method_and_solver]
    return tuple(found.values())


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
    """
    What is known of an instance after claims on it.

    Attributes
    ----------
    known : BestKnown
    solution : document or None
        Of the least cost, if it is new.
    contradictions : list of Contradiction
    refused : list of str
        Claims that the exact check does not confirm.
    """

    known: BestKnown
    solution: Document | None
    contradictions: list[Contradiction]
    refused: list[str]


def merged(known: BestKnown, claims: Claims) -> Merged:
    """What is known with the claims taken into account; `known` if there is a contradiction."""
    refused: dict[str, str] = {}
    best = _least(known, claims, refused)
    least = known.cost if best is None else best[0]
    if least is not None:
        wrong = [
            Contradiction(instance=known.instance, bound=bound, cost=least)
            for bound in sorted([*known.lb_data, *claims.bounds], key=lambda bound: bound.order)
            if contradicts(least.value, bound.value)
        ]
        if wrong:
            return Merged(
                known=known, solution=None, contradictions=wrong, refused=[*refused.values()]
            )
    made = known if best is None else replace(known, ub_data=(*known.ub_data, best[0]))
    bound = None if made.closed else _greatest(made, claims.bounds)
    if bound is not None:
        made = replace(made, lb_data=(*made.lb_data, bound))
    costs = [claim for claim in claims.costs if claim.name not in refused]
    return Merged(
        known=confirmed(made, costs, [claim for claim in claims.bounds if claim.sound]),
        solution=None if best is None else best[1],
        contradictions=[],
        refused=[*refused.values()],
    )


def _least(
    known: BestKnown, claims: Claims, refused: dict[str, str]
) -> tuple[Cost, Document] | None:
    """The least of the claimed costs by the exact check, if it is less than the least known."""
    left = sorted(claims.costs, key=lambda claim: (claim.value, *claim.order))
    while left:
        least = left[0].value
        equal = [claim for claim in left if claim.value <= least + AGREEMENT * abs(least)]
        if known.cost is not None and least > known.cost.value * (1 + AGREEMENT):
            return None
        exact = []
        for claim in equal:
            try:
                exact.append(_priced(claims.instance, claim))
            except InputError as error:
                refused[claim.name] = f"{claim.name} on {known.instance}: {error}"
        if exact:
            cost, solution = min(exact, key=lambda pair: (pair[0].value, *pair[0].order))
            new = known.cost is None or cost.value < known.cost.value
            return (cost, solution) if new else None
        left = left[len(equal) :]
    return None


def _priced(instance: Instance, claim: CostClaim) -> tuple[Cost, Document]:
    decision = claim.decision()
    terms = exact_terms(instance, decision)
    total = sum(terms.values(), Fraction())
    if abs(float(total) - claim.value) > AGREEMENT * max(abs(float(total)), abs(claim.value)):
        raise InputError("", claim.value, f"{float(total)!r}, the exact cost")
    solution = of_solution(decision, instance.digest, method=claim.method, objective=float(total))
    cost = Cost(
        **{**vars(claim.alone()), "value": float(total)},
        exact=as_text(total),
        terms={name: float(value) for name, value in terms.items()},
        solution_sha256=sha256(canonical_text(solution).encode()).hexdigest(),
        verifier=verifier(),
    )
    return cost, solution


def _greatest(known: BestKnown, claims: Iterable[BoundClaim]) -> Bound | None:
    """The greatest of the claimed bounds, if it is greater than the greatest known."""
    most = float("inf") if known.cost is None else known.cost.value
    taken = [
        Bound(
            **{**vars(claim.alone()), "value": min(claim.value, most)},
            bound_source=claim.bound_source,
        )
        for claim in claims
        if claim.sound
    ]
    if not taken:
        return None
    best = min(taken, key=lambda bound: (-bound.value, *bound.order))
    return best if known.bound is None or best.value > known.bound.value else None


NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"


@dataclass(frozen=True, kw_only=True)
class Updated:
    """
    What became of claims.

    Attributes
    ----------
    before, after : mapping
        What is known of the instances with claims, by sha256; `before` lacks the new ones.
    contradictions : list of Contradiction
        If there are any, nothing was written.
    refused : list of str
        Solutions that failed the exact check.
    """

    before: Mapping[str, BestKnown]
    after: Mapping[str, BestKnown]
    contradictions: list[Contradiction] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def update(folder: Path, claims: Mapping[str, Claims]) -> Updated:
    """
    Take what is better, and what confirms; write it unless there is a contradiction.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    claims : mapping
        By sha256 of the instance.

    Raises
    ------
    InputError
        For files that cannot be read or written, and for an instance whose name another one has.
    """
    with files.locked(folder):
        known = files.read(folder)
        before = {sha256: known[sha256] for sha256 in claims if sha256 in known}
        _refuse_names(known.values(), claims)
        news = {
            digest: merged(known[digest], found) if digest in known else _begun(found)
            for digest, found in claims.items()
        }
        contradictions = [found for new in news.values() for found in new.contradictions]
        after = {sha256: new.known for sha256, new in news.items() if _says(new)}
        if not contradictions:
            solutions = {
                new.known.instance: new.solution
                for new in news.values()
                if new.solution is not None
            }
            kept = [claims[sha256].instance for sha256, one in after.items() if one.made_by is None]
            files.write(folder, {**known, **after}.values(), solutions, kept)
    return Updated(
        before=before,
        after=after,
        contradictions=contradictions,
        refused=[reason for new in news.values() for reason in new.refused],
    )


def _begun(claims: Claims) -> Merged:
    """The first claims on an instance, those by construction before all others."""
    instance = claims.instance
    nothing = BestKnown(
        instance=instance.name,
        sha256=instance.digest,
        nodes=instance.cluster.nodes,
        jobs=len(instance.jobs),
        made_by=made_by(instance),
    )
    built = merged(nothing, constructed(nothing, instance))
    new = merged(built.known, claims)
    return Merged(
        known=new.known,
        solution=new.solution or built.solution,
        contradictions=[*built.contradictions, *new.contradictions],
        refused=[*built.refused, *new.refused],
    )


def _says(new: Merged) -> bool:
    """Whether there is a cost or a bound; runs without either leave no entry."""
    return bool(new.known.ub_data or new.known.lb_data)


def _refuse_names(known: Collection[BestKnown], claims: Mapping[str, Claims]) -> None:
    names = {entry.instance: entry.sha256 for entry in known}
    for digest, found in claims.items():
        name = found.instance.name
        if not re.fullmatch(NAME, name):
            raise InputError("/name", name, f"text like {NAME}: it names files")
        if names.setdefault(name, digest) != digest:
            raise InputError("/name", name, f"another name: that is of {names[name]}")
