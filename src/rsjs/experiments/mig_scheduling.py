"""
The methods for jobs on MIG instances, by name.

    RULE            best fit with the order of a rule, e.g. fcfs, bigrem
    local_search    annealing from every rule, and the bounds of the objective
    cpsat[:START]   CP-SAT from a rule or, without one, from local search; skipped where the bound
                    is met
    milp[@SOLVER]   the time-indexed program, for small problems; highs, scip, ...
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rsjs.heuristics.mig_rules import RULES, best_fit
from rsjs.instances.errors import InputError
from rsjs.instances.mig.schedule import Schedule, terms
from rsjs.instances.mig.schedule_result import ScheduleResult, met
from rsjs.instances.solution import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rsjs.instances.method import Limits
    from rsjs.instances.mig.scheduling import SchedulingProblem

METHODS = (*RULES, "local_search", "cpsat", "milp")
BOUND_SHARE = 0.5  # of the time left, for bounds before a solver
MARGIN = 0.2  # seconds of the limit kept for reading the answer


def schedule(
    problem: SchedulingProblem, spelling: str, limits: Limits, *, poll: int = 1
) -> ScheduleResult:
    """
    Run a method.

    Parameters
    ----------
    problem
    spelling : str
        See above.
    limits : Limits
        The time counts from here, bounds included.
    poll : int
        Minutes between two looks into the queue, for rules; see `mig_tables.tables`.

    Raises
    ------
    InputError
        For a method that does not exist, or does not serve the problem.
    """
    name, mark, detail = _parsed(spelling)
    run = _Run(limits.time_limit)
    with run.phase("compile"):
        best_fit(problem)
    if name in RULES:
        return _by_rule(problem, name, poll, run)
    if poll != 1:
        raise InputError("--poll", poll, f"1 for {name}: only rules decide minute by minute")
    if name == "local_search":
        return _by_search(problem, limits, run)
    if name == "milp":
        return _by_program(problem, detail if mark == "@" else "highs", limits, run)
    return _by_cpsat(problem, detail or None, limits, run)


def _parsed(spelling: str) -> tuple[str, str, str]:
    for mark, names in ((":", ("cpsat",)), ("@", ("milp",)), ("", METHODS)):
        name, found, detail = spelling.partition(mark) if mark else (spelling, "", "")
        if name in names and found == mark and bool(detail) == bool(mark):
            if mark == ":" and detail not in RULES:
                break
            return name, mark, detail
    known = f"{', '.join(METHODS)}, cpsat:RULE or milp@SOLVER"
    raise InputError("--method", spelling, known)


class _Run:
    """The clock of a method, and its phases."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self.seconds: dict[str, float] = {}

    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def until(self, share: float) -> Callable[[], bool]:
        """A rule that says stop when this share of the time left is used."""
        end = self._end - (1 - share) * self.left()
        return lambda: time.monotonic() >= end

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        begin = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - begin


def _by_rule(problem: SchedulingProblem, rule: str, poll: int, run: _Run) -> ScheduleResult:
    from rsjs.formulations.mig_schedule_stage_bounds import quick_bounds

    with run.phase("construct"):
        made = best_fit(problem, rule, poll)
    with run.phase("bound"):
        bound = quick_bounds(problem)
    return _ended(problem, made, bound, Stop.ITERATIONS, run)


def _searched(problem: SchedulingProblem, limits: Limits, run: _Run) -> tuple[Schedule, int]:
    from rsjs.heuristics.mig_local_search import local_search

    with run.phase("compile"):
        local_search(problem, [best_fit(problem)], iterations=1)
    with run.phase("construct"):
        starts = [best_fit(problem, rule) for rule in RULES]
    with run.phase("search"):
        found = local_search(problem, starts, seed=limits.seed, stop=run.until(BOUND_SHARE))
    return found.schedule, found.iterations


def _by_search(problem: SchedulingProblem, limits: Limits, run: _Run) -> ScheduleResult:
    from rsjs.formulations.mig_schedule_stage_bounds import stage_bounds

    found, iterations = _searched(problem, limits, run)
    with run.phase("bound"):
        bound = stage_bounds(problem, found, stop=run.until(1.0))
    return _ended(problem, found, bound, Stop.ITERATIONS, run, iterations=iterations)


def _by_cpsat(
    problem: SchedulingProblem, rule: str | None, limits: Limits, run: _Run
) -> ScheduleResult:
    from dataclasses import replace

    with run.phase("import"):
        from rsjs.formulations import mig_schedule_stages
        from rsjs.formulations.mig_schedule_stage_bounds import stage_bounds

    if rule is None:
        start, _ = _searched(problem, limits, run)
    else:
        with run.phase("construct"):
            start = best_fit(problem, rule)
    with run.phase("bound"):
        bound = stage_bounds(problem, start, stop=run.until(BOUND_SHARE))
    first = _ended(problem, start, bound, Stop.ITERATIONS, run)
    if first.stop is Stop.OPTIMAL:
        return first
    with run.phase("solve"):
        left = replace(limits, time_limit=max(0.0, run.left() - MARGIN))
        found = mig_schedule_stages.solve(problem, start, bound, left)
    return replace(found, seconds=run.seconds)


def _by_program(
    problem: SchedulingProblem, solver: str, limits: Limits, run: _Run
) -> ScheduleResult:
    from dataclasses import replace

    with run.phase("import"):
        from rsjs.formulations import mig_schedule_milp_stages

    with run.phase("construct"):
        values = {rule: best_fit(problem, rule) for rule in RULES}
        start = min(values.values(), key=lambda one: problem.objective.values(terms(problem, one)))
    with run.phase("solve"):
        left = replace(limits, time_limit=max(0.0, run.left() - MARGIN))
        found = mig_schedule_milp_stages.solve(problem, start, left, solver)
    return replace(found, seconds=run.seconds)


def _ended(
    problem: SchedulingProblem,
    found: Schedule,
    bound: tuple[float, ...],
    stop: Stop,
    run: _Run,
    **counts: int,
) -> ScheduleResult:
    """The result, optimal if bounds are met."""
    values = problem.objective.values(terms(problem, found))
    if all(met(value, low) for value, low in zip(values, bound, strict=True)):
        stop = Stop.OPTIMAL
    return ScheduleResult(
        stop=stop, schedule=found, bound=bound, seconds=run.seconds, counts=counts
    )
