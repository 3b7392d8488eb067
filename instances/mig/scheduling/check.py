"""
The independent checker of schedules on MIG instances; imports no solver and no model.

    (length)    every job has a minute and a unit for each of its steps
    (unit)      every unit exists
    (release)   minute >= r_j
    (order)     the minutes of a job increase strictly
    (stop)      a job that may not stop runs in consecutive minutes
    (move)      a job that may not move stays on one unit
    (memory)    C_i >= w_jk in every minute
    (overlap)   a unit runs one step in a minute
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rsjs.instances.check import Violation
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import EQUAL, Schedule, terms

ROUNDING = 1e-12  # relative, of claimed values: memory may be summed up in another order


@dataclass(frozen=True, kw_only=True)
class ScheduleVerdict:
    """Result of the checker for a schedule."""

    violations: tuple[Violation, ...]
    terms: Mapping[str, float] | None = None  #: of a schedule that breaks no constraint
    values: tuple[float, ...] | None = None  #: of each stage of the objective

    @property
    def feasible(self) -> bool:
        """No violation at all, wrong claims included."""
        return not self.violations


def check_schedule(
    problem: SchedulingProblem,
    schedule: Schedule,
    *,
    objective: Sequence[float | None] | None = None,
    bound: Sequence[float | None] | None = None,
) -> ScheduleVerdict:
    """
    Check a schedule and, where given, what is claimed about it.

    Parameters
    ----------
    problem, schedule
    objective, bound : sequences, optional
        Claimed value of each stage, and lower bound of each, None = no claim. That of a later
        stage holds for schedules which are equal in the stages before.
    """
    found = list(_lengths(problem, schedule))
    if not found:
        found = [*_steps(problem, schedule), *_overlaps(problem, schedule)]
    if found:
        return ScheduleVerdict(violations=tuple(found))
    priced = terms(problem, schedule)
    values = problem.objective.values(priced)
    found += _claims(values, "objective", objective)
    found += _claims(values, "bound", bound)
    return ScheduleVerdict(violations=tuple(found), terms=priced, values=values)


def _claims(
    values: tuple[float, ...], name: str, claimed: Sequence[float | None] | None
) -> Iterator[Violation]:
    if claimed is None:
        return
    if len(claimed) != len(values):
        yield Violation("claimed_stages", f"/{name}", len(claimed), f"{len(values)} stages")
        return
    for stage, (value, claim) in enumerate(zip(values, claimed, strict=True)):
        margin = EQUAL + ROUNDING * abs(value)
        above = claim is not None and not claim <= value + margin
        below = name == "objective" and claim is not None and claim < value - margin
        if above or below:
            expected = f"{value!r}" if name == "objective" else f"<= the value {value!r}"
            yield Violation(f"claimed_{name}", f"/{name}/{stage}", claim, expected)
        if name == "bound" and (claim is None or claim < value):
            return  # the next one holds for schedules that are better in this stage


def _lengths(problem: SchedulingProblem, schedule: Schedule) -> Iterator[Violation]:
    for name in ("minute", "unit"):
        found = len(getattr(schedule, name))
        if found != problem.steps:
            expected = f"{problem.steps}, one per step"
            yield Violation("length", name, found, expected)


def _steps(problem: SchedulingProblem, schedule: Schedule) -> Iterator[Violation]:
    minute, unit = schedule.minute.tolist(), schedule.unit.tolist()
    memory, sizes = problem.jobs.memory.tolist(), problem.memory.tolist()
    for j, (first, end) in enumerate(pairwise(problem.jobs.start.tolist())):
        release = int(problem.release[j])
        # Each step by itself, then against the step before it.
        for s in range(first, end):
            t, i = minute[s], unit[s]
            place = f"job {j} step {s - first} unit {i} minute {t}"
            if not 0 <= i < len(sizes):
                yield Violation("unit", place, i, f"0 to {len(sizes) - 1}")
            elif memory[s] > sizes[i]:
                yield Violation("memory", place, memory[s], f"at most {sizes[i]} MB")
            if t < release:
                yield Violation("release", place, t, f"minute {release} or later")
            if s == first:
                continue
            if t <= minute[s - 1]:
                yield Violation("order", place, t, f"after minute {minute[s - 1]}")
            elif t > minute[s - 1] + 1 and not problem.stops[j]:
                yield Violation("stop", place, t, f"minute {minute[s - 1] + 1}: it may not stop")
            if i != unit[s - 1] and not problem.moves[j]:
                yield Violation("move", place, i, f"unit {unit[s - 1]}: it may not move")


def _overlaps(problem: SchedulingProblem, schedule: Schedule) -> Iterator[Violation]:
    taken: dict[tuple[int, int], int] = {}
    places = zip(schedule.unit.tolist(), schedule.minute.tolist(), strict=True)
    for s, (unit, minute) in enumerate(places):
        j = int(problem.step_job[s])
        other = taken.setdefault((unit, minute), j)
        if other != j:
            place = f"unit {unit} minute {minute}"
            yield Violation("overlap", place, f"jobs {other} and {j}", "one job")
