"""
A cost or a bound, where it comes from, and who agrees.

Values are doubles: of a cost the one nearest to the exact sum, so that their order is that of the
exact costs; of a bound as its method reports it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class Origin:
    """
    A value and where it comes from.

    Attributes
    ----------
    value : float [$]
    date : str
        UTC, when the run began.
    source : str
        "campaign NAME", or whom to credit.
    run_id, method, solver, solver_version, rsjs_version : str or None
        None where it is not a run of ours, or does not apply.
    commit : str or None
        Of the source tree, "-dirty" appended if it had other changes.
    seconds : float or None
        Wall clock of the method.
    cpu_model : str or None
    """

    value: float
    date: str
    source: str
    run_id: str | None = None
    method: str | None = None
    solver: str | None = None
    solver_version: str | None = None
    rsjs_version: str | None = None
    commit: str | None = None
    seconds: float | None = None
    cpu_model: str | None = None

    @property
    def method_and_solver(self) -> tuple[str, str | None]:
        """Method without rule and options, and solver: runs that share both confirm nothing."""
        return re.split("[@:?]", self.method or "")[0], self.solver

    @property
    def order(self) -> tuple[str, str]:
        """Who is first."""
        return self.date, self.run_id or ""

    @property
    def name(self) -> str:
        """For people: run and method, or the source."""
        return self.source if self.run_id is None else f"run {self.run_id} ({self.method})"

    def alone(self) -> Origin:
        """The same without what a subclass adds."""
        return Origin(**{field.name: getattr(self, field.name) for field in fields(Origin)})


@dataclass(frozen=True, kw_only=True)
class Step(Origin):
    """
    A step of a history.

    Attributes
    ----------
    confirmed_by : tuple of Origin
        Other methods or solvers that reached or proved the same, the earliest first.
    """

    confirmed_by: tuple[Origin, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cost(Step):
    """
    A cost that a decision has, by the exact check.

    Attributes
    ----------
    exact : str or None
        The cost as a fraction; None if it is very long.
    terms : mapping
        tardiness, postponement, energy, idle [$].
    solution_sha256 : str
        Of the canonical text of the solution's document.
    verifier : str
    """

    exact: str | None
    terms: Mapping[str, float]
    solution_sha256: str
    verifier: str


@dataclass(frozen=True, kw_only=True)
class Bound(Step):
    """
    A lower bound, valid for the instance as given.

    Attributes
    ----------
    bound_source : str or None
        "solver", "lagrangian" or "exact".
    """

    bound_source: str | None
