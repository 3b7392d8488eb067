"""How a method reports while it runs, and what is known when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from rsjs.core.display import Displayed, display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rsjs.instances.mig.scheduling.schedule import Schedule
    from rsjs.instances.solution import Solution


MOST_AT_ONCE, FINENESS = 1000, 1e-3  # events of a run, and how close those after them may be


class Stop(StrEnum):
    """Reason why a method stopped, with or without a solution."""

    OPTIMAL = "optimal"
    GAP = "gap"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    ITERATIONS = "iterations"
    INTERRUPTED = "interrupted"
    INFEASIBLE = "infeasible"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class Event:
    """An incumbent or a bound, `seconds` after the method's clock started."""

    seconds: float
    incumbent: float | None = None
    bound: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class SolveResult(Displayed):
    """Result of a method; a missing number is None."""

    stop: Stop  #: why it ended
    solution: Solution | None = None  #: the incumbent
    #: its cost [$] as the method reports it; the checker has the last word
    objective: float | None = None
    bound: float | None = None  #: a lower bound on the cost [$] of any solution
    bound_source: str | None = None  #: "solver", "lagrangian" or "exact"
    #: the problem the bound is valid for; "instance" = the instance as given
    bound_variant: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)  #: phase -> wall-clock seconds
    events: tuple[Event, ...] = ()  #: incumbents and bounds in order of time
    #: rows, columns, nonzeros, nodes, iterations, as far as they apply
    counts: Mapping[str, int] = field(default_factory=dict)
    #: options as read back from the solver
    options: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""  #: one line for people, e.g. the error
    peak_memory_mb: float | None = None

    def __repr__(self) -> str:
        known = [
            f"{name} {value:.6g} $"
            for name, value in (("objective", self.objective), ("bound", self.bound))
            if value is not None
        ]
        if self.solution is None:
            known.insert(0, "no solution")
        return f"SolveResult({', '.join([str(self.stop), *known])})"

    def plot(self) -> Axes:
        """Draw incumbent and dual bound [$] over the running time [s]."""
        axes: Axes = display("plot_events", self)
        return axes

    @property
    def claimed_bound(self) -> float | None:
        """The highest bound [$] that was reported, in the end or on the way."""
        bounds = [self.bound, *(event.bound for event in self.events)]
        return max((bound for bound in bounds if bound is not None), default=None)


class Report:
    """
    Report of a running method: its phases, incumbents and bounds.

    The clock starts when the report is made, and nothing stops it. A worker process subclasses
    this to stream what is reported to disk; there, the worker starts the clock.

    Parameters
    ----------
    time_limit : float
        Seconds.
    stop : callable, optional
        Whether somebody asked the method to end; asked from time to time.
    """

    def __init__(self, time_limit: float = inf, *, stop: Callable[[], bool] | None = None) -> None:
        self.time_limit = time_limit
        self._stop = stop
        self.seconds: dict[str, float] = {}
        self.events: list[Event] = []
        self._start = time.monotonic()
        self._best: float | None = None
        self._solution: Any = None  # of that cost
        self._bound: float | None = None

    def elapsed(self) -> float:
        """Return the seconds since the clock started."""
        return time.monotonic() - self._start

    def remaining(self) -> float:
        """Return the seconds left of the time limit, never negative."""
        return max(0.0, self.time_limit - self.elapsed())

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to a named phase."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.add_seconds({name: time.monotonic() - begin})

    def add_seconds(self, seconds: Mapping[str, float]) -> None:
        """Add to the times of phases."""
        self.seconds |= {name: self.seconds.get(name, 0.0) + s for name, s in seconds.items()}

    def child(
        self,
        time_limit: float = inf,
        *,
        phases: bool = True,
        on_incumbent: Callable[[Solution, float], None] | None = None,
    ) -> Report:
        """
        Return the report of a method that this one runs; it is asked to stop when this one is.

        Parameters
        ----------
        time_limit : float
            Seconds of the inner method; at most the remaining time of this one.
        phases : bool
            Whether its phases are added to those of this report.
        on_incumbent : callable, optional
            Called with each better solution and its reported objective. By default nothing that the
            inner method finds is reported here: it may solve another instance.
        """
        return _Child(self, min(time_limit, self.remaining()), phases, on_incumbent)

    def incumbent(self, solution: Solution | Schedule, objective: float) -> None:
        """Keep and publish a solution of finite cost below the incumbent's, by however little."""
        if isfinite(objective) and (self._best is None or objective < self._best):
            self._best, self._solution = objective, solution
            if self._noted():
                self.publish(solution, objective)

    def result(self, stop: Stop, **others: Any) -> SolveResult:
        """
        Return the cheapest solution reported, with phases, events and `others` of the result.

        A method that reports each solution it may return needs no comparison of its own, which
        could decide otherwise between solutions whose costs differ by rounding.
        """
        return SolveResult(
            stop=stop,
            solution=self._solution,
            objective=self._best,
            seconds=dict(self.seconds),
            events=tuple(self.events),
            **others,
        )

    def _noted(self) -> bool:
        """
        Add an event with what is known now, unless many have come in a row.

        After the first `MOST_AT_ONCE` there is one in each thousandth of the time that has passed:
        15 000 in an hour at most, however fast a method reports.
        """
        now = self.elapsed()
        if len(self.events) >= MOST_AT_ONCE and now < self.events[-1].seconds * (1 + FINENESS):
            return False
        self.events.append(Event(seconds=now, incumbent=self._best, bound=self._bound))
        return True

    def bound(self, value: float) -> None:
        """Keep and publish a finite lower bound that is higher than those before."""
        if isfinite(value) and (self._bound is None or value > self._bound):
            self._bound = value
            if self._noted():
                self.publish_bound(value)

    def publish(self, solution: Any, objective: float) -> None:
        """Make an incumbent outlive this process; a hook for subclasses."""

    def publish_bound(self, value: float) -> None:
        """Make a bound outlive this process; a hook for subclasses."""

    def stop_requested(self) -> bool:
        """Return whether the method is asked to stop and to return its incumbent."""
        return self._stop is not None and self._stop()


class _Child(Report):
    """Report of a method within another one; see `Report.child`."""

    def __init__(
        self,
        parent: Report,
        time_limit: float,
        phases: bool,
        on_incumbent: Callable[[Solution, float], None] | None,
    ) -> None:
        super().__init__(time_limit, stop=parent.stop_requested)
        self._parent, self._phases, self._on_incumbent = parent, phases, on_incumbent

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        with self._parent.phase(name) if self._phases else super().phase(name):
            yield

    def add_seconds(self, seconds: Mapping[str, float]) -> None:
        if self._phases:
            self._parent.add_seconds(seconds)
        else:
            super().add_seconds(seconds)

    def publish(self, solution: Any, objective: float) -> None:
        if self._on_incumbent is not None:
            self._on_incumbent(solution, objective)
