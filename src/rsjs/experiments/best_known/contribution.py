"""A solution from elsewhere: its cost counts, a claimed bound does not, as nobody can check it."""

from __future__ import annotations

from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.experiments.best_known.claims import Claims, CostClaim
from rsjs.experiments.best_known.pricing import exact_terms
from rsjs.instances.io.files import read_instance, read_solution


def contributed(instance: Path, solution: Path, source: str, date: str) -> Claims:
    """
    The claim that a solution file makes.

    Parameters
    ----------
    source : str
        Whom to credit, as it will be printed.
    date : str
        UTC.

    Raises
    ------
    InputError
        For a solution of another instance, or one that fails the check.
    """
    subject, found = read_instance(instance), read_solution(solution)
    if found.instance_digest != subject.digest:
        expected = f"{subject.digest}, the sha256 of {subject.name}"
        raise InputError("/instance", found.instance_digest, expected, solution)
    try:
        cost = float(sum(exact_terms(subject, found.solution).values()))
    except InputError as error:
        raise error.at(solution) from None
    claim = CostClaim(
        value=cost, date=date, source=source, method=found.method, decision=lambda: found.solution
    )
    return Claims(instance=subject, costs=[claim])
