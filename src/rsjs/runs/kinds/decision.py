"""Solutions of an instance: which jobs run now, on which node, with how many GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict, check
from rsjs.instances.io import files
from rsjs.methods import Request, all_methods
from rsjs.recommendation import recommended, serving
from rsjs.runs.kinds.base import Claimed, Json, ProblemKind, Verified
from rsjs.runs.task_files import (
    INCUMBENTS,
    append_array,
    decisions,
    packed,
    write_incumbent,
)

if TYPE_CHECKING:
    from rsjs.core.call import Call
    from rsjs.instances.instance import Instance
    from rsjs.instances.solution import Solution


class _Decisions(ProblemKind):
    def refusal(self, request: Request, problem: Instance) -> str | None:
        return request.method.refusal(problem)

    def recommended(self, problem: Instance) -> Mapping[str, str]:
        return recommended(problem)

    def serving(self, problem: Instance) -> list[str]:
        return serving(problem)

    def prepared(self, request: Request, problem: Instance, call: Call) -> Any:
        return request.serving(problem).prepare(call, len(problem.jobs))

    def verify(
        self, problem: Instance, method: str, options: Json, result: SolveResult, work: Path
    ) -> Verified:
        if result.solution is None:
            return Verified(result=result)
        claimed = Claimed(result.solution, method, result.objective, result.claimed_bound)
        verdict = self.checked(problem, claimed)
        if verdict is None:
            message = "the solution cannot be checked"
            result = replace(result, stop=Stop.ERROR, solution=None, message=message)
        return Verified(result=result, verdict=verdict)

    def save(self, problem: Instance, method: str, found: Verified, path: Path) -> None:
        solution, cost, bound = found.result.solution, found.result.objective, found.result.bound
        if solution is not None:
            files.write_solution(
                solution, problem.digest, path, method=method, objective=cost, bound=bound
            )

    def write_incumbent(
        self, solution: Solution, objective: float, folder: Path, every: bool
    ) -> None:
        write_incumbent(solution, objective, folder)
        if every:
            append_array(packed(solution), folder / INCUMBENTS)

    def incumbents(self, path: Path) -> Iterator[Solution]:
        return decisions(path)

    def read_solution(self, problem: Instance, path: Path) -> Claimed:
        stored = files.read_solution(path)
        stored.refuse_other(problem, path)
        return Claimed(stored.solution, stored.method, stored.objective, stored.bound)

    def check(self, problem: Instance, claimed: Claimed) -> Verdict:
        return check(problem, claimed.solution, objective=claimed.objective, bound=claimed.bound)


KIND = _Decisions(
    name="instance",
    keys=("instances", "methods", "permute"),
    solution_file="solution.json.gz",
    unit="$",
    plugins=True,
    has_best_known=True,
    read=files.read_instance,
    write=files.write_instance,
    methods=all_methods,
)
