"""
What the methods for jobs on MIG instances do; `mig_methods` declares them.

Each begins with best fit and ends with a schedule and bounds; it is optimal where they meet. Half
of the time left goes to bounds before a solver, and half to a search before bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from rsjs.experiments import mig_methods
from rsjs.heuristics.mig_rules import RULES, best_fit
from rsjs.instances.errors import InputError
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.mig.schedule import Schedule, terms
from rsjs.instances.mig.schedule_result import ScheduleResult, met
from rsjs.instances.mig.scheduling import SchedulingProblem
from rsjs.instances.solution import Stop
from rsjs.methods import Request

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
        Gets incumbents and phases.

    Raises
    ------
    InputError
        For a method that does not exist, or does not serve the problem.
    """
    asked = mig_methods.request(asked) if isinstance(asked, str) else asked
    if reason := mig_methods.refusal(asked, problem):
        raise InputError("", asked.spelling, f"another method or problem: {reason}")
    report = report or Report(limits.time_limit)
    call = Call(
        solver=asked.solver,
        rule=asked.rule or asked.method.name,  # a rule of best fit is a method of its own
        options=asked.options,
        limits=limits,
    )
    found = mig_methods.declared(asked).load_schedule()(problem, call, report)
    if found.schedule is not None:
        _tell(problem, found.schedule, report)
    _tell_bound(found.bound, report)
    return replace(found, seconds={**report.seconds, "total": report.elapsed()})


def by_rule(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Best fit, and combinatorial bounds."""
    from rsjs.formulations.mig_schedule_stage_bounds import quick_bounds

    (made,) = _constructed(problem, [str(call.rule)], report, call.options["poll"])
    with report.phase("bound"):
        bound = quick_bounds(problem)
    return _ended(problem, made, bound)


def by_search(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Annealing for half of the time, and Lagrangian bounds."""
    from rsjs.formulations.mig_schedule_stage_bounds import stage_bounds

    found, iterations = _searched(problem, call, report, call.options["iterations"])
    with report.phase("bound"):
        bound = stage_bounds(problem, found, stop=_until(report, 1.0))
    return _ended(problem, found, bound, iterations=iterations)


def by_cpsat(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """CP-SAT from the schedule of a rule or of local search, unless its bounds prove it."""
    with report.phase("import"):
        from rsjs.formulations import mig_schedule_stages
        from rsjs.formulations.mig_schedule_stage_bounds import stage_bounds
        from rsjs.heuristics.mig_local_search import ITERATIONS

    if call.rule == mig_methods.SEARCH:
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
        return mig_schedule_stages.solve(problem, start, bound, _left(call, report))


def by_program(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """The time-indexed program, no longer than the best rule."""
    with report.phase("import"):
        from rsjs.formulations import mig_schedule_milp_stages

    made = _constructed(problem, [*RULES], report)
    start = min(made, key=lambda one: problem.objective.values(terms(problem, one)))
    with report.phase("solve"):
        left = _left(call, report)
        return mig_schedule_milp_stages.solve(problem, start, left, str(call.solver))


def by_enumeration(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
    """Every schedule."""
    from rsjs.formulations.mig_schedule_enumeration import best_schedule

    with report.phase("solve"):
        found = best_schedule(problem)
    return _ended(problem, found, problem.objective.values(terms(problem, found)))


def _constructed(
    problem: SchedulingProblem, rules: Sequence[str], report: Report, poll: int = 1
) -> list[Schedule]:
    """The schedules of some rules; the clock starts when kernels are there."""
    with report.phase("compile"):
        best_fit(problem)
    report.start_clock()
    with report.phase("construct"):
        made = [best_fit(problem, rule, poll) for rule in rules]
    for one in made:
        _tell(problem, one, report)
    return made


def _searched(
    problem: SchedulingProblem, call: Call, report: Report, iterations: int
) -> tuple[Schedule, int]:
    from rsjs.heuristics.mig_local_search import local_search

    with report.phase("compile"):
        local_search(problem, [best_fit(problem)], iterations=1)
    report.start_clock()
    with report.phase("construct"):
        starts = [best_fit(problem, rule) for rule in RULES]
    for start in starts:
        _tell(problem, start, report)
    with report.phase("search"):
        found = local_search(
            problem,
            starts,
            iterations=iterations,
            seed=call.limits.seed,
            stop=_until(report, SHARE),
        )
    _tell(problem, found.schedule, report)
    return found.schedule, found.iterations


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
