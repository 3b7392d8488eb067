"""What the runner has to know of a kind of problem, and the kinds by their names."""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from rsjs.core.call import Call
from rsjs.core.errors import InputError, told
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.io.bounded_files import read_bytes, read_text
from rsjs.runs.task_files import WARM_START, read_decision

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.methods import Request
    from rsjs.rows.columns import Row
    from rsjs.runs.task_files import Task
    from rsjs.runs.worker import StreamingReport

Kind = Literal[
    "instance", "workload", "mig_scheduling", "mig_placement", "mig_reconfiguration", "model"
]
Json = Mapping[str, Any]
FIGURES = "figures.json"  # in a run's folder: further metrics
NONSENSE = (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError)

# Kind -> its module, the class of its problems, and the format of their files.
KINDS: Mapping[Kind, tuple[str, str, str]] = {
    "instance": ("decision", "Instance", "instance"),
    "workload": ("simulation", "Workload", "workload"),
    "mig_scheduling": ("mig_schedule", "SchedulingProblem", "mig-scheduling"),
    "mig_placement": ("mig_placement", "PlacementProblem", "mig-placement"),
    "mig_reconfiguration": ("mig_reconfiguration", "ReconfigurationProblem", "mig-repartition"),
    "model": ("model", "TrackModel", "model"),
}


class Claimed(NamedTuple):
    """A solution with its reported objective and bound, in the units of the kind."""

    solution: Any
    method: str | None = None
    objective: Any = None
    bound: Any = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Verified:
    """A result with its verdict by the checker."""

    result: SolveResult  # an error in place of a solution that the checker cannot make sense of
    verdict: Verdict | None = None  # None without a solution
    solution: Any = None  # of a kind whose results do not hold it themselves
    figures: Json = field(default_factory=dict)  # further metrics of the kind


@dataclass(frozen=True, kw_only=True)
class ProblemKind(ABC):
    """A kind of problem: how to read, refuse, run, check and tabulate it."""

    name: Kind
    keys: tuple[str, ...]  # of a campaign: of problems, of methods, and what others may not have
    solution_file: str  # in a record
    unit: str = ""  # of the objective, e.g. $; "" = as the problem's objective says
    plugins: bool = False  # whether other packages may offer methods for it
    has_best_known: bool = False  # whether best-known values of its problems are kept
    terms: tuple[str, ...] = ()  # of a verdict, which its rows have in columns of their own
    metrics: tuple[str, ...] = ()  # further columns
    read: Callable[[str | Path], Any]  # a problem; InputError tells what is wrong with its file
    write: Callable[[Any, str | Path], None]
    methods: Callable[[], Mapping[str, Method]]  # what may run on such problems, by name

    def size(self, problem: Any) -> tuple[int, int]:
        """Return the numbers of nodes (of MIG instances: units or GPUs) and of jobs."""
        return problem.cluster.nodes, len(problem.jobs)

    def request(self, spelling: str) -> Request:
        """Return the method that a specification stands for; InputError if there is none."""
        from rsjs.methods import parse

        return parse(spelling, self.methods())

    def refusal(self, request: Request, problem: Any) -> str | None:
        """Return why a method does not serve a problem, in one line; None if it does."""
        return None

    def recommended(self, problem: Any) -> Mapping[str, str]:
        """Return the methods to choose for a problem, the first one first, and the reasons."""
        return {}

    def serving(self, problem: Any) -> list[str]:
        """Return methods of the suite that serve a problem and can run here, best ones first."""
        requests = (self.request(name) for name in self.methods())
        return [r.label for r in requests if not (self.refusal(r, problem) or r.missing())]

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        """Run the task of a folder, in the worker process, and leave further files there."""
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

    def keeps(self, path: Path) -> bool:
        """Return whether a record keeps what a run without a solution left in its place."""
        return False

    def write_incumbent(  # noqa: B027
        self, solution: Any, objective: float, folder: Path, every: bool
    ) -> None:
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

    def checked(self, problem: Any, claimed: Claimed) -> Verdict | None:
        """Return the checker's verdict; None for arrays that it cannot make sense of."""
        try:
            return self.check(problem, claimed)
        except NONSENSE:
            return None

    def price(self, problem: Any, solution: Any) -> float | None:
        """Return the cost of a solution; None if it is infeasible or makes no sense."""
        verdict = self.checked(problem, Claimed(solution))
        if verdict is None or not verdict.feasible or verdict.objective is None:
            return None
        return float(verdict.objective)

    def price_file(self, problem: Any, method: str, options: Json, path: Path) -> float | None:
        """
        Return what the solution in a record's file costs; None if it is infeasible.

        InputError or KeyError if the file cannot be read, or is not of this problem.
        """
        return self.price(problem, self.read_solution(problem, path).solution)

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        """Return the columns of a row that runs of other kinds do not have, or have otherwise."""
        terms = (verdict and verdict.terms) or {}
        row = {
            **{name: terms.get(name) for name in self.terms},
            **{name: figures.get(name) for name in self.metrics},
        }
        return cast("Row", row)


