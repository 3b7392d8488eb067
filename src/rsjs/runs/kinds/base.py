"""What the runner has to know of a kind of problem, and the kinds by their names."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rsjs.core.errors import InputError, told
from rsjs.core.report import SolveResult, Stop

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.instances.check import Verdict
    from rsjs.methods import Request
    from rsjs.rows.columns import Row
    from rsjs.runs.task_files import Task
    from rsjs.runs.worker import StreamingReport

Kind = Literal["instance", "workload", "mig_scheduling", "mig_placement", "mig_reconfiguration"]
FIGURES = "figures.json"  # in a run's folder: further metrics

# Kind -> its module, and the class of its problems.
KINDS: Mapping[Kind, tuple[str, str]] = {
    "instance": ("decision", "Instance"),
    "workload": ("simulation", "Workload"),
    "mig_scheduling": ("mig_schedule", "SchedulingProblem"),
    "mig_placement": ("mig_placement", "PlacementProblem"),
    "mig_reconfiguration": ("mig_reconfiguration", "ReconfigurationProblem"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Verified:
    """
    A result with what the checker says of it.

    Attributes
    ----------
    result : SolveResult
        An error in place of a solution that the checker cannot make sense of.
    verdict : Verdict or None
        None without a solution.
    solution : object
        Of a kind whose results do not hold it themselves.
    figures : mapping
        Further metrics of the kind; JSON.
    """

    result: SolveResult
    verdict: Verdict | None = None
    solution: Any = None
    figures: Mapping[str, Any] = field(default_factory=dict)


class ProblemKind(ABC):
    """
    A kind of problem: how to read, refuse, run, check and tabulate it.

    Attributes
    ----------
    name : Kind
    solution_file : str
        Name of the solution's file in a record.
    unit : str
        Of the objective, e.g. $; "" = as the problem's objective says.
    plugins : bool
        Whether other packages may offer methods for it.
    """

    name: ClassVar[Kind]
    solution_file: ClassVar[str]
    unit: ClassVar[str] = ""
    plugins: ClassVar[bool] = False

    @abstractmethod
    def read(self, path: str | Path) -> Any:
        """Read a problem; InputError tells what is wrong with its file."""

    @abstractmethod
    def write(self, problem: Any, path: str | Path) -> None:
        """Write a problem."""

    @abstractmethod
    def size(self, problem: Any) -> tuple[int, int]:
        """Return the numbers of nodes (of MIG instances: units or GPUs) and of jobs."""

    @abstractmethod
    def methods(self) -> Mapping[str, Method]:
        """Return what may run on such problems, by name."""

    def request(self, spelling: str) -> Request:
        """Return the method that a specification stands for; InputError if there is none."""
        from rsjs.methods import parse

        return parse(spelling, self.methods())

    @abstractmethod
    def refusal(self, request: Request, problem: Any) -> str | None:
        """Return why a method does not serve a problem, in one line; None if it does."""

    @abstractmethod
    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        """Run the task of a folder, in the worker process, and leave further files there."""

    @abstractmethod
    def verify(
        self, problem: Any, method: str, options: Mapping[str, Any], result: SolveResult, work: Path
    ) -> Verified:
        """
        Check what a worker left in its folder.

        Parameters
        ----------
        method : str
            Canonical specification.
        options : mapping
            Of the task.
        """

    def save(self, problem: Any, method: str, found: Verified, path: Path) -> None:  # noqa: B027
        """Write the solution's file with what is claimed of it, if the worker has left none."""

    def write_incumbent(self, solution: Any, folder: Path, every: bool) -> None:  # noqa: B027
        """Leave a solution that a method reports in the run's folder; beside others if `every`."""

    def incumbents(self, path: Path) -> Iterator[Any]:
        """Return the solutions that a worker appended to a file, as far as they are whole."""
        return iter(())

    def price(self, problem: Any, solution: Any) -> float | None:
        """Return the cost of a solution; None if it is infeasible or makes no sense."""
        return None

    @abstractmethod
    def price_file(
        self, problem: Any, method: str, options: Mapping[str, Any], path: Path
    ) -> float | None:
        """
        Return what the solution in a record's file costs; None if it is infeasible.

        Raises
        ------
        InputError, KeyError
            If the file cannot be read, or is not of this problem.
        """

    def columns(
        self,
        options: Mapping[str, Any],
        figures: Mapping[str, Any],
        verdict: Verdict | None,
        seconds: Mapping[str, float],
    ) -> Row:
        """Return the columns of a row that runs of other kinds do not have, or have otherwise."""
        return {}


class FileKind(ProblemKind):
    """
    A kind whose workers leave the solution's file itself, with what is claimed in it.

    A method's function (problem, call, report) returns a result, the solution, and metrics.
    """

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        from rsjs.core.call import Call

        with report.phase("import"):
            request = self.request(task.method)
            function = request.method.function()
        with report.phase("read"):
            problem = self.read(task.instance)
        call = Call(
            solver=request.solver or request.method.needs,
            rule=request.rule,
            options={**request.options, **task.options},
            limits=task.limits,
        )
        with report.phase("import"):
            request.method.prepared(call, self.size(problem)[1])
        report.start_clock()
        with report.phase("solve"):
            returned: tuple[SolveResult, Any, dict[str, Any]] = function(problem, call, report)
        result, solution, figures = returned
        if solution is not None:
            found = Verified(result=result, solution=solution, figures=figures)
            self.save(problem, request.spelling, found, folder / self.solution_file)
        (folder / FIGURES).write_text(json.dumps(figures), "utf-8")
        return result

    def verify(
        self, problem: Any, method: str, options: Mapping[str, Any], result: SolveResult, work: Path
    ) -> Verified:
        from rsjs.instances.io.bounded_files import read_bytes

        path = work / self.solution_file
        try:
            figures = json.loads(read_bytes(work / FIGURES)) if (work / FIGURES).exists() else {}
            solution = self.read_solution(problem, path) if path.exists() else None
        except (OSError, ValueError) as error:
            message = f"the solution cannot be read: {told(error)}"
            return Verified(result=replace(result, stop=Stop.ERROR, message=message))
        verdict = None if solution is None else self.check(problem, solution, result)
        return Verified(result=result, verdict=verdict, solution=solution, figures=figures)

    def price_file(
        self, problem: Any, method: str, options: Mapping[str, Any], path: Path
    ) -> float | None:
        nothing = SolveResult(stop=Stop.ITERATIONS)
        verdict = self.check(problem, self.read_solution(problem, path), nothing)
        return verdict.objective if verdict.feasible else None

    @abstractmethod
    def read_solution(self, problem: Any, path: Path) -> Any:
        """Read a solution's file; InputError tells what is wrong with it."""

    @abstractmethod
    def check(self, problem: Any, solution: Any, result: SolveResult) -> Verdict:
        """Return the checker's verdict on a solution, and on what a result claims of it."""


def kind(name: str) -> ProblemKind:
    """Return the kind of that name; its module is imported when it is asked for."""
    module, _ = KINDS[name]  # type: ignore[index]
    found: ProblemKind = import_module(f"rsjs.runs.kinds.{module}").KIND
    return found


def kind_of(problem: object) -> ProblemKind:
    """Return the kind of a problem; InputError for any other object."""
    for name, (_, problems) in KINDS.items():
        if type(problem).__name__ == problems:
            return kind(name)
    raise InputError(
        "", type(problem).__name__, f"one of {', '.join(c for _, c in KINDS.values())}"
    )
