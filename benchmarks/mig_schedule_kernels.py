"""What the kernels for jobs on MIG instances are measured by: section 4 of the paper, seed 2."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.kernel_work import Work
from benchmarks.mig_schedule_cases import CASES, Case
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import terms

MOVES = 2000


def case_of(name: str) -> Case:
    """The case of a name."""
    return next(case for case in CASES if case.name == name)


def first_problem(name: str) -> SchedulingProblem:
    """The problem of the first seed of a case."""
    return next(replace(case_of(name), seeds=1).problems())


def simulation() -> Work:
    """Best fit by the rule `bigfirst_srpt`."""
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    problem = first_problem("section4-completion-A")
    best_fit(problem, "bigfirst_srpt")
    return Work(
        run=lambda: best_fit(problem, "bigfirst_srpt"),
        values=lambda found: {"cost": terms(problem, found)["completion"]},
    )


def annealing() -> Work:
    """Some moves of local search from FCFS."""
    from rsjs.heuristics.mig.scheduling_local_search import local_search
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    problem = first_problem("section4-completion-A")
    start = best_fit(problem)
    local_search(problem, [start], iterations=1)
    return Work(
        run=lambda: local_search(problem, [start], iterations=MOVES),
        values=lambda found: {
            "cost": terms(problem, found[0])["completion"],
            "iterations": found[1],
        },
    )
