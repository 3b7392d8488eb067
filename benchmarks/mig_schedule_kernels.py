"""What the kernels for jobs on MIG instances are measured by: section 4 of the paper, seed 2."""

from __future__ import annotations

from benchmarks.kernel_work import Work
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, named, paper_problem
from rsjs.instances.mig.scheduling.schedule import terms

MOVES = 2000


def first_problem(objective: str) -> SchedulingProblem:
    """The first set of section 4 with an objective, jobs stop and move."""
    config = mig_config("section4.json")
    jobs = generate(config, config.seeds[0])
    return named(paper_problem(jobs, "A", parse_objective(objective)))


def simulation() -> Work:
    """Best fit by the rule `bigfirst_srpt`."""
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    problem = first_problem("completion")
    best_fit(problem, "bigfirst_srpt")
    return Work(
        run=lambda: best_fit(problem, "bigfirst_srpt"),
        values=lambda found: {"cost": terms(problem, found)["completion"]},
    )


def annealing() -> Work:
    """Some moves of local search from FCFS."""
    from rsjs.heuristics.mig.scheduling_local_search import local_search
    from rsjs.heuristics.mig.scheduling_rules import best_fit

    problem = first_problem("completion")
    start = best_fit(problem)
    local_search(problem, [start], iterations=1)
    return Work(
        run=lambda: local_search(problem, [start], iterations=MOVES),
        values=lambda found: {
            "cost": terms(problem, found[0])["completion"],
            "iterations": found[1],
        },
    )
