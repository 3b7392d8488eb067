"""Reconfiguration: jobs on one GPU whose MIG instances are made and destroyed as needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.mig.geometry import partition_of
from rsjs.instances.mig.reconfiguration import check as checker
from rsjs.instances.mig.reconfiguration import problem as problems
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
)
from rsjs.runs.kinds.base import Claimed, FileKind, Verified, claimed, whole

if TYPE_CHECKING:
    from rsjs.core.call import Call
    from rsjs.instances.mig.geometry import Partition

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        *(
            Method(
                name=solver,
                summary="laminar assignment; with releases, " + with_releases,
                kind="exact",
                run="rsjs.runs.kinds.mig_reconfiguration:by_solver",
                prepare="rsjs.runs.kinds.mig_reconfiguration:prepare_solver",
                needs=solver,
            )
            for solver, with_releases in (
                ("cpsat", "model R in time"),
                ("highs", "the best list of greedy"),
                ("scip", "the best list of greedy"),
            )
        ),
        Method(
            name="greedy",
            summary="the best of several list schedules",
            kind="heuristic",
            run="rsjs.runs.kinds.mig_reconfiguration:by_greedy",
        ),
    )
}
PARTITION = "partition"  # an option of a run: the only placements that there are, e.g. 4g,2g,1g
Found = tuple[SolveResult, ReconfigurationSchedule | None, dict[str, Any]]


class _Reconfigurations(FileKind):
    name = "mig_reconfiguration"
    solution_file = "repartition.json.gz"

    def read(self, path: str | Path) -> ReconfigurationProblem:
        return problems.read_problem(path)

    def write(self, problem: ReconfigurationProblem, path: str | Path) -> None:
        problems.write_problem(problem, path)

    def methods(self) -> Mapping[str, Method]:
        return METHODS

    def save(
        self, problem: ReconfigurationProblem, method: str, found: Verified, path: Path
    ) -> None:
        if found.solution is not None:
            makespan, bound = whole(found.result.objective), whole(found.result.bound)
            problems.write_schedule(
                problem, found.solution, path, method=method, makespan=makespan, bound=bound
            )

    def read_solution(self, problem: ReconfigurationProblem, path: Path) -> Claimed:
        schedule, claims = problems.read_schedule(problem, path)
        return Claimed(schedule, *map(claims.get, ("method", "makespan", "bound")))

    def check(self, problem: ReconfigurationProblem, claimed: Claimed) -> Verdict:
        solution, _, makespan, bound = claimed
        found = checker.check(problem, solution, makespan=makespan, bound=bound)
        return Verdict(
            feasible=found.feasible,
            violations=found.violations,
            terms=None if found.makespan is None else {"makespan": found.makespan},
            objective=None if found.makespan is None else float(found.makespan),
            counts={"executed": len(problem)},
        )


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


def prepare_solver(_method: Method, call: Call, _jobs: int) -> None:
    """Import the solver and its models."""
    from rsjs.formulations.backends.registry import backend
    from rsjs.formulations.mig import reconfiguration  # noqa: F401

    backend(str(call.solver)).load()


def _partition(problem: ReconfigurationProblem, call: Call) -> Partition | None:
    text = call.options.get(PARTITION)
    return None if text is None else partition_of(problem.gpu, text)


KIND = _Reconfigurations()
