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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

from rsjs.core.call import Call, Limits, Option
from rsjs.core.method import Method
from rsjs.core.report import Report, Stop
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig.scheduling_enumeration import MOST_JOBS, MOST_STEPS
from rsjs.instances.mig.jobs import to_jobs
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, paper_problem
from rsjs.instances.mig.scheduling.schedule import (
    Schedule,
    ScheduleResult,
    best_of,
    met,
    stage_values,
)

SEARCH = "local_search"
ORDERS = {  # of the ready jobs, for lists; formulas are in `heuristics.mig.scheduling_rules`
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
MOVES = Option(default=30_000, minimum=0, help="moves, unless half the time is up before")
POLL = Option(default=1, minimum=1, help="minutes between two looks into the queue")


@dataclass(frozen=True, kw_only=True)
class ScheduleMethod(Method):
    """A `Method` that serves scheduling problems on MIG instances, of any reading and objective."""

    kind: Literal["exact", "heuristic"] = "heuristic"
    run: str = "rsjs.runs.kinds.mig_methods:run"
    prepare: str = "rsjs.runs.kinds.mig_methods:prepare"
    energy: frozenset[str] = frozenset()  # empty, as the next three: no objective of instances
    tardiness_at: frozenset[str] = frozenset()
    open_nodes: frozenset[str] = frozenset()
    expectation: frozenset[str] = frozenset()
    bound_source: Literal["combinatorial", "lagrangian", "solver", "exact"] = "combinatorial"
    model: str = ""  # module of what a solver solves
    max_steps: int | None = None  # of all jobs that it accepts


METHODS = {
    method.name: method
    for method in (
        *(
            ScheduleMethod(name=rule, summary=f"best fit, {order}", options={"poll": POLL})
            for rule, order in ORDERS.items()
        ),
        ScheduleMethod(
            name=SEARCH,
            summary="annealing of the order of jobs from every rule, with a Lagrangian bound",
            bound_source="lagrangian",
            options={"iterations": MOVES},
        ),
        ScheduleMethod(
            name="cpsat",
            summary="CP-SAT stage by stage from a schedule; not at all where a bound is met by it",
            kind="exact",
            bound_source="solver",
            model="rsjs.formulations.mig.scheduling_cpsat",
            needs="cpsat",
            rules=(SEARCH, *ORDERS),
        ),
        ScheduleMethod(
            name="milp",
            summary="time-indexed program in Pyomo stage by stage, for small problems",
            kind="exact",
            bound_source="solver",
            model="rsjs.formulations.mig.scheduling_milp",
            solvers=("highs", "scip"),
        ),
        ScheduleMethod(
            name="enumeration",
            summary="every schedule of a tiny problem, minute by minute: the oracle",
            kind="exact",
            run="rsjs.runs.kinds.mig_methods:enumerate_all",
            prepare="",
            bound_source="exact",
            max_jobs=MOST_JOBS,
            max_steps=MOST_STEPS,
        ),
    )
}


def run(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Run the method that `prepare` returned: best fit, search, bounds, a solver."""
    from rsjs.formulations.mig.scheduling_bounds import quick_bounds, stage_bounds
    from rsjs.heuristics.mig.scheduling_local_search import local_search
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    method: ScheduleMethod = call.ready
    solve: Callable[..., ScheduleResult] | None = None
    if method.model:
        solve = import_module(method.model).solve
    start, poll = call.rule or method.name, call.options.get("poll", 1)
    rules = [start] if start in ORDERS else [*ORDERS]
    with report.phase("construct"):
        schedules = [best_fit(problem, rule, poll) for rule in rules]
    for one in schedules:
        report.incumbent(one, stage_values(problem, one)[0])
    found = best_of(problem, *schedules)
    counts: dict[str, int] = {}
    if start == SEARCH:
        moves, seed = call.options.get("iterations", MOVES.default), call.limits.seed
        with report.phase("search"):
            found, counts["iterations"] = local_search(
                problem, schedules, iterations=moves, seed=seed, stop=_until(report, SHARE)
            )
        report.incumbent(found, stage_values(problem, found)[0])
    if solve and method.name == "milp":
        with report.phase("solve"):
            return solve(problem, found, _left(call, report), str(call.solver))
    with report.phase("bound"):
        if solve or start == SEARCH:
            stop = _until(report, SHARE if solve else 1.0)
            bound = stage_bounds(problem, found, stop=stop)
        else:
            bound = quick_bounds(problem)
    result = _ended(problem, found, bound, counts)
    if not solve or result.stop is Stop.OPTIMAL:
        return result
    report.bound(bound[0])
    with report.phase("solve"):
        return solve(problem, found, bound, _left(call, report))


def enumerate_all(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Enumerate every schedule."""
    from rsjs.formulations.mig.scheduling_enumeration import best_schedule

    with report.phase("solve"):
        found = best_schedule(problem)
    return _ended(problem, found, stage_values(problem, found), {})


def prepare(method: ScheduleMethod, call: Call, _jobs: int) -> ScheduleMethod:
    """Import what the method runs, compile or load its kernels on one step, and return it."""
    from rsjs.heuristics.mig.scheduling_local_search import local_search
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    for module in ("rsjs.formulations.mig.scheduling_bounds", "scipy.optimize", method.model):
        if module:
            import_module(module)
    if call.solver:
        backend(call.solver).load()
    first = best_fit(problem := _smallest())
    if SEARCH in (method.name, call.rule):
        local_search(problem, [first], iterations=1)
    return method


def _smallest() -> SchedulingProblem:
    """Return one job of one step: to run kernels on."""
    job = {"class": "job", "arrival": 0, "priority": 1, "memory": [1], "cuda_cores": 1}
    job |= {"interruptible": True, "migratable": True, "deadline": 1}
    jobs = to_jobs({"name": "smallest", "time_unit": "minute", "jobs": [job]})
    return paper_problem(jobs, "A", parse_objective("makespan"))


def _until(report: Report, share: float) -> Callable[[], bool]:
    """Return what says stop when a share of the time left is used, or somebody asks for it."""
    end = time.monotonic() + share * report.remaining()
    return lambda: time.monotonic() >= end or report.stop_requested()


def _left(call: Call, report: Report) -> Limits:
    return replace(call.limits, time_limit=max(0.0, report.remaining() - MARGIN))


def _ended(
    problem: SchedulingProblem,
    found: Schedule,
    bound: tuple[float, ...],
    counts: Mapping[str, int],
) -> ScheduleResult:
    """Return the result, optimal if bounds are met."""
    proved = all(map(met, stage_values(problem, found), bound))
    stop = Stop.OPTIMAL if proved else Stop.ITERATIONS
    return ScheduleResult(stop=stop, schedule=found, bound=bound, counts=counts)
