"""
What a method declares, what it is asked, and how it reports while it runs.

A method is a function `run(instance, call, report) -> SolveResult` and a `Method` that says,
as data, which problems it serves. Formulations and heuristics fill registries with them;
other packages join by the entry point `rsjs.methods`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from math import inf, isfinite, isnan
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.instances.mig.scheduling.schedule import Schedule
    from rsjs.instances.solution import Solution


ENERGY = frozenset({"proportional", "first_ending", "next_event"})
TARDINESS_AT = frozenset({"completion", "next_event"})
OPEN_NODES = frozenset({"free", "jahani_eq", "rsjs_eq", "rsjs_eq_feasible"})
EXPECTATION = frozenset({"worst_case", "mean", "expected"})
MOST_AT_ONCE, FINENESS = 1000, 1e-3  # events of a run, and how close those after them may be
ASKED, GRACE = 1.0, 2.0  # s after its time limit at which a run is asked to return, and ended


class Stop(StrEnum):
    """Why a method stopped; whether it has a solution is another question."""

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
class SolveResult:
    """
    What is known when a method ends, and no more: a missing number is None.

    Attributes
    ----------
    stop : Stop
        Why it ended.
    solution : Solution or None
        The best decision found.
    objective : float or None
        Its cost [$] as the method claims it; the checker has the last word.
    bound : float or None
        A lower bound on the cost [$] of any decision.
    bound_source : str or None
        "solver", "lagrangian" or "exact".
    bound_variant : str or None
        The problem the bound is valid for; "instance" = the instance as given.
    seconds : mapping
        Phase -> wall-clock seconds.
    events : tuple of Event
        Incumbents and bounds in order of time.
    counts : mapping
        rows, columns, nonzeros, nodes, iterations, as far as they apply.
    options : mapping
        Options as read back from the solver.
    message : str
        One line for people, e.g. the error.
    """

    stop: Stop
    solution: Solution | None = None
    objective: float | None = None
    bound: float | None = None
    bound_source: str | None = None
    bound_variant: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    peak_memory_mb: float | None = None

    @property
    def claimed_bound(self) -> float | None:
        """The highest bound [$] that was claimed, in the end or on the way."""
        told = [self.bound, *(event.bound for event in self.events)]
        return max((bound for bound in told if bound is not None), default=None)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """
    Limits of one run.

    Attributes
    ----------
    time_limit : float
        Wall-clock seconds for the whole method, from when it is given the instance.
    gap : float
        Relative gap at which an exact method may stop.
    threads, seed : int
    memory_limit_mb : float or None
        Resident memory of the worker's process tree; None = no limit.
    """

    time_limit: float = 60.0
    gap: float = 1e-4
    threads: int = 1
    seed: int = 0
    memory_limit_mb: float | None = None

    @classmethod
    def asked(cls, **given: Any) -> Limits:
        """
        Return the limits that a user asks for; those left over within a method may be 0.

        Raises
        ------
        InputError
            At "/NAME", for a limit that does not exist or a value that makes no sense.
        """
        for name, value in given.items():
            if name not in _ASKED:
                raise InputError(f"/{name}", value, f"one of the limits {', '.join(_ASKED)}")
            kind, sensible, expected = _ASKED[name]
            if name == "memory_limit_mb" and value is None:
                continue
            known = isinstance(value, kind) and not isinstance(value, bool)
            if not known or not sensible(value):
                raise InputError(f"/{name}", value, expected)
        return cls(**given)

    def __post_init__(self) -> None:
        for name, low, high in (("threads", 1, 2**31), ("seed", 0, 2**63)):
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value < high:
                raise InputError("", f"{name}={value}", f"an integer from {low} to {high - 1}")
        for name in ("time_limit", "gap"):
            if isnan(getattr(self, name)):
                raise InputError("", f"{name}=nan", "a number")


_ASKED: Mapping[str, tuple[type, Callable[[float], bool], str]] = {
    "time_limit": (Real, lambda value: 0 < value <= 1e7, "a number of seconds > 0 and <= 1e7"),
    "gap": (Real, lambda value: 0 <= value <= 1, "a relative gap from 0 to 1, e.g. 1e-4"),
    "threads": (Integral, lambda value: 1 <= value < 2**31, "a number of threads >= 1"),
    "seed": (Integral, lambda value: 0 <= value < 2**63, "a seed from 0 to 2^63 - 1"),
    "memory_limit_mb": (Real, lambda value: 0 < value < inf, "a number of MB > 0"),
}


@dataclass(frozen=True, kw_only=True)
class Option:
    """
    One option of a method, given as `?name=value`.

    Attributes
    ----------
    default : value, or the canonical spelling of a method, or of several between "|"
    help : str
    choices : tuple of str
        Empty = any value of the default's type.
    minimum : float or None
        The least value accepted.
    pattern : str or None
        A regular expression that the text must match as a whole.
    kind : "value" | "method"
        A method is handed to `Call.options` as a `Run` that is `Declared`; of several, the first
        one that serves an instance runs.
    on_whole : bool
        Whether that method is given the whole instance, not parts of it.
    """

    default: Any
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    pattern: str | None = None
    kind: Literal["value", "method"] = "value"
    on_whole: bool = False


@dataclass(frozen=True)
class Inner:
    """
    Methods of which one is run by another method: the first that serves.

    Attributes
    ----------
    methods : tuple of Method
    on_whole : bool
        See `Option`.
    """

    methods: tuple[Method, ...]
    on_whole: bool = False

    def refusal(self, instance: Instance, *, in_parts: bool) -> str | None:
        """Why none of them serves the instance, or parts of it, in one line."""
        reasons = [
            method.refusal(instance, in_parts=in_parts or not self.on_whole)
            for method in self.methods
        ]
        return None if None in reasons else "; ".join(filter(None, reasons))


@dataclass(frozen=True, kw_only=True)
class Call:
    """
    One request: which solver, rule and options, within which limits, from which start.

    `ready` is what the method's `prepare` returned; None if that was nothing, or was not run.
    """

    solver: str | None = None
    rule: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    warm_start: Solution | None = None
    log: bool = False
    ready: Any = None


class Report:
    """
    Collects phases, incumbents and bounds of a running method.

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
        self._solution: Solution | None = None  # of that cost
        self._bound: float | None = None

    def elapsed(self) -> float:
        """Seconds since the clock started."""
        return time.monotonic() - self._start

    def remaining(self) -> float:
        """Seconds left of the time limit, never negative."""
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
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value

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
            Seconds of the inner method; at most what is left of this one's.
        phases : bool
            Whether its phases are added to those of this report.
        on_incumbent : callable, optional
            Called with each better solution and the objective reported for it. By default nothing
            that the inner method finds is reported here: it may solve another instance.
        """
        return _Child(self, min(time_limit, self.remaining()), phases, on_incumbent)

    def incumbent(self, solution: Solution, objective: float) -> None:
        """
        Keep and publish a solution if it is cheaper than those before, by its last digit even.

        Those without a price are ignored.
        """
        if self._improves(objective):
            self._solution = solution
            if self._noted():
                self.publish(solution, objective)

    def result(self, stop: Stop, **others: Any) -> SolveResult:
        """
        Return the cheapest solution reported, with phases and events.

        A method that reports each solution it may return needs no comparison of its own, which
        could decide otherwise between solutions whose costs differ by rounding.

        Parameters
        ----------
        stop, others : further fields of the result
        """
        return SolveResult(
            stop=stop,
            solution=self._solution,
            objective=self._best,
            seconds=dict(self.seconds),
            events=tuple(self.events),
            **others,
        )

    def incumbent_schedule(self, schedule: Schedule, objective: float) -> None:
        """The same for jobs on MIG instances."""
        if self._improves(objective) and self._noted():
            self.publish_schedule(schedule, objective)

    def _improves(self, objective: float) -> bool:
        """Whether this is the least objective so far, which is then kept."""
        if not isfinite(objective):
            return False
        if self._best is not None and objective >= self._best:
            return False
        self._best = objective
        return True

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
        """A lower bound better than those before; others are ignored, and infinite ones."""
        if not isfinite(value) or (self._bound is not None and value <= self._bound):
            return
        self._bound = value
        if self._noted():
            self.publish_bound(value)

    def publish(self, solution: Solution, objective: float) -> None:
        """Hook: make an incumbent outlive this process."""

    def publish_schedule(self, schedule: Schedule, objective: float) -> None:
        """Hook: the same for a schedule."""

    def publish_bound(self, value: float) -> None:
        """Hook: make a bound outlive this process."""

    def stop_requested(self) -> bool:
        """Return whether somebody asked the method to end and return what it has."""
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

    def publish(self, solution: Solution, objective: float) -> None:
        if self._on_incumbent is not None:
            self._on_incumbent(solution, objective)


class Run(Protocol):
    """The function behind a method."""

    def __call__(self, instance: Instance, call: Call, report: Report) -> SolveResult: ...


class Prepare(Protocol):
    """Imports, compiles and starts what a method needs: it sees a call and the number of jobs."""

    def __call__(self, method: Method, call: Call, jobs: int) -> Any: ...


@runtime_checkable
class Declared(Run, Protocol):
    """A method as the value of another one's option, which runs it on parts of an instance."""

    def declared(self, instance: Instance) -> Method:
        """What runs on parts of an instance, with the largest part that it accepts."""


