"""
Certificates of bounds, `rsjs-bound/1`: what they prove, by exact arithmetic, and of which bound.

The entry of an instance keeps one, packed as in `schedules`, if it proves the greatest bound up to
`TOLERANCE`: that bound is then not just the word of a solver.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from rsjs import rsjs_verify
from rsjs.bks import schedules
from rsjs.core.errors import InputError, described
from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.serialization import canonical_text, of_instance, of_workload

Document = dict[str, Any]


def evaluated(subject: Instance | Workload, text: str) -> tuple[Fraction, Fraction, bool]:
    """Return what a certificate claims and proves [$], and whether the claim holds."""
    known = of_workload(subject) if isinstance(subject, Workload) else of_instance(subject)
    try:
        exact = rsjs_verify.subject_of(rsjs_verify.parsed(canonical_text(known)))
        return rsjs_verify.claimed_and_proved(exact, rsjs_verify.parsed(text))
    except rsjs_verify.Refused as error:
        raise InputError(error.where, described(error.found), error.expected) from None


def refuse_narrow(document: Document) -> None:
    """Raise InputError for the certificate of a bound that does not hold for every schedule."""
    for key, wanted in (("variant", "free"), ("energy", "curve")):
        if document.get(key, wanted) != wanted:
            expected = f"{wanted!r}: other bounds do not hold for every schedule"
            raise InputError(f"/{key}", document[key], expected)


def proved(subject: Instance | Workload, packed: Any) -> float:
    """Return the bound [$] that the certificate of an entry proves of every schedule."""
    text = schedules.unpacked(packed, rsjs_verify.BOUND, "/certificate")
    try:
        value = float(evaluated(subject, text)[1])
        refuse_narrow(json.loads(text))
        return value
    except InputError as error:
        where = f"/certificate{error.pointer}"
        raise InputError(where, error.value, error.expected) from None


def reaches(value: float, bound: float) -> bool:
    """Return whether what a certificate proves is the bound, up to the tolerance."""
    return value >= bound - TOLERANCE * abs(bound) - ROUNDING


def refuse_less(subject: Instance | Workload, packed: Any, bound: float) -> None:
    """Raise InputError for a certificate that does not prove a bound [$]."""
    value = proved(subject, packed)
    if not reaches(value, bound):
        raise InputError("/certificate", described(f"a proof of {value!r}"), f"one of {bound!r}")


def claims(packed: Document, bound: float) -> bool:
    """Return whether a packed certificate claims to prove a bound, checked or not."""
    document = json.loads(schedules.unpacked(packed, rsjs_verify.BOUND, "/certificate"))
    return reaches(document["bound"], bound)
