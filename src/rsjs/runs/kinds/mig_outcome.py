"""
A schedule on MIG instances beside the checker's verdict: what commands and records say of a run.

The objective and the bound of a row are those of the first stage; `stages` and `stage_bounds` have
all, and `gap` is that of the first stage whose bound is not met. Besides the columns of
`comparison.row`

    steps, units, reading, goal     of the problem; memory of the units [MB]
    late, makespan, completion, weighted_completion, waste, preemptions, migrations
                                    terms of the schedule, see `mig.schedule_objective`
    stages, stage_bounds            value and bound of each stage, JSON
    construct_s, search_s, bound_s       seconds of a method's phases
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import SolveResult, Stop
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.check import Verdict
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, ScheduleResult, met
from rsjs.runs import compare, provenance
from rsjs.runs.compare import Measured, Row
from rsjs.runs.gap import gap
from rsjs.runs.kinds import mig_methods
from rsjs.runs.kinds.mig_schedule import Claims, solve_result
from rsjs.runs.verified_run import solver_of

PHASES = ("construct", "search", "bound")

Figures = dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class MigOutcome:
    """
    One run of one method on one problem, verified.

    Attributes
    ----------
    problem : SchedulingProblem
    method : str
        Canonical spelling.
    result : SolveResult
        With the check in its phases; without the schedule.
    schedule : Schedule or None
    verdict : Verdict or None
        None without a schedule. Its objective is the value of the first stage.
    figures : mapping
        reading, goal, units, steps; stage_values as checked, stage_bounds as claimed.
    """

    problem: SchedulingProblem
    method: str
    result: SolveResult
    schedule: Schedule | None
    verdict: Verdict | None
    figures: Mapping[str, Any]

    @property
    def verified(self) -> bool:
        """Whether there is a schedule that passed the check."""
        return self.verdict is not None and self.verdict.feasible

    def row(self, limits: Limits) -> Row:
        """The row, as those of `comparison.rows`."""
        solver = solver_of(mig_methods.request(self.method))
        measured = Measured(
            instance=self.problem.name,
            instance_sha256=self.problem.digest,
            nodes=len(self.problem.units),
            jobs=len(self.problem.jobs),
            method=self.method,
            result=self.result,
            verdict=self.verdict,
            rsjs_version=version("rsjs-bench"),
            solver_version=None if solver is None else BACKENDS[solver].version(),
        )
        made = {
            **compare.row(measured, limits),
            **columns(self.figures, self.verdict, self.result.seconds),
            **provenance.stamp(),
        }
        compare.share_bounds([made])
        return made


def of_result(problem: SchedulingProblem, method: str, found: ScheduleResult) -> MigOutcome:
    """The outcome of a method that ran in this process; `method` is its spelling."""
    asked = mig_methods.request(method)
    result = solve_result(problem, found, mig_methods.declared(asked).bound_source)
    claims = {"bound": found.bound}
    return verified(problem, asked.spelling, result, found.schedule, claims)


def verified(
    problem: SchedulingProblem,
    method: str,
    result: SolveResult,
    schedule: Schedule | None,
    claims: Claims,
) -> MigOutcome:
    """The outcome of a result: its schedule, and what is claimed of each stage, checked."""
    begin, verdict = time.monotonic(), None
    stages = len(problem.objective.stages)
    values = _claimed(claims.get("objective"), result.objective, stages)
    bounds = _claimed(claims.get("bound"), result.bound, stages)
    if schedule is not None:
        try:
            found = check_schedule(problem, schedule, objective=values, bound=bounds)
        except (ValueError, TypeError, IndexError, OverflowError):
            return without_schedule(problem, method, result, "the schedule cannot be checked")
        verdict = Verdict(
            feasible=found.feasible,
            violations=found.violations,
            terms=None if found.terms is None else dict(found.terms),
            objective=None if found.values is None else found.values[0],
            counts={"executed": len(problem.jobs)},
        )
        values = found.values
    seconds = {**result.seconds, "check": time.monotonic() - begin}
    return MigOutcome(
        problem=problem,
        method=method,
        result=replace(result, seconds=seconds),
        schedule=schedule,
        verdict=verdict,
        figures={**_told(problem), "stage_values": values, "stage_bounds": bounds},
    )


def columns(
    figures: Mapping[str, Any], verdict: Verdict | None, seconds: Mapping[str, float]
) -> Row:
    """The columns of a row that others do not have."""
    terms = (verdict and verdict.terms) or {}
    units = figures.get("units")
    return {
        "gap": _gap(figures) if verdict is not None and verdict.feasible else None,
        **{name: figures.get(name) for name in ("steps", "reading", "goal")},
        "units": None if units is None else ",".join(map(str, units)),
        **{name: terms.get(name) for name in TERMS},
        **{
            name: None if figures.get(key) is None else json.dumps(figures[key])
            for name, key in (("stages", "stage_values"), ("stage_bounds", "stage_bounds"))
        },
        **{f"{phase}_s": seconds.get(phase) for phase in PHASES},
    }


def _claimed(
    stages: Sequence[float | None] | None, first: float | None, count: int
) -> Sequence[float | None] | None:
    """What is claimed of each stage; of the first what the result says, if it does."""
    if stages is None:
        return None if first is None else (first, *[None] * (count - 1))
    return stages if first is None else (first, *stages[1:])


def _gap(figures: Mapping[str, Any]) -> float | None:
    """The gap of the first stage whose bound is not met; 0 if all are."""
    values, bounds = (figures.get(f"stage_{name}") or [None] for name in ("values", "bounds"))
    for value, bound in zip(values, bounds, strict=False):
        if value is None or bound is None or not met(value, bound):
            return gap(value, bound)
    return 0.0


def _told(problem: SchedulingProblem) -> Figures:
    """What rows say of a problem."""
    return {
        "steps": problem.steps,
        "units": problem.memory.tolist(),
        "reading": problem.reading,
        "goal": str(problem.objective),
    }


def without_schedule(
    problem: SchedulingProblem, method: str, result: SolveResult, message: str
) -> MigOutcome:
    """The outcome of a result whose schedule makes no sense: an error."""
    return MigOutcome(
        problem=problem,
        method=method,
        result=replace(result, stop=Stop.ERROR, objective=None, bound=None, message=message),
        schedule=None,
        verdict=None,
        figures=_told(problem),
    )