@runtime_checkable
class Prepares(Protocol):
    """A method as the value of another one's option, which prepares it with itself."""

    def prepare(self, call: Call, jobs: int) -> Any:
        """Run the method's `prepare`, see `Method`."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """
    A method and the problems it serves, declared as data.

    Attributes
    ----------
    name : str
        Spelling in `name[@solver][:rule][?key=value,...]`.
    summary : str
        One line for lists.
    kind : "exact" or "heuristic"
        Exact methods return bounds.
    run : str
        "module:function", imported when the method first runs.
    prepare : str
        "module:function" of a `Prepare`, run before the clock starts; empty = nothing to prepare.
        Whatever else a method imports or compiles counts as its time.
    energy, tardiness_at, open_nodes, expectation : frozenset of str
        The objective kinds it serves.
    sharing : bool
        Whether it serves instances with share levels.
    idle_cost : bool
        Whether it serves mu > 0.
    right_sizing : bool
        Whether it serves nodes that may take several types.
    solvers, rules : tuple of str
        The first one is the default.
    needs : str or None
        The solver that it runs, where there is none to choose.
    rule_help : mapping of str to str
        What each rule does, where the summary does not tell.
    options : mapping of str to Option
    warm_start : bool
        Whether a start solution is used.
    max_jobs, max_nodes : int or None
        The largest instance it accepts.
    decides : bool
        Whether there are decisions among its results, not bounds only.
    linear : bool
        Whether the module of `run` is a linear formulation, see `rsjs.formulations.milp.solve`.
    runs : tuple of Inner
        Other methods that it runs.
    """

    name: str
    summary: str
    kind: Literal["exact", "heuristic"]
    run: str
    prepare: str = ""
    energy: frozenset[str] = ENERGY
    tardiness_at: frozenset[str] = TARDINESS_AT
    open_nodes: frozenset[str] = OPEN_NODES
    expectation: frozenset[str] = EXPECTATION
    sharing: bool = True
    idle_cost: bool = True
    right_sizing: bool = True
    solvers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    needs: str | None = None
    rule_help: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)
    warm_start: bool = False
    max_jobs: int | None = None
    max_nodes: int | None = None
    decides: bool = True
    linear: bool = False
    runs: tuple[Inner, ...] = ()

    def refusal(self, instance: Instance, *, in_parts: bool = False) -> str | None:
        """
        Why this method does not serve an instance, in one line; None if it does.

        In parts, an instance may be larger than the method accepts.
        """
        objective = instance.objective
        for kind in ("energy", "tardiness_at", "open_nodes", "expectation"):
            served, asked = getattr(self, kind), getattr(objective, kind)
            if asked not in served:
                return f"{self.name} serves {kind} {' | '.join(sorted(served))}, not {asked}"
        if instance.has_sharing and not self.sharing:
            return f"{self.name} serves dedicated GPUs only; {instance.name} has share levels"
        if objective.mu > 0 and not self.idle_cost:
            return f"{self.name} serves mu = 0, not mu = {objective.mu:g}"
        several = instance.cluster.allowed_in_class.sum(axis=1)[instance.cluster.class_of_node]
        if several.max() > 1 and not self.right_sizing:
            n = int(several.argmax())
            node = instance.cluster.node_names[n]
            return f"{self.name} serves nodes of one type; {node} may take {several[n]}"
        for what, most, size in (
            ("jobs", self.max_jobs, len(instance.jobs)),
            ("nodes", self.max_nodes, instance.cluster.nodes),
        ):
            if most is not None and size > most and not in_parts:
                return f"{self.name} serves up to {most} {what}, not {size}"
        refusals = (inner.refusal(instance, in_parts=in_parts) for inner in self.runs)
        return next(filter(None, refusals), None)

    def load(self) -> Run:
        """Import the function behind the method; it is handed calls that are completed."""
        run: Run = self.function()
        return lambda instance, call, report: run(instance, self.completed(call), report)

    def completed(self, call: Call) -> Call:
        """
        Return a call with the default solver, rule and options where none are given.

        Options whose value is a method are left out: `rsjs.methods.parse` gives them.

        Raises
        ------
        InputError
            For a rule or an option that the method does not have.
        """
        if call.rule is not None and call.rule not in self.rules:
            found = f"rule of {self.name} {call.rule}"
            raise InputError("", found, f"one of {', '.join(self.rules)}")
        for name in call.options:
            if name not in self.options:
                found = f"option of {self.name} {name}"
                raise InputError("", found, f"one of {', '.join(self.options)}")
        defaults = {
            name: option.default for name, option in self.options.items() if option.kind == "value"
        }
        return replace(
            call,
            solver=call.solver or next(iter(self.solvers), None),
            rule=call.rule or next(iter(self.rules), None),
            options={**defaults, **call.options},
        )

    def function(self) -> Any:
        """What `run` names, imported."""
        return _named(self.run)

    def prepared(self, call: Call, jobs: int) -> Any:
        """Import the method and run its `prepare`; what that returns."""
        self.function()
        return _named(self.prepare)(self, call, jobs) if self.prepare else None


def prepare_inner(_method: Method, call: Call, jobs: int) -> None:
    """A `Prepare`: that of each method among the options of a call."""
    for value in call.options.values():
        if isinstance(value, Prepares):
            value.prepare(call, jobs)


def _named(function: str) -> Any:
    """The function "module:function", imported."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)
