"""
The methods for jobs on MIG instances: a registry of its own, since names are those of the family.

Spellings, completed as those of all methods:

    RULE?poll=1                     best fit in the order of a rule, e.g. fcfs, bigrem
    local_search?iterations=30000   annealing from every rule, and the bounds of the objective
    cpsat:START                     CP-SAT from local search or a rule
    milp@SOLVER                     the time-indexed program, for small problems
    enumeration                     every schedule of a tiny problem: the oracle

What the methods for jobs on MIG instances do; `mig_methods` declares them.

Each begins with best fit and ends with a schedule and bounds; it is optimal where they meet. Half
of the time left goes to bounds before a solver, and half to a search before bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

import numpy as np

from rsjs.core.call import Call, Limits, Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import Report, Stop
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig.scheduling_enumeration import MOST_JOBS, MOST_STEPS
from rsjs.heuristics.mig.scheduling_local_search import ITERATIONS
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, paper_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, met, terms
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
                run="rsjs.runs.kinds.mig_methods:by_rule",
                prepare="rsjs.runs.kinds.mig_methods:prepare_rule",
                options={"poll": POLL},
            )
            for rule in RULES
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
            rules=(SEARCH, *RULES),
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


SHARE = 0.5  # of the time left
MARGIN = 0.2  # seconds of the limit kept for reading the answer


def schedule(
    problem: SchedulingProblem, asked: Request | str, limits: Limits, report: Report | None = None
) -> ScheduleResult:
    """
    Run a method in this process.

    Parameters
    ----------
    asked
        The method, or its spelling.
    report
        Gets incumbents and phases; its clock runs. Without one, the clock starts here.

    Raises
    ------
    InputError
        For a method that does not exist, or does not serve the problem.
    """
    asked = request(asked) if isinstance(asked, str) else asked
    if reason := refusal(asked, problem):
        raise InputError("", asked.spelling, f"another method or problem: {reason}")
    call = call_of(asked, limits)
    if report is None:
        asked.method.prepared(call, len(problem.jobs))
        report = Report(limits.time_limit)
    method = declared(asked)
    call = method.completed(call)
    # The rule of a method without rules is the one of its name.
    call = replace(call, rule=call.rule or method.name)
    found: ScheduleResult = method.function()(problem, call, report)
    if found.schedule is not None:
        _tell(problem, found.schedule, report)
    _tell_bound(found.bound, report)
    return replace(found, seconds={**report.seconds, "total": report.elapsed()})


def by_rule(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Best fit, and combinatorial bounds."""
    from rsjs.formulations.mig.scheduling_bounds import quick_bounds

    (made,) = _constructed(problem, [str(call.rule)], report, call.options["poll"])
    with report.phase("bound"):
        bound = quick_bounds(problem)
    return _ended(problem, made, bound)


def by_search(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Annealing for half of the time, and Lagrangian bounds."""
    from rsjs.formulations.mig.scheduling_bounds import stage_bounds

    found, iterations = _searched(problem, call, report, call.options["iterations"])
    with report.phase("bound"):
        bound = stage_bounds(problem, found, stop=_until(report, 1.0))
    return _ended(problem, found, bound, iterations=iterations)


def by_cpsat(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """CP-SAT from the schedule of a rule or of local search, unless its bounds prove it."""
    from rsjs.formulations.mig import scheduling_cpsat
    from rsjs.formulations.mig.scheduling_bounds import stage_bounds
    from rsjs.heuristics.mig.scheduling_local_search import ITERATIONS

    if call.rule == SEARCH:
        start, _ = _searched(problem, call, report, ITERATIONS)
    else:
        (start,) = _constructed(problem, [str(call.rule)], report)
    with report.phase("bound"):
        bound = stage_bounds(problem, start, stop=_until(report, SHARE))
    _tell_bound(bound, report)
    first = _ended(problem, start, bound)
    if first.stop is Stop.OPTIMAL:
        return first
    with report.phase("solve"):
        return scheduling_cpsat.solve(problem, start, bound, _left(call, report))


def by_program(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """The time-indexed program, no longer than the best rule."""
    from rsjs.formulations.mig import scheduling_milp

    made = _constructed(problem, [*RULES], report)
    start = min(made, key=lambda one: problem.objective.values(terms(problem, one)))
    with report.phase("solve"):
        left = _left(call, report)
        return scheduling_milp.solve(problem, start, left, str(call.solver))


def by_enumeration(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Every schedule."""
    from rsjs.formulations.mig.scheduling_enumeration import best_schedule

    with report.phase("solve"):
        found = best_schedule(problem)
    return _ended(problem, found, problem.objective.values(terms(problem, found)))


def _constructed(
    problem: SchedulingProblem, rules: Sequence[str], report: Report, poll: int = 1
) -> list[Schedule]:
    """The schedules of some rules."""
    with report.phase("construct"):
        made = [best_fit(problem, rule, poll) for rule in rules]
    for one in made:
        _tell(problem, one, report)
    return made


def _searched(
    problem: SchedulingProblem, call: Call, report: Report, iterations: int
) -> tuple[Schedule, int]:
    from rsjs.heuristics.mig.scheduling_local_search import local_search

    with report.phase("construct"):
        starts = [best_fit(problem, rule) for rule in RULES]
    for start in starts:
        _tell(problem, start, report)
    with report.phase("search"):
        found, made = local_search(
            problem,
            starts,
            iterations=iterations,
            seed=call.limits.seed,
            stop=_until(report, SHARE),
        )
    _tell(problem, found, report)
    return found, made


def prepare_rule(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernel of best fit, and import bounds."""
    for module in ("rsjs.formulations.mig.scheduling_bounds", "scipy.optimize"):
        import_module(module)
    best_fit(_smallest())


def prepare_search(method: Method, call: Call, jobs: int) -> None:
    """Likewise for the search."""
    from rsjs.heuristics.mig.scheduling_local_search import local_search

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
    """One job of one step: to run kernels on."""
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


def _tell(problem: SchedulingProblem, found: Schedule, report: Report) -> None:
    """Report an incumbent by its first stage."""
    value = problem.objective.values(terms(problem, found))[0]
    report.incumbent_schedule(found, value)


def _tell_bound(bound: tuple[float | None, ...], report: Report) -> None:
    if bound[0] is not None:
        report.bound(bound[0])


def _until(report: Report, share: float) -> Callable[[], bool]:
    """A rule that says stop when this share of the time left is used, or somebody asks for it."""
    end = time.monotonic() + share * report.remaining()
    return lambda: time.monotonic() >= end or report.stop_requested()


def _left(call: Call, report: Report) -> Limits:
    return replace(call.limits, time_limit=max(0.0, report.remaining() - MARGIN))


def _ended(
    problem: SchedulingProblem, found: Schedule, bound: tuple[float, ...], **counts: int
) -> ScheduleResult:
    """The result, optimal if bounds are met."""
    values = problem.objective.values(terms(problem, found))
    proved = all(met(value, low) for value, low in zip(values, bound, strict=True))
    return ScheduleResult(
        stop=Stop.OPTIMAL if proved else Stop.ITERATIONS,
        schedule=found,
        bound=bound,
        counts=counts,
    )