@dataclass(frozen=True, kw_only=True)
class FileKind(ProblemKind):
    """
    A kind whose workers write the solution file with the reported values themselves.

    A method's function (problem, call, report) returns a result, the solution, and metrics.
    """

    claim: str  # what a file calls the objective, and the checker's verdict the value of it
    load: Callable[[Any, Path], tuple[Any, Json]]  # solution and claims in a file
    store: Callable[..., None]  # problem, solution, path, method, claim, bound
    checker: Callable[..., Any]  # problem, solution, claim, bound -> violations, value and terms

    def size(self, problem: Any) -> tuple[int, int]:
        return 1, len(problem)

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
        if solution is None:
            verdict = self.refuted(problem, result)
        else:
            claimed = Claimed(solution, objective=result.objective, bound=result.bound)
            verdict = self.check(problem, claimed)
        return Verified(result=result, verdict=verdict, solution=solution, figures=figures)

    def refuted(self, problem: Any, result: SolveResult) -> Verdict | None:
        """Return the verdict on a result without a solution if it claims what is known as false."""
        return None

    def save(self, problem: Any, method: str, found: Verified, path: Path) -> None:
        if found.solution is not None:
            numbers = {self.claim: found.result.objective, "bound": found.result.bound}
            claims = {key: None if n is None else round(n) for key, n in numbers.items()}
            self.store(problem, found.solution, path, method=method, **claims)

    def read_solution(self, problem: Any, path: Path) -> Claimed:
        solution, claims = self.load(problem, path)
        return Claimed(solution, *map(claims.get, ("method", self.claim, "bound")))

    def check(self, problem: Any, claimed: Claimed) -> Verdict:
        claims = {self.claim: claimed.objective, "bound": claimed.bound}
        found = self.checker(problem, claimed.solution, **claims)
        value = getattr(found, self.claim)
        terms = {name: getattr(found, name) for name in self.terms or (self.claim,)}
        return Verdict(
            feasible=found.feasible,
            violations=found.violations,
            terms=None if None in terms.values() else terms,
            objective=None if value is None else float(value),
            counts={"executed": len(problem)},
        )


def write_figures(figures: Json, folder: Path) -> None:
    """Leave further metrics in a run's folder."""
    (folder / FIGURES).write_text(json.dumps(figures, default=float), "utf-8")


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


def kind(name: str) -> ProblemKind:
    """Return the kind of that name; its module is imported when it is asked for."""
    module, *_ = KINDS[name]  # type: ignore[index]
    found: ProblemKind = import_module(f"rsjs.runs.kinds.{module}").KIND
    return found


def kind_of_file(path: Path) -> ProblemKind:
    """Return the kind of problem in a file, by the first format of a problem that it names."""
    kinds = {name: found for found, (*_, name) in KINDS.items()}
    formats = re.findall(r'"format"\s*:\s*"rsjs-([a-z-]+)/', read_text(path))
    return kind(next((kinds[name] for name in formats if name in kinds), "instance"))


def kind_of(problem: object) -> ProblemKind:
    """Return the kind of a problem; InputError for any other object."""
    kinds = {problems: name for name, (_, problems, _) in KINDS.items()}
    found = type(problem).__name__
    if found not in kinds:
        raise InputError("", found, f"one of {', '.join(kinds)}")
    return kind(kinds[found])
