"""
Claims on an instance against what is known of it.

    a cost     is taken if the exact check agrees with it and it is less than the least known; of
               equal ones the earliest run is credited
    a bound    is taken if it is greater than the greatest known, until the instance is closed;
               one above the least cost by no more than rounding is entered as that cost
    a bound above the least cost by more is a contradiction: one of the two is wrong

Who confirms what: see `confirmation`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256

from rsjs.core.errors import InputError
from rsjs.experiments.best_known.claims import BoundClaim, Claims, CostClaim
from rsjs.experiments.best_known.confirmation import confirmed
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.origins import Bound, Cost, Origin
from rsjs.experiments.best_known.pricing import AGREEMENT, as_text, exact_terms, verifier
from rsjs.experiments.gap import contradicts
from rsjs.instances.instance import Instance
from rsjs.instances.io.serialization import Document, canonical_text, of_solution


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
