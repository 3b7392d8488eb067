"""Methods for jobs on MIG instances, declared as data like those of the other family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rsjs.core.method import Call, Method, Report

if TYPE_CHECKING:
    from rsjs.instances.mig.scheduling.problem import SchedulingProblem
    from rsjs.instances.mig.scheduling.schedule import ScheduleResult

BoundSource = Literal["combinatorial", "lagrangian", "solver", "exact"]


ScheduleRun = Callable[["SchedulingProblem", Call, Report], "ScheduleResult"]


@dataclass(frozen=True, kw_only=True)
class ScheduleMethod(Method):
    """A `Method` that serves scheduling problems on MIG instances, of any reading and objective."""

    energy: frozenset[str] = frozenset()  # empty, as the next three: no objective of instances
    tardiness_at: frozenset[str] = frozenset()
    open_nodes: frozenset[str] = frozenset()
    expectation: frozenset[str] = frozenset()
    bound_source: BoundSource = "combinatorial"  # where its bounds come from
    max_steps: int | None = None  # of all jobs that it accepts

    def refusal_of(self, problem: SchedulingProblem) -> str | None:
        """Return why this method does not serve a problem, in one line; None if it does."""
        for what, most, size in (
            ("jobs", self.max_jobs, len(problem.jobs)),
            ("steps", self.max_steps, problem.steps),
        ):
            if most is not None and size > most:
                return f"{self.name} serves up to {most} {what}, not {size}"
        return None

    def load_schedule(self) -> ScheduleRun:
        """
        Import the function behind the method; it is handed calls that are completed.

        The rule of a method without rules is the one of its name.
        """
        run: ScheduleRun = self.function()

        def completed(problem: SchedulingProblem, call: Call, report: Report) -> ScheduleResult:
            call = self.completed(call)
            return run(problem, replace(call, rule=call.rule or self.name), report)

        return completed
