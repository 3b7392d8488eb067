"""Decisions on an instance: which jobs run now, on which node, with how many GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.call import Call
from rsjs.core.report import SolveResult, Stop
from rsjs.runs.kinds.base import ProblemKind, Verified
from rsjs.runs.task_files import (
    INCUMBENTS,
    WARM_START,
    append_decision,
    decisions,
    read_decision,
    write_decision,
)

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.instances.check import Verdict
    from rsjs.instances.instance import Instance
    from rsjs.instances.solution import Solution
    from rsjs.methods import Request
    from rsjs.runs.task_files import Task
    from rsjs.runs.worker import StreamingReport


class _Decisions(ProblemKind):
    name = "instance"
    solution_file = "solution.json.gz"
    unit = "$"
    plugins = True

    def read(self, path: str | Path) -> Instance:
        from rsjs.instances.io.files import read_instance

        return read_instance(path)

    def write(self, problem: Instance, path: str | Path) -> None:
        from rsjs.instances.io.files import write_instance

        write_instance(problem, path)

    def size(self, problem: Instance) -> tuple[int, int]:
        return problem.cluster.nodes, len(problem.jobs)

    def methods(self) -> Mapping[str, Method]:
        from rsjs.methods import all_methods

        return all_methods()

    def refusal(self, request: Request, problem: Instance) -> str | None:
        return request.method.refusal(problem)

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        with report.phase("import"):
            from rsjs.instances.io.files import read_instance
            from rsjs.methods import parse

            request = parse(task.method)
            method = request.method.load()
        with report.phase("read"):
            instance = read_instance(task.instance)
            start = read_decision(folder / WARM_START) if task.warm_start else None
        call = Call(
            solver=request.solver,
            rule=request.rule,
            options=request.options,
            limits=task.limits,
            warm_start=start,
            log=task.log,
        )
        with report.phase("import"):  # no method sees the instance before the clock runs
            ready = request.serving(instance).prepare(call, len(instance.jobs))
        report.start_clock()
        return method(instance, replace(call, ready=ready), report)

    def verify(
        self,
        problem: Instance,
        method: str,
        options: Mapping[str, Any],
        result: SolveResult,
        work: Path,
    ) -> Verified:
        if result.solution is None:
            return Verified(result=result)
        verdict = _checked(problem, result.solution, result.objective, result.claimed_bound)
        if verdict is None:
            message = "the solution cannot be checked"
            result = replace(result, stop=Stop.ERROR, solution=None, message=message)
        return Verified(result=result, verdict=verdict)

    def save(self, problem: Instance, method: str, found: Verified, path: Path) -> None:
        from rsjs.instances.io.files import write_solution

        result = found.result
        if result.solution is not None:
            write_solution(
                result.solution,
                problem.digest,
                path,
                method=method,
                objective=result.objective,
                bound=result.bound,
            )

    def write_incumbent(self, solution: Solution, folder: Path, every: bool) -> None:
        write_decision(solution, folder / "incumbent.npz")
        if every:
            append_decision(solution, folder / INCUMBENTS)

    def incumbents(self, path: Path) -> Iterator[Solution]:
        return decisions(path)

    def price(self, problem: Instance, solution: Solution) -> float | None:
        verdict = _checked(problem, solution)
        return verdict.objective if verdict is not None and verdict.feasible else None

    def price_file(
        self, problem: Instance, method: str, options: Mapping[str, Any], path: Path
    ) -> float | None:
        from rsjs.instances.io.files import read_solution

        return self.price(problem, read_solution(path).solution)


def _checked(
    instance: Instance,
    solution: Solution,
    objective: float | None = None,
    bound: float | None = None,
) -> Verdict | None:
    """Return the checker's verdict; None for arrays that it cannot make sense of."""
    from rsjs.instances.check import check

    try:
        return check(instance, solution, objective=objective, bound=bound)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


KIND = _Decisions()
