"""A run of a method on a scheduling problem as a row: priced and judged by the checker."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rsjs.experiments.gap import gap
from rsjs.instances.mig.schedule_check import ScheduleVerdict, check_schedule

if TYPE_CHECKING:
    from rsjs.instances.mig.schedule_result import ScheduleResult
    from rsjs.instances.mig.scheduling import SchedulingProblem


def verdict_of(problem: SchedulingProblem, result: ScheduleResult) -> ScheduleVerdict | None:
    """What the checker says of a result, its bounds included; None without a schedule."""
    if result.schedule is None:
        return None
    return check_schedule(problem, result.schedule, bound=result.bound)


def row(
    problem: SchedulingProblem, method: str, result: ScheduleResult, verdict: ScheduleVerdict | None
) -> Mapping[str, Any]:
    """
    The row.

    `gap` is that of the first stage; `status` is wrong where the checker finds a violation.
    """
    values = None if verdict is None else verdict.values
    first = None if values is None else values[0]
    status = "no_solution" if verdict is None else "ok" if verdict.feasible else "wrong"
    return {
        "instance": problem.name,
        "instance_sha256": problem.digest,
        "jobs": len(problem.jobs),
        "steps": problem.steps,
        "reading": problem.reading,
        "goal": str(problem.objective),
        "method": method,
        "stop": str(result.stop),
        "status": status,
        "objective": first,
        "bound": result.bound[0],
        "gap": gap(first, result.bound[0]),
        **({} if verdict is None or verdict.terms is None else verdict.terms),
        **{f"{phase}_s": seconds for phase, seconds in result.seconds.items()},
        "total_s": sum(result.seconds.values()),
        **result.counts,
        "rsjs_version": version("rsjs-bench"),
    }
