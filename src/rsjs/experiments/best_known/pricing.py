"""The cost of a decision by both checkers, which must agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import version

from rsjs.instances.check import check
from rsjs.instances.documents import Document, canonical_text, of_instance, of_solution
from rsjs.instances.errors import InputError, described
from rsjs.instances.exact import check_exact
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

AGREEMENT = 1e-9  # relative, between the check in floating point and the exact one
LONGEST = 1024  # bits of a numerator and denominator that are written out


def verifier() -> str:
    """What checks, and its version."""
    return f"rsjs-bench {version('rsjs-bench')}, check --exact"


def exact_terms(instance: Instance, decision: Solution) -> Mapping[str, Fraction]:
    """
    Every term of the cost of a feasible decision [$].

    Numbers are the fractions that the canonical text of the instance says.

    Raises
    ------
    InputError
        For a decision that is not feasible, or that the checkers price differently.
    """
    verdict = check(instance, decision)
    exact = check_exact(
        _as_fractions(of_instance(instance)), of_solution(decision, instance.digest)
    )
    violations = [*verdict.violations, *exact.violations]
    if violations or exact.objective is None or exact.terms is None or verdict.objective is None:
        raise InputError("", described(str(violations[0])), f"a decision for {instance.name}")
    total = float(exact.objective)
    if abs(total - verdict.objective) > AGREEMENT * max(abs(total), abs(verdict.objective)):
        raise InputError("", verdict.objective, f"{total!r}, the exact cost, on {instance.name}")
    return exact.terms


def as_text(cost: Fraction) -> str | None:
    """A fraction p/q, or p; None if it is very long."""
    bits = cost.numerator.bit_length() + cost.denominator.bit_length()
    return str(cost) if bits <= LONGEST else None


def _as_fractions(document: Document) -> Document:
    """Integral numbers stay integers: they may be indices."""
    exact: Document = json.loads(canonical_text(document), parse_float=Fraction)
    return exact
