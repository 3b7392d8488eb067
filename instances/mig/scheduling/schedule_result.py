"""What a method says about the schedule it made; a missing number is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rsjs.instances.mig.scheduling.schedule import Schedule
from rsjs.instances.solution import Stop

EQUAL = 1e-6  # values of a stage that differ less are the same
ROUNDING = 1e-15  # relative, of values and bounds with memory that is no integer


@dataclass(frozen=True, kw_only=True, eq=False)
class ScheduleResult:
    """
    The end of a method.

    Attributes
    ----------
    stop : Stop
    schedule : Schedule or None
        The best one found.
    bound : tuple of float or None
        A lower bound on each stage of the objective. That of a later stage holds for schedules
        that are optimal in all stages before.
    seconds : mapping
        Phase -> wall-clock seconds.
    counts : mapping
        iterations, branches, columns, ..., as far as they apply.
    """

    stop: Stop
    schedule: Schedule | None
    bound: tuple[float | None, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


def met(value: float, bound: float | None) -> bool:
    """Whether a bound proves a value."""
    return bound is not None and bound >= value - EQUAL - ROUNDING * abs(value)
