"""
The methods for jobs on MIG instances: a registry of its own, since names are those of the family.

Spellings, completed as those of all methods:

    RULE?poll=1                     best fit in the order of a rule, e.g. fcfs, bigrem
    local_search?iterations=30000   annealing from every rule, and the bounds of the objective
    cpsat:START                     CP-SAT from local search or a rule
    milp@SOLVER                     the time-indexed program, for small problems
    enumeration                     every schedule of a tiny problem: the oracle
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rsjs.core.call import Call, Limits, Option
from rsjs.core.method import Method
from rsjs.formulations.mig.scheduling_enumeration import MOST_JOBS, MOST_STEPS
from rsjs.heuristics.mig.scheduling_local_search import ITERATIONS
from rsjs.heuristics.mig.scheduling_rules import RULES
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.methods import Request, parse

SEARCH = "local_search"
ORDERS = {  # of the ready jobs, for lists; formulas are in `heuristics.mig_rules`
    "fcfs": "in order of arrival",
    "srpt": "fewest remaining steps first",
    "lrpt": "most remaining steps first",
    "bigrem": "most remaining steps that need the largest unit first",
    "ramdec": "largest memory of the next step first",
    "edd": "earliest deadline first",
    "bigfirst_srpt": "next step needs the largest unit first, then fewest remaining steps",
    "bigfirst_lrpt": "next step needs the largest unit first, then most remaining steps",
    "bigfirst_srbig": "next step needs the largest unit first, then fewest such steps",
}
POLL = Option(default=1, minimum=1, help="minutes between two looks into the queue")


@dataclass(frozen=True, kw_only=True)
class ScheduleMethod(Method):
    """A `Method` that serves scheduling problems on MIG instances, of any reading and objective."""

    energy: frozenset[str] = frozenset()  # empty, as the next three: no objective of instances
    tardiness_at: frozenset[str] = frozenset()
    open_nodes: frozenset[str] = frozenset()
    expectation: frozenset[str] = frozenset()
    bound_source: Literal["combinatorial", "lagrangian", "solver", "exact"] = "combinatorial"
    max_steps: int | None = None  # of all jobs that it accepts

    def refusal_of(self, problem: SchedulingProblem) -> str | None:
        """Return why this method does not serve a problem, in one line; None if it does."""
        for what, most, size in (
            ("jobs", self.max_jobs, len(problem.jobs)),
            ("steps", self.max_steps, problem.steps),
        ):
            if most is not None and size > most:
                return f"{self.name} serves up to {most} {what}, not {size}"
        return None


METHODS: Mapping[str, ScheduleMethod] = {
    method.name: method
    for method in (
        *(
            ScheduleMethod(
                name=rule,
                summary=f"best fit, {ORDERS[rule]}",
                kind="heuristic",
                run="rsjs.experiments.mig_scheduling:by_rule",
                prepare="rsjs.experiments.mig_scheduling:prepare_rule",
                options={"poll": POLL},
            )
            for rule in RULES
        ),
        ScheduleMethod(
            name=SEARCH,
            summary="annealing of the order of jobs from every rule, with a Lagrangian bound",
            kind="heuristic",
            run="rsjs.experiments.mig_scheduling:by_search",
            prepare="rsjs.experiments.mig_scheduling:prepare_search",
            bound_source="lagrangian",
            options={
                "iterations": Option(
                    default=ITERATIONS, minimum=0, help="moves, unless half the time is up before"
                )
            },
        ),
        ScheduleMethod(
            name="cpsat",
            summary="CP-SAT stage by stage from a schedule; not at all where a bound is met by it",
            kind="exact",
            run="rsjs.experiments.mig_scheduling:by_cpsat",
            prepare="rsjs.experiments.mig_scheduling:prepare_cpsat",
            bound_source="solver",
            needs="cpsat",
            rules=(SEARCH, *RULES),
        ),
        ScheduleMethod(
            name="milp",
            summary="time-indexed program in Pyomo stage by stage, for small problems",
            kind="exact",
            run="rsjs.experiments.mig_scheduling:by_program",
            prepare="rsjs.experiments.mig_scheduling:prepare_program",
            bound_source="solver",
            solvers=("highs", "scip"),
        ),
        ScheduleMethod(
            name="enumeration",
            summary="every schedule of a tiny problem, minute by minute: the oracle",
            kind="exact",
            run="rsjs.experiments.mig_scheduling:by_enumeration",
            bound_source="exact",
            max_jobs=MOST_JOBS,
            max_steps=MOST_STEPS,
        ),
    )
}


def request(spelling: str) -> Request:
    """The method for jobs on MIG instances that a spelling stands for."""
    return parse(spelling, METHODS)


def call_of(asked: Request, limits: Limits) -> Call:
    """The call of a request."""
    return Call(
        solver=asked.solver,
        rule=asked.rule,
        options=asked.options,
        limits=limits,
    )


def declared(asked: Request) -> ScheduleMethod:
    """The method of a request, which is one of this registry."""
    return METHODS[asked.method.name]


def refusal(asked: Request, problem: SchedulingProblem) -> str | None:
    """Why a method cannot run on a problem here, in one line; None if it can."""
    return asked.missing() or declared(asked).refusal_of(problem)
