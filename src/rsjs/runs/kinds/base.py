"""What the runner has to know of a kind of problem, and the kinds by their names."""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from rsjs.core.errors import InputError, told
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.io.bounded_files import read_bytes, read_text
from rsjs.runs.task_files import WARM_START, read_decision

if TYPE_CHECKING:
    from rsjs.core.call import Call
    from rsjs.core.method import Method
    from rsjs.instances.check import Verdict
    from rsjs.methods import Request
    from rsjs.rows.columns import Row
    from rsjs.runs.task_files import Task
    from rsjs.runs.worker import StreamingReport

Kind = Literal["instance", "workload", "mig_scheduling", "mig_placement", "mig_reconfiguration"]
Json = Mapping[str, Any]
FIGURES = "figures.json"  # in a run's folder: further metrics

# Kind -> its module, and the class of its problems.
KINDS: Mapping[Kind, tuple[str, str]] = {
    "instance": ("decision", "Instance"),
    "workload": ("simulation", "Workload"),
    "mig_scheduling": ("mig_schedule", "SchedulingProblem"),
    "mig_placement": ("mig_placement", "PlacementProblem"),
    "mig_reconfiguration": ("mig_reconfiguration", "ReconfigurationProblem"),
}
FORMATS: Mapping[str, Kind] = {  # of their files; any other one is read as an instance
    "workload": "workload",
    "mig-scheduling": "mig_scheduling",
    "mig-placement": "mig_placement",
    "mig-repartition": "mig_reconfiguration",
}


class Claimed(NamedTuple):
    """A solution and what is claimed of it; objective and bound are the kind's."""

    solution: Any
    method: str | None = None
    objective: Any = None
    bound: Any = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Verified:
    """A result with what the checker says of it."""

    result: SolveResult  # an error in place of a solution that the checker cannot make sense of
    verdict: Verdict | None = None  # None without a solution
    solution: Any = None  # of a kind whose results do not hold it themselves
    figures: Json = field(default_factory=dict)  # further metrics of the kind


class ProblemKind(ABC):
    """A kind of problem: how to read, refuse, run, check and tabulate it."""

    name: ClassVar[Kind]
    solution_file: ClassVar[str]  # in a record
    unit: ClassVar[str] = ""  # of the objective, e.g. $; "" = as the problem's objective says
    plugins: ClassVar[bool] = False  # whether other packages may offer methods for it

    @abstractmethod
    def read(self, path: str | Path) -> Any:
        """Read a problem; InputError tells what is wrong with its file."""

    @abstractmethod
    def write(self, problem: Any, path: str | Path) -> None:
        """Write a problem."""

    def size(self, problem: Any) -> tuple[int, int]:
        """Return the numbers of nodes (of MIG instances: units or GPUs) and of jobs."""
        return 1, len(problem)

    @abstractmethod
    def methods(self) -> Mapping[str, Method]:
        """Return what may run on such problems, by name."""

    def request(self, spelling: str) -> Request:
        """Return the method that a specification stands for; InputError if there is none."""
        from rsjs.methods import parse

        return parse(spelling, self.methods())

    def refusal(self, request: Request, problem: Any) -> str | None:
        """Return why a method does not serve a problem, in one line; None if it does."""
        return None

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        """Run the task of a folder, in the worker process, and leave further files there."""
        from rsjs.core.call import Call

        with report.phase("import"):
            request = self.request(task.method)
            function = request.method.function()
        with report.phase("read"):
            problem = self.read(task.instance)
            start = read_decision(folder / WARM_START) if task.warm_start else None
        call = Call(
            solver=request.solver or request.method.needs,
            rule=request.rule,
            options={**request.options, **task.options},
            limits=task.limits,
            warm_start=start,
            log=task.log,
        )
        with report.phase("import"):  # no method sees the problem before the clock runs
            ready = self.prepared(request, problem, call)
        report.start_clock()
        returned = function(problem, replace(call, ready=ready), report)
        return self.keep(problem, request, returned, report, folder)

    def prepared(self, request: Request, problem: Any, call: Call) -> Any:
        """Import, compile and start what the method needs; what it returns is `ready` in calls."""
        return request.method.prepared(call, self.size(problem)[1])

    def keep(
        self, problem: Any, request: Request, returned: Any, report: Report, folder: Path
    ) -> SolveResult:
        """Leave in the run's folder what a method returned besides its result, and return that."""
        result: SolveResult = returned
        return result

    def verified(
        self, problem: Any, method: str, options: Json, result: SolveResult, work: Path
    ) -> Verified:
        """Verify, with the seconds of the check among those of the result."""
        begin = time.monotonic()
        found = self.verify(problem, method, options, result, work)
        seconds = {**found.result.seconds, "check": time.monotonic() - begin}
        return replace(found, result=replace(found.result, seconds=seconds))

    @abstractmethod
    def verify(
        self, problem: Any, method: str, options: Json, result: SolveResult, work: Path
    ) -> Verified:
        """Check what a worker left in its folder; `method` is the canonical specification."""

    def save(self, problem: Any, method: str, found: Verified, path: Path) -> None:  # noqa: B027
        """Write the solution's file with what is claimed of it, if the worker has left none."""

    def write_incumbent(self, solution: Any, folder: Path, every: bool) -> None:  # noqa: B027
        """Leave a solution that a method reports in the run's folder; beside others if `every`."""

    def incumbents(self, path: Path) -> Iterator[Any]:
        """Return the solutions that a worker appended to a file, as far as they are whole."""
        return iter(())

    @abstractmethod
    def read_solution(self, problem: Any, path: Path) -> Claimed:
        """Read a solution's file; InputError if it makes no sense, or is not of this problem."""

    @abstractmethod
    def check(self, problem: Any, claimed: Claimed) -> Verdict:
        """Return the checker's verdict on a solution, and on what is claimed of it."""

    def facts(self, problem: Any, verdict: Verdict) -> Json:
        """Return what `rsjs check` prints of a problem and a verdict besides terms."""
        return {"objective": verdict.objective}

    def price(self, problem: Any, solution: Any) -> float | None:
        """Return the cost of a solution; None if it is infeasible or makes no sense."""
        verdict = self.check(problem, Claimed(solution))
        return verdict.objective if verdict.feasible else None

    def price_file(self, problem: Any, method: str, options: Json, path: Path) -> float | None:
        """
        Return what the solution in a record's file costs; None if it is infeasible.

        InputError or KeyError if the file cannot be read, or is not of this problem.
        """
        return self.price(problem, self.read_solution(problem, path).solution)

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        """Return the columns of a row that runs of other kinds do not have, or have otherwise."""
        return {}


