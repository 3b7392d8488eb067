"""
The methods for jobs on MIG instances: a registry of its own, since names are those of the family.

Specifications, completed as those of all methods:

    RULE?poll=1                     best fit in the order of a rule, e.g. fcfs, bigrem
    local_search?iterations=30000   annealing from every rule, and the bounds of the objective
    cpsat:START                     CP-SAT from local search or a rule
    milp@SOLVER                     the time-indexed program, for small problems
    enumeration                     every schedule of a tiny problem: the oracle

Each begins with best fit and ends with a schedule and bounds; it is optimal where they meet. Half
of the time left goes to bounds before a solver, and half to a search before bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

import numpy as np

from rsjs.core.call import Call, Limits, Option
from rsjs.core.method import Method
from rsjs.core.report import Report, Stop
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig.scheduling_enumeration import MOST_JOBS, MOST_STEPS
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, paper_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, met, terms

SEARCH, ITERATIONS = "local_search", 30_000  # moves, as many as `local_search` makes by default
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
SHARE = 0.5  # of the time left
MARGIN = 0.2  # seconds of the limit kept for reading the answer
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
        jobs, steps = len(problem.jobs), problem.steps
        if self.max_jobs is not None and jobs > self.max_jobs:
            return f"{self.name} serves up to {self.max_jobs} jobs, not {jobs}"
        if self.max_steps is not None and steps > self.max_steps:
            return f"{self.name} serves up to {self.max_steps} steps, not {steps}"
        return None


METHODS: Mapping[str, ScheduleMethod] = {
    method.name: method
    for method in (
        *(
            ScheduleMethod(
                name=rule,
                summary=f"best fit, {ORDERS[rule]}",
                kind="heuristic",
                run="rsjs.runs.kinds.mig_methods:by_rule",
                prepare="rsjs.runs.kinds.mig_methods:prepare_rule",
                options={"poll": POLL},
            )
            for rule in ORDERS
        ),
        ScheduleMethod(
            name=SEARCH,
            summary="annealing of the order of jobs from every rule, with a Lagrangian bound",
            kind="heuristic",
            run="rsjs.runs.kinds.mig_methods:by_search",
            prepare="rsjs.runs.kinds.mig_methods:prepare_search",
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
            run="rsjs.runs.kinds.mig_methods:by_cpsat",
            prepare="rsjs.runs.kinds.mig_methods:prepare_cpsat",
            bound_source="solver",
            needs="cpsat",
            rules=(SEARCH, *ORDERS),
        ),
        ScheduleMethod(
            name="milp",
            summary="time-indexed program in Pyomo stage by stage, for small problems",
            kind="exact",
            run="rsjs.runs.kinds.mig_methods:by_program",
            prepare="rsjs.runs.kinds.mig_methods:prepare_program",
            bound_source="solver",
            solvers=("highs", "scip"),
        ),
        ScheduleMethod(
            name="enumeration",
            summary="every schedule of a tiny problem, minute by minute: the oracle",
            kind="exact",
            run="rsjs.runs.kinds.mig_methods:by_enumeration",
            bound_source="exact",
            max_jobs=MOST_JOBS,
            max_steps=MOST_STEPS,
        ),
    )
}


def by_rule(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Run best fit in the order that the method is named for, and combinatorial bounds."""
    from rsjs.formulations.mig.scheduling_bounds import quick_bounds

    (made,) = _constructed(problem, [call.ready], report, call.options["poll"])
    with report.phase("bound"):
        bound = quick_bounds(problem)
    return _ended(problem, made, bound)


