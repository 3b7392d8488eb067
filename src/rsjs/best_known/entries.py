"""
What is known of an instance: the costs that were reached, the lower bounds that were proved.

    z         least cost: the last of ub_data, each entry less than the one before
    b         greatest lower bound: the last of lb_data, each entry greater than the one before
    margin    TOLERANCE * (z - postponement) + ROUNDING; without z, TOLERANCE * |b| + ROUNDING
    closed    z - b <= margin

Postponement is left out of the margin: under overload it is nearly the whole cost and would hide
any gap elsewhere.

A cost or a bound, where it comes from, and who agrees.

Values are doubles: of a cost the one nearest to the exact sum, so that their order is that of the
exact costs; of a bound as its method reports it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.runs.gap import gap, gap_over


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


Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class BestKnown:
    """
    All that is known of an instance.

    Attributes
    ----------
    instance, sha256 : str
    nodes, jobs : int
    made_by : mapping or None
        generator, version, parameters that make the instance again; None if its file is kept.
    ub_data : tuple of Cost
    lb_data : tuple of Bound
    """

    instance: str
    sha256: str
    nodes: int
    jobs: int
    made_by: Mapping[str, Any] | None
    ub_data: tuple[Cost, ...] = ()
    lb_data: tuple[Bound, ...] = ()

    @property
    def family(self) -> str:
        """The file that holds the entry: its generator's, or other."""
        return "other" if self.made_by is None else str(self.made_by["generator"])

    @property
    def cost(self) -> Cost | None:
        """The least."""
        return self.ub_data[-1] if self.ub_data else None

    @property
    def bound(self) -> Bound | None:
        """The greatest."""
        return self.lb_data[-1] if self.lb_data else None

    @cached_property
    def margin(self) -> float:
        """Differences up to this are none [$]."""
        if self.cost is not None:
            return TOLERANCE * (self.cost.value - self.cost.terms["postponement"]) + ROUNDING
        return ROUNDING if self.bound is None else TOLERANCE * abs(self.bound.value) + ROUNDING

    @property
    def closed(self) -> bool:
        """Whether the least cost is proved to be the optimum, up to the margin."""
        if self.cost is None or self.bound is None:
            return False
        return self.cost.value - self.bound.value <= self.margin

    @property
    def confirmed(self) -> bool:
        """Whether somebody else proves the same bound."""
        return self.bound is not None and bool(self.bound.confirmed_by)

    @property
    def solvers(self) -> frozenset[str]:
        """Those with which the bound was proved."""
        proofs = () if self.bound is None else (self.bound, *self.bound.confirmed_by)
        return frozenset(proof.solver for proof in proofs if proof.solver is not None)

    def as_document(self) -> Document:
        """The entry as it stands in its file: what follows from the histories comes first."""
        cost = None if self.cost is None else self.cost.value
        bound = None if self.bound is None else self.bound.value
        spent = 0.0 if self.cost is None else self.cost.value - self.cost.terms["postponement"]
        kept = {key: getattr(self, key) for key in ("instance", "sha256", "nodes", "jobs")}
        return {
            **kept,
            "made_by": None if self.made_by is None else dict(self.made_by),
            "status": "closed" if self.closed else "open",
            "lower_bound": bound,
            "upper_bound": cost,
            "gap": gap(cost, bound),
            "gap_without_postponement": gap_over(cost, bound, spent),
            "solution_sha256": None if self.cost is None else self.cost.solution_sha256,
            "lb_data": [_listed(asdict(entry)) for entry in self.lb_data],
            "ub_data": [_listed(asdict(entry)) for entry in self.ub_data],
        }

    @staticmethod
    def of_document(document: Document) -> BestKnown:
        """The entry in a document that fits the schema; the heads are told by the histories."""
        kept = ("instance", "sha256", "nodes", "jobs", "made_by")
        return BestKnown(
            **{key: document[key] for key in kept},
            lb_data=tuple(Bound(**_unlisted(entry)) for entry in document["lb_data"]),
            ub_data=tuple(Cost(**_unlisted(entry)) for entry in document["ub_data"]),
        )


def _listed(entry: Document) -> Document:
    last = {"confirmed_by": list(entry.pop("confirmed_by"))}
    return {**entry, **last}


def _unlisted(entry: Document) -> Document:
    return {**entry, "confirmed_by": tuple(Origin(**found) for found in entry["confirmed_by"])}
