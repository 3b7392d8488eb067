"""Reconfiguration: jobs on one GPU whose MIG instances are made and destroyed as needed."""

from __future__ import annotations

from typing import Any

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.mig.geometry import Partition, partition_of
from rsjs.instances.mig.reconfiguration import problem as problems
from rsjs.instances.mig.reconfiguration.check import check
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
)
from rsjs.runs.kinds.base import FileKind, claimed

METHODS = {
    solver: Method(
        name=solver,
        summary="laminar assignment; with releases, " + with_releases,
        kind="exact",
        run="rsjs.runs.kinds.mig_reconfiguration:by_solver",
        prepare="rsjs.formulations.milp.solve:prepare",
        needs=solver,
    )
    for solver, with_releases in {
        "cpsat": "model R in time",
        "highs": "the best list of greedy",
        "scip": "the best list of greedy",
    }.items()
} | {
    "greedy": Method(
        name="greedy",
        summary="the best of several list schedules",
        kind="heuristic",
        run="rsjs.runs.kinds.mig_reconfiguration:by_greedy",
    )
}
PARTITION = "partition"  # an option of a run: the only placements that there are, e.g. 4g,2g,1g
Found = tuple[SolveResult, ReconfigurationSchedule, dict[str, Any]]


def refuse_partition(problem: ReconfigurationProblem, text: str) -> None:
    """Raise InputError for a partition that the GPU, or some job, cannot have."""
    from rsjs.formulations.mig.reconfiguration_bounds import find_candidates

    find_candidates(problem, partition_of(problem.gpu, text))


def by_greedy(problem: ReconfigurationProblem, call: Call, report: Report) -> Found:
    """Take the best of all list schedules, and bound the makespan."""
    from rsjs.formulations.mig import reconfiguration_bounds
    from rsjs.heuristics.mig.reconfiguration import best_greedy

    allowed = _partition(problem, call)
    with report.phase("solve"):
        rule, schedule = best_greedy(problem, allowed)
        candidates = reconfiguration_bounds.find_candidates(problem, allowed)
        bound = reconfiguration_bounds.best(candidates)
    makespan = problems.makespan(problem, schedule)
    return claimed(Stop.ITERATIONS, makespan, bound, "combinatorial"), schedule, {"rule": rule}


def by_solver(problem: ReconfigurationProblem, call: Call, report: Report) -> Found:
    """Improve the best list schedule by the solver that the method is named for."""
    from rsjs.formulations.mig.reconfiguration import solve
    from rsjs.heuristics.mig.reconfiguration import best_greedy

    allowed = _partition(problem, call)
    solver = str(call.solver)
    with report.phase("solve"):
        _, start = best_greedy(problem, allowed)
        found = solve(problem, call.limits, start=start, partition=allowed, solver=solver)
    schedule = found.schedule or start
    makespan = problems.makespan(problem, schedule)
    return claimed(found.stop, makespan, found.bound, "solver"), schedule, {}


def _partition(problem: ReconfigurationProblem, call: Call) -> Partition | None:
    text = call.options.get(PARTITION)
    return None if text is None else partition_of(problem.gpu, text)


KIND = FileKind(
    name="mig_reconfiguration",
    keys=("mig_reconfiguration", "methods"),
    solution_file="repartition.json.gz",
    read=problems.read_problem,
    write=problems.write_problem,
    methods=METHODS.copy,
    claim="makespan",
    load=problems.read_schedule,
    store=problems.write_schedule,
    checker=check,
)