class FileKind(ProblemKind):
    """
    A kind whose workers leave the solution's file themselves, with what is claimed in it.

    A method's function (problem, call, report) returns a result, the solution, and metrics.
    """

    def keep(
        self, problem: Any, request: Request, returned: Any, report: Report, folder: Path
    ) -> SolveResult:
        result, solution, figures = returned
        found = Verified(result=result, solution=solution, figures=figures)
        self.save(problem, request.spelling, found, folder / self.solution_file)
        write_figures(figures, folder)
        return found.result

    def verify(
        self, problem: Any, method: str, options: Json, result: SolveResult, work: Path
    ) -> Verified:
        path = work / self.solution_file
        try:
            figures = read_figures(work)
            solution = self.read_solution(problem, path).solution if path.exists() else None
        except (OSError, ValueError) as error:
            message = f"the solution cannot be read: {told(error)}"
            return Verified(result=replace(result, stop=Stop.ERROR, message=message))
        verdict = None
        if solution is not None:
            claimed = Claimed(solution, objective=result.objective, bound=result.bound)
            verdict = self.check(problem, claimed)
        return Verified(result=result, verdict=verdict, solution=solution, figures=figures)


def write_figures(figures: Json, folder: Path) -> None:
    """Leave further metrics in a run's folder."""
    (folder / FIGURES).write_text(json.dumps(figures), "utf-8")


def read_figures(folder: Path) -> Json:
    """Read the metrics in a run's folder, none where there are none; OSError or ValueError."""
    path = folder / FIGURES
    figures: Json = json.loads(read_bytes(path)) if path.exists() else {}
    return figures


def claimed(stop: Stop, objective: float | None, bound: float, source: str) -> SolveResult:
    """Return the result of a method whose solution travels apart, with a bound of the problem."""
    return SolveResult(
        stop=stop,
        objective=None if objective is None else float(objective),
        bound=float(bound),
        bound_source=source,
        bound_variant="instance",
    )


def whole(value: float | None) -> int | None:
    """Return a claimed number of something as an integer."""
    return None if value is None else round(value)


def kind(name: str) -> ProblemKind:
    """Return the kind of that name; its module is imported when it is asked for."""
    module, _ = KINDS[name]  # type: ignore[index]
    found: ProblemKind = import_module(f"rsjs.runs.kinds.{module}").KIND
    return found


def kind_of_file(path: Path) -> ProblemKind:
    """Return the kind of problem in a file, by the first format of a problem that it names."""
    formats = re.findall(r'"format"\s*:\s*"rsjs-([a-z-]+)/', read_text(path))
    return kind(next((FORMATS[name] for name in formats if name in FORMATS), "instance"))


def kind_of(problem: object) -> ProblemKind:
    """Return the kind of a problem; InputError for any other object."""
    for name, (_, problems) in KINDS.items():
        if type(problem).__name__ == problems:
            return kind(name)
    raise InputError(
        "", type(problem).__name__, f"one of {', '.join(c for _, c in KINDS.values())}"
    )
