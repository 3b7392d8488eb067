"""
Best-known values of an instance: the costs that were reached, the lower bounds that were proved.

    z         least cost: the last of ub_data, each entry less than the one before
    b         greatest lower bound: the last of lb_data, each entry greater than the one before
    margin    TOLERANCE * (z - postponement) + ROUNDING; without z, TOLERANCE * |b| + ROUNDING
    closed    z - b <= margin

Postponement is left out of the margin: under overload it is nearly the whole cost and would hide
any gap elsewhere. Each value names the run or the person it comes from and who confirms it. Values
are doubles: a cost is the one nearest to the exact sum, so that the order of costs is exact; a
bound is as its method reports it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from rsjs.instances.check import ROUNDING, TOLERANCE
from rsjs.runs.gap import gap, gap_over

CLOSED = "closed"
Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A value and where it comes from; None where it is not a run of ours, or does not apply."""

    value: float  # $
    date: str  # UTC, when the run began
    source: str  # "campaign NAME", or whom to credit
    run_id: str | None = None
    method: str | None = None
    solver: str | None = None
    solver_version: str | None = None
    rsjs_version: str | None = None
    commit: str | None = None  # of the source tree, "-dirty" appended if it had other changes
    seconds: float | None = None  # wall clock of the method
    cpu_model: str | None = None

    @property
    def method_and_solver(self) -> tuple[str, str | None]:
        """Method without rule and options, and solver: runs that share both confirm nothing."""
        return re.split("[@:?]", self.method or "")[0], self.solver

    @property
    def order(self) -> tuple[str, str]:
        """Return the key that sorts the earliest run first."""
        return self.date, self.run_id or ""

    @property
    def name(self) -> str:
        """Name for messages: run and method, or the source."""
        return self.source if self.run_id is None else f"run {self.run_id} ({self.method})"

    def alone(self) -> Origin:
        """Return the fields of `Origin` only, without what a subclass adds."""
        return Origin(**{field.name: getattr(self, field.name) for field in fields(Origin)})


@dataclass(frozen=True, kw_only=True)
class Step(Origin):
    """A step of a history."""

    confirmed_by: tuple[Origin, ...] = ()  # other methods or solvers that agree, earliest first


@dataclass(frozen=True, kw_only=True)
class Cost(Step):
    """A cost that a solution has, by the exact check."""

    exact: str | None  # as a fraction; None if it is very long
    terms: Mapping[str, float]  # tardiness, postponement, energy, idle, maybe changes [$]
    solution_sha256: str  # of the canonical text of the solution's document
    verifier: str


@dataclass(frozen=True, kw_only=True)
class Bound(Step):
    """A lower bound, valid for the instance as given."""

    bound_source: str | None  # "solver", "lagrangian" or "exact"


@dataclass(frozen=True, kw_only=True)
class BestKnown:
    """Best-known values of an instance, with their history."""

    instance: str
    sha256: str
    nodes: int
    jobs: int
    made_by: Mapping[str, Any] | None  # generator, version, parameters that make it again
    ub_data: tuple[Cost, ...] = ()
    lb_data: tuple[Bound, ...] = ()
    solution: Document | None = None  # of the least cost, `rsjs-solution/1`; see `schedules`
    instance_document: Document | None = None  # `rsjs-instance/1`, if no generator makes it
    certificate: Document | None = None  # of the greatest bound, packed, see `certificates`

    @property
    def family(self) -> str:
        """The file that holds the entry: its generator's, or other."""
        return "other" if self.made_by is None else str(self.made_by["generator"])

    @property
    def cost(self) -> Cost | None:
        """The lowest cost."""
        return self.ub_data[-1] if self.ub_data else None

    @property
    def bound(self) -> Bound | None:
        """The highest lower bound."""
        return self.lb_data[-1] if self.lb_data else None

    @property
    def spent(self) -> float:
        """The lowest cost without postponement [$]; 0 without a cost."""
        return self.cost.value - self.cost.terms["postponement"] if self.cost else 0.0

    @cached_property
    def margin(self) -> float:
        """Differences up to this count as none [$]."""
        size = self.spent if self.cost else abs(self.bound.value) if self.bound else 0.0
        return TOLERANCE * size + ROUNDING

    @property
    def closed(self) -> bool:
        """Whether the lowest cost is proved to be the optimum, up to the margin."""
        if self.cost is None or self.bound is None:
            return False
        return self.cost.value - self.bound.value <= self.margin

    def agrees(self, step: Step, other: Origin) -> bool:
        """Return whether a run reached the cost, or proves the bound, of a step."""
        short = step.value - other.value
        return (abs(short) if isinstance(step, Cost) else short) <= self.margin

    @property
    def status(self) -> str:
        """Status of the instance, "closed" or "open"."""
        return CLOSED if self.closed else "open"

    @property
    def confirmed(self) -> bool:
        """Whether another method or solver proves the same bound."""
        return self.bound is not None and bool(self.bound.confirmed_by)

    @property
    def solvers(self) -> frozenset[str]:
        """Solvers with which the bound was proved."""
        proofs = () if self.bound is None else (self.bound, *self.bound.confirmed_by)
        return frozenset(proof.solver for proof in proofs if proof.solver is not None)

    def heads(self) -> Document:
        """Return what follows from the histories: status, best values, gaps."""
        cost, bound = (None if step is None else step.value for step in (self.cost, self.bound))
        return {
            "status": self.status,
            "lower_bound": bound,
            "upper_bound": cost,
            "gap": gap(cost, bound),
            "gap_without_postponement": gap_over(cost, bound, self.spent),
            "solution_sha256": self.cost and self.cost.solution_sha256,
        }

    def as_document(self) -> Document:
        """Return identity, heads and histories: the entry without solution and instance."""
        identity = {key: getattr(self, key) for key in IDENTITY}
        histories = {key: [asdict(step) for step in getattr(self, key)] for key in HISTORIES}
        return {**identity, **self.heads(), **histories}

    @staticmethod
    def of_document(document: Document) -> BestKnown:
        """Build the entry of a document that fits the schema; heads follow from the histories."""
        histories: dict[str, Any] = {
            key: tuple(
                step(**{**own, "confirmed_by": tuple(Origin(**o) for o in own["confirmed_by"])})
                for own in document[key]
            )
            for key, step in HISTORIES.items()
        }
        own = {key: document[key] for key in (*IDENTITY, *DOCUMENTS) if key in document}
        return BestKnown(**own, **histories)


IDENTITY = ("instance", "sha256", "nodes", "jobs", "made_by")
HISTORIES: Mapping[str, type[Cost | Bound]] = {"lb_data": Bound, "ub_data": Cost}
DOCUMENTS = ("solution", "instance_document", "certificate")
OF_SOME = ("certificate",)  # documents that other entries leave out
