"""One method on one problem in one worker process, verified."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError, described
from rsjs.core.method import with_names
from rsjs.core.report import Report
from rsjs.formulations.backends.registry import backend
from rsjs.heuristics.common.result import solved
from rsjs.instances.check import Verdict, check
from rsjs.instances.solution import Solution
from rsjs.methods import Request, instead, ship
from rsjs.runs.gap import gap, gap_over
from rsjs.runs.kinds.base import ProblemKind, Verified, kind_of
from rsjs.runs.supervisor import Supervisor
from rsjs.runs.task_files import WARM_START, Task, packed, write_array


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedRun(Verified):
    """One run of one method on one problem, verified."""

    problem: Any  # Instance, SchedulingProblem, ...
    kind: ProblemKind
    method: str  # canonical specification
    solver_version: str | None

    @property
    def objective(self) -> float | None:
        """Checked cost of a feasible solution."""
        if self.verdict is None or not self.verdict.feasible:
            return None
        return self.verdict.objective

    @property
    def verified(self) -> bool:
        """Whether there is a solution that passed the check."""
        return self.objective is not None

    def as_dict(self) -> dict[str, Any]:
        """Return the run as a JSON object."""
        result, verdict = self.result, self.verdict
        return {
            "instance": self.problem.name,
            "instance_sha256": self.problem.digest,
            "method": with_names(self.method),
            **verdict_keys(verdict, result.bound),
            "stop": result.stop.value,
            "claimed_objective": result.objective,
            "bound_source": result.bound_source,
            "bound_variant": result.bound_variant,
            "seconds": dict(result.seconds),
            "peak_memory_mb": result.peak_memory_mb,
            "counts": {**result.counts, **(verdict.counts if verdict else {})},
            "options": dict(result.options),
            "solver_version": self.solver_version,
            "message": result.message,
        }


def verdict_keys(verdict: Verdict | None, bound: float | None) -> dict[str, Any]:
    """Return what `solve` and `check` both report: feasibility, cost, terms, gaps, violations."""
    terms = None if verdict is None else verdict.terms
    cost = None if verdict is None or not verdict.feasible else verdict.objective
    postponement, energy = (terms or {}).get("postponement", 0.0), (terms or {}).get("energy", 0.0)
    spent = 0.0 if cost is None else cost - postponement
    return {
        "feasible": verdict is not None and verdict.feasible,
        "objective": None if verdict is None else verdict.objective,
        "bound": bound,
        "gap": gap(cost, bound),
        "gap_without_postponement": gap_over(cost, bound, spent),
        "gap_over_energy": gap_over(cost, bound, energy),
        "terms": terms,
        "violations": [] if verdict is None else [vars(v) for v in verdict.violations],
    }


def run(
    problem: Any,
    request: Request,
    limits: Limits,
    *,
    warm_start: Solution | None = None,
    log: bool = False,
    options: Mapping[str, Any] | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> VerifiedRun:
    """
    Run a method on a problem of any kind in a worker process, and verify what it returns.

    `log` lets the solver's log through to standard error; `options` are of the kind, e.g. of a
    simulation; `on_event` is called with each event line as it arrives. InputError as of `refuse`.
    """
    kind = kind_of(problem)
    refuse(problem, request, warm_start)
    with tempfile.TemporaryDirectory(prefix="rsjs-") as name:
        folder = Path(name)
        kind.write(problem, folder / "instance.json")
        if warm_start is not None:
            write_array(packed(warm_start), folder / WARM_START)
        task = Task(
            instance=str(folder / "instance.json"),
            method=request.spelling,
            limits=limits,
            warm_start=warm_start is not None,
            log=log,
            kind=kind.name,
            options=options or {},
            shipped=ship(request.names, folder),
        )
        result = Supervisor(folder=folder, task=task, on_event=on_event).run().result
        found = kind.verified(problem, request.spelling, task.options, result, folder)
    return outcome(problem, request, found)


def run_here(
    problem: Any,
    request: Request,
    limits: Limits,
    *,
    warm_start: Solution | None = None,
    log: bool = False,
) -> VerifiedRun:
    """
    Run a method in this process, and verify what it returns: it is only asked to keep its limits.

    What it raises is not caught. InputError as of `refuse`, and for a method with a solver: two
    solvers, or two runs of one with other threads, do not share a process.
    """
    kind = kind_of(problem)
    refuse(problem, request, warm_start)
    if (solver := solver_of(request)) is not None:
        found = described(f"{request.spelling}, which runs {solver}")
        raise InputError("/isolation", found, 'isolation="process", or a method without a solver')
    call = request.of(Call(limits=limits, warm_start=warm_start, log=log))
    ready = kind.prepared(request, problem, call)
    function = request.method.function()
    report = Report(limits.time_limit)
    returned = solved(problem, function(problem, replace(call, ready=ready), report), report)
    report.seconds["total"] = report.elapsed()
    result = replace(returned, seconds=dict(report.seconds), events=tuple(report.events))
    return outcome(problem, request, kind.verified(problem, request.spelling, {}, result, Path()))


def outcome(problem: Any, request: Request, found: Verified) -> VerifiedRun:
    """Return the outcome of a run that has been verified."""
    solver = solver_of(request)
    return VerifiedRun(
        problem=problem,
        kind=kind_of(problem),
        method=request.spelling,
        solver_version=None if solver is None else backend(solver).version(),
        **vars(found),
    )


def solver_of(request: Request) -> str | None:
    """Return the solver that a method runs, itself or through the method it is given."""
    inner = (value.solver for value in request.options.values() if isinstance(value, Request))
    return request.solver or request.method.needs or next(filter(None, inner), None)


def refuse(problem: Any, request: Request, warm_start: Solution | None = None) -> None:
    """Raise InputError if method, solver or warm start cannot serve the problem."""
    kind = kind_of(problem)
    reason = kind.refusal(request, problem) or request.missing()
    if reason is not None:
        raise InputError("", request.label, instead(kind.serving(problem), reason))
    if warm_start is None:
        return
    if not request.method.warm_start:
        raise InputError("", request.label, "a method that uses a warm start")
    verdict = check(problem, warm_start)
    if not verdict.feasible:
        raise InputError("", "warm start", f"a feasible solution ({verdict.violations[0]})")
