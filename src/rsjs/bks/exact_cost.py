"""Cost of a solution by both checkers, which must agree."""

from __future__ import annotations

from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import Any

from rsjs import rsjs_verify
from rsjs.core.errors import InputError, described
from rsjs.instances.check import ROUNDING, check
from rsjs.instances.instance import Instance
from rsjs.instances.io.serialization import canonical_text, of_instance, of_solution
from rsjs.instances.solution import Solution

AGREEMENT = 1e-9  # relative, between the check in floating point and the exact one
LONGEST = 1024  # bits of a numerator and denominator that are written out


def exact_verdict(
    instance: str, solution: str, files: tuple[Path | None, Path | None] = (None, None)
) -> rsjs_verify.Verdict:
    """
    Verify a solution with `rsjs_verify`; every number is the fraction that its text says.

    Both are JSON documents; an InputError for others names the file that it comes from.
    """
    file = files[0]
    try:
        subject = rsjs_verify.Instance(rsjs_verify.parsed(instance))
        file = files[1]
        document = rsjs_verify.fit(rsjs_verify.parsed(solution), rsjs_verify.THE_SOLUTION)
        return rsjs_verify.verify(subject, document)
    except rsjs_verify.Refused as error:
        raise InputError(error.where, described(error.found), error.expected, file) from None


def agree(exact: Fraction | None, cost: float | None) -> bool:
    """Return whether the costs of both checkers differ by rounding only, or there are none."""
    if exact is None or cost is None:
        return exact is None and cost is None
    return isclose(exact, cost, rel_tol=AGREEMENT, abs_tol=ROUNDING)


def priced(instance: Instance, solution: Solution) -> dict[str, Any]:
    """
    Price a feasible solution exactly, and compare with the check in floating point.

    Returned are fields of `Cost`: the nearest double, the fraction, its terms. Numbers are the
    fractions that the canonical text of the instance says. An InputError tells of a solution that
    is not feasible, or that the checkers price differently.
    """
    verdict = check(instance, solution)
    document = of_solution(solution, instance.digest)
    exact = exact_verdict(canonical_text(of_instance(instance)), canonical_text(document))
    for violation in [*verdict.violations, *exact.violations]:
        raise InputError("", described(str(violation)), f"a solution for {instance.name}")
    cost, terms = exact.objective, exact.terms
    assert cost is not None, "priced if feasible"
    assert terms is not None, "priced if feasible"
    if not agree(cost, verdict.objective):
        expected = f"{float(cost)!r}, the exact cost, on {instance.name}"
        raise InputError("", verdict.objective, expected)
    bits = cost.numerator.bit_length() + cost.denominator.bit_length()
    return {
        "value": float(cost),
        "exact": str(cost) if bits <= LONGEST else None,
        "terms": {name: float(term) for name, term in terms.items()},
    }
