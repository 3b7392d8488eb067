"""A method's result beside the checker's verdict: what `solve` prints and tables are made of."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.check import Verdict, check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.runs import launcher
from rsjs.runs.gap import gap, gap_over


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """
    One run of one method on one instance, verified.

    Attributes
    ----------
    instance : Instance
    method : str
        Canonical spelling.
    result : SolveResult
        With the check in its phases.
    verdict : Verdict or None
        None without a solution.
    solver_version : str or None
    """

    instance: Instance
    method: str
    result: SolveResult
    verdict: Verdict | None
    solver_version: str | None

    @property
    def objective(self) -> float | None:
        """The checked cost of a feasible decision."""
        if self.verdict is None or not self.verdict.feasible:
            return None
        return self.verdict.objective

    @property
    def verified(self) -> bool:
        """Whether there is a decision that passed the check."""
        return self.objective is not None

    def as_dict(self) -> dict[str, Any]:
        """The run as a JSON object."""
        result, verdict = self.result, self.verdict
        return {
            "instance": self.instance.name,
            "instance_sha256": self.instance.digest,
            "method": self.method,
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
    """What `solve` and `check` both report: feasibility, cost, terms, gaps, violations."""
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
    instance: Instance,
    request: Request,
    limits: Limits,
    *,
    warm_start: Solution | None = None,
    log: bool = False,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> Outcome:
    """
    Run a method in a worker process and verify what it returns.

    Raises
    ------
    InputError
        If the method does not serve the instance, its solver is missing, or the warm start is
        infeasible or not wanted.
    """
    refuse(instance, request, warm_start)
    result = launcher.run(
        instance,
        request.spelling,
        limits,
        warm_start=warm_start,
        log=log,
        on_event=on_event,
    )
    begin = time.monotonic()
    verdict = None
    if result.solution is not None:
        cost, bound = result.objective, result.claimed_bound
        verdict = check(instance, result.solution, objective=cost, bound=bound)
    seconds = {**result.seconds, "check": time.monotonic() - begin}
    solver = solver_of(request)
    return Outcome(
        instance=instance,
        method=request.spelling,
        result=replace(result, seconds=seconds),
        verdict=verdict,
        solver_version=None if solver is None else BACKENDS[solver].version(),
    )


def solver_of(request: Request) -> str | None:
    """The solver that a method runs, itself or through the method it is given."""
    inner = (value.solver for value in request.options.values() if isinstance(value, Request))
    return request.solver or request.method.needs or next(filter(None, inner), None)


def refuse(instance: Instance, request: Request, warm_start: Solution | None = None) -> None:
    """Raise InputError if the run cannot be meant."""
    reason = request.method.refusal(instance) or request.missing()
    if reason is not None:
        raise InputError("", request.spelling, f"another method or instance: {reason}")
    if warm_start is None:
        return
    if not request.method.warm_start:
        raise InputError("", request.spelling, "a method that uses a warm start")
    verdict = check(instance, warm_start)
    if not verdict.feasible:
        raise InputError("", "warm start", f"a feasible decision ({verdict.violations[0]})")
