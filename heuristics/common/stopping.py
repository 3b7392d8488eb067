"""
When an iterative heuristic ends: rules that are asked again and again, and can be combined.

A rule is asked with the iterations made since it was asked last; it says how many more may be made
until it must be asked again, so that a kernel may run many of them between two questions and still
end exactly where it should. Iterations give the same answer on every machine; seconds are for
comparisons.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

from rsjs.core.report import Report


class Stopping:
    """A rule that never stops; `a | b` stops as soon as one of both does."""

    def __call__(self, iterations: int = 1) -> bool:
        """Return whether to stop after so many more iterations."""
        return False

    @property
    def iterations_left(self) -> float:
        """Iterations until the rule must be asked again; inf = any number."""
        return inf

    def __or__(self, other: Stopping) -> Stopping:
        return AnyOf(self, other)


class Iterations(Stopping):
    """Stopping rule: after `most` iterations; inf = never."""

    def __init__(self, most: float) -> None:
        self._left = most

    def __call__(self, iterations: int = 1) -> bool:
        self._left -= iterations
        return self._left <= 0

    @property
    def iterations_left(self) -> float:
        return max(0, self._left)


class Seconds(Stopping):
    """Stopping rule: after some seconds of a clock, from now on."""

    def __init__(self, most: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._end = clock, clock() + most

    def __call__(self, iterations: int = 1) -> bool:
        return self._clock() >= self._end


class Reported(Stopping):
    """Stopping rule: when the time limit is reached or the method is asked to stop."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def __call__(self, iterations: int = 1) -> bool:
        return self._report.remaining() <= 0.0 or self._report.stop_requested()


class AnyOf(Stopping):
    """Stopping rule: as soon as one of several rules is met; all of them are asked."""

    def __init__(self, *rules: Stopping) -> None:
        self._rules = rules

    def __call__(self, iterations: int = 1) -> bool:
        answers = [rule(iterations) for rule in self._rules]
        return any(answers)

    @property
    def iterations_left(self) -> float:
        return min(rule.iterations_left for rule in self._rules)