def by_search(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Anneal for half of the time, then compute Lagrangian bounds."""
    from rsjs.formulations.mig.scheduling_bounds import stage_bounds

    found, iterations = _searched(problem, call, report, call.options["iterations"])
    with report.phase("bound"):
        bound = stage_bounds(problem, found, stop=_until(report, 1.0))
    return _ended(problem, found, bound, iterations=iterations)


def by_cpsat(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Run CP-SAT from the schedule of a rule or of local search, unless its bounds prove it."""
    from rsjs.formulations.mig import scheduling_cpsat
    from rsjs.formulations.mig.scheduling_bounds import stage_bounds

    if call.rule == SEARCH:
        start, _ = _searched(problem, call, report, ITERATIONS)
    else:
        (start,) = _constructed(problem, [str(call.rule)], report)
    with report.phase("bound"):
        bound = stage_bounds(problem, start, stop=_until(report, SHARE))
    report.bound(bound[0])
    first = _ended(problem, start, bound)
    if first.stop is Stop.OPTIMAL:
        return first
    with report.phase("solve"):
        return scheduling_cpsat.solve(problem, start, bound, _left(call, report))


def by_program(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Solve the time-indexed program, no longer than the best rule."""
    from rsjs.formulations.mig import scheduling_milp

    made = _constructed(problem, ORDERS, report)
    start = min(made, key=lambda one: problem.objective.values(terms(problem, one)))
    with report.phase("solve"):
        left = _left(call, report)
        return scheduling_milp.solve(problem, start, left, str(call.solver))


def by_enumeration(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Enumerate every schedule."""
    from rsjs.formulations.mig.scheduling_enumeration import best_schedule

    with report.phase("solve"):
        found = best_schedule(problem)
    return _ended(problem, found, problem.objective.values(terms(problem, found)))


def _constructed(
    problem: SchedulingProblem, rules: Iterable[str], report: Report, poll: int = 1
) -> list[Schedule]:
    """Return the schedules of some rules."""
    from rsjs.heuristics.mig.scheduling_rules import best_fit  # imports numba, as local search does

    with report.phase("construct"):
        made = [best_fit(problem, rule, poll) for rule in rules]
    for one in made:
        report_schedule(problem, one, report)
    return made


def _searched(
    problem: SchedulingProblem, call: Call, report: Report, iterations: int
) -> tuple[Schedule, int]:
    from rsjs.heuristics.mig.scheduling_local_search import local_search

    starts = _constructed(problem, ORDERS, report)
    seed, stop = call.limits.seed, _until(report, SHARE)
    with report.phase("search"):
        found, made = local_search(problem, starts, iterations=iterations, seed=seed, stop=stop)
    report_schedule(problem, found, report)
    return found, made


def prepare_rule(method: Method, _call: Call, _jobs: int) -> str:
    """Compile or load the kernel of best fit, import bounds, and return the method's name."""
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    for module in ("rsjs.formulations.mig.scheduling_bounds", "scipy.optimize"):
        import_module(module)
    best_fit(_smallest())
    return method.name


def prepare_search(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels of best fit and of the search."""
    from rsjs.heuristics.mig.scheduling_local_search import local_search
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    prepare_rule(method, call, jobs)
    local_search(_smallest(), [best_fit(_smallest())], iterations=1)


def prepare_cpsat(method: Method, call: Call, jobs: int) -> None:
    """Import CP-SAT, and prepare what makes its start."""
    import_module("rsjs.formulations.mig.scheduling_cpsat")
    (prepare_search if call.rule == SEARCH else prepare_rule)(method, call, jobs)


def prepare_program(method: Method, call: Call, jobs: int) -> None:
    """Import Pyomo and the solver, and prepare best fit."""
    import_module("rsjs.formulations.mig.scheduling_milp")
    backend(str(call.solver)).load()
    prepare_rule(method, call, jobs)


def _smallest() -> SchedulingProblem:
    """Return one job of one step: to run kernels on."""
    jobs = JobSet(
        name="smallest",
        time_unit="minute",
        arrival=np.zeros(1),
        priority=np.ones(1, dtype=np.int64),
        run_length=np.ones(1, dtype=np.int64),
        memory=np.ones(1),
        cuda_cores=np.ones(1, dtype=np.int64),
        interruptible=np.ones(1, dtype=np.bool_),
        migratable=np.ones(1, dtype=np.bool_),
        deadline=np.ones(1),
        job_class=np.zeros(1, dtype=np.int64),
        classes=("job",),
    )
    return paper_problem(jobs, "A", parse_objective("makespan"))


def report_schedule(problem: SchedulingProblem, found: Schedule, report: Report) -> None:
    """Report an incumbent by its first stage."""
    report.incumbent(found, problem.objective.values(terms(problem, found))[0])


def _until(report: Report, share: float) -> Callable[[], bool]:
    """Return what says stop when a share of the time left is used, or somebody asks for it."""
    end = time.monotonic() + share * report.remaining()
    return lambda: time.monotonic() >= end or report.stop_requested()


def _left(call: Call, report: Report) -> Limits:
    return replace(call.limits, time_limit=max(0.0, report.remaining() - MARGIN))


def _ended(
    problem: SchedulingProblem, found: Schedule, bound: tuple[float, ...], **counts: int
) -> ScheduleResult:
    """Return the result, optimal if bounds are met."""
    values = problem.objective.values(terms(problem, found))
    proved = all(met(value, low) for value, low in zip(values, bound, strict=True))
    return ScheduleResult(
        stop=Stop.OPTIMAL if proved else Stop.ITERATIONS,
        schedule=found,
        bound=bound,
        counts=counts,
    )
