"""What a solver backend declares, what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from rsjs.core.method import Limits, Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.scaling import scaled

if TYPE_CHECKING:
    from rsjs.formulations.backends.solver_process import SolverProcess
    from rsjs.formulations.milp.matrix import MatrixModel


class Feature(StrEnum):
    """What a backend can do."""

    INTEGER = "integer"
    CONTINUOUS = "continuous"
    WARM_START = "warm_start"
    STREAMS_INCUMBENTS = "streams_incumbents"
    STREAMS_BOUNDS = "streams_bounds"
    THREADS = "threads"  # more than one thread makes a difference


@dataclass(frozen=True, kw_only=True, eq=False)
class RawResult:
    """
    What a solver knows when it ends; a missing number is None.

    Attributes
    ----------
    stop : Stop
        Why it ended; OPTIMAL only if objective and bound meet.
    status : str
        The solver's own word for it.
    x : (columns,) float64 or None
        The best vector, integer only within the solver's tolerance.
    objective : float or None
        Cost of the best vector, evaluated with the model's own costs; None = no solution.
    bound : float or None
        A lower bound on the cost of every feasible vector.
    counts : mapping
        Nodes, iterations and the like, in the solver's terms.
    options : mapping
        Options as read back from the solver; its tolerances, where it has any, are
        `feasibility_tolerance` and `integrality_tolerance`.
    handover_seconds, solve_seconds : float
        Wall-clock time to fill the solver with the model, and inside the solver.
    """

    stop: Stop
    status: str
    x: Floats | None = None
    objective: float | None = None
    bound: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    handover_seconds: float = 0.0
    solve_seconds: float = 0.0


class Solve(Protocol):
    """
    The function behind a backend.

    `seconds` is what remains for hand-over and solve together; gap, threads and seed come from
    `limits`. `start` is a full vector that the solver may begin from; it is not reported back
    before the solver itself accepts it. `on_incumbent` (each better vector, read-only) and
    `on_bound` (each better bound) may be called from another thread, but never two at once;
    an exception in one of them ends the solve and is raised again. `stop` is polled. With `log`
    the solver prints its log to standard output.
    """

    def __call__(
        self,
        model: MatrixModel,
        limits: Limits,
        *,
        seconds: float,
        start: Floats | None,
        on_incumbent: Callable[[Floats], None],
        on_bound: Callable[[float], None],
        stop: Callable[[], bool],
        log: bool,
    ) -> RawResult: ...


class Ask(Protocol):
    """A `Solve` that may be asked for its answer alone: nothing streamed, no start, no log."""

    def __call__(
        self,
        model: MatrixModel,
        limits: Limits,
        *,
        seconds: float,
        start: Floats | None = ...,
        on_incumbent: Callable[[Floats], None] = ...,
        on_bound: Callable[[float], None] = ...,
        stop: Callable[[], bool] = ...,
        log: bool = ...,
    ) -> RawResult: ...


@dataclass(frozen=True, kw_only=True)
class Backend:
    """
    A solver, declared as data.

    Attributes
    ----------
    name : str
    module : str
        What `load` imports; its first part tells whether the solver is there.
    distribution, versions : str
        Name on the package index and the releases this backend was written for.
    features : frozenset of Feature
    status : mapping
        The solver's word -> Stop; a word that is missing here is an ERROR.
    options : callable
        Limits -> the solver's own options, time limit included.
    run : str
        "module:function" of a `Solve`.
    process : SolverProcess or None
        Where the solver is loaded, if it cannot share a process with the others.
    """

    name: str
    module: str
    distribution: str
    versions: str
    features: frozenset[Feature]
    status: Mapping[str, Stop]
    options: Callable[[Limits], dict[str, Any]]
    run: str
    process: SolverProcess | None = None

    @property
    def install_command(self) -> str:
        """How to get the solver."""
        return f"pip install '{self.distribution}{self.versions}'"

    def available(self) -> bool:
        """Return whether the solver is installed; nothing is imported."""
        return find_spec(self.module.partition(".")[0]) is not None

    def version(self) -> str | None:
        """Return the installed release; None if there is none."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None

    def import_solver(self) -> None:
        """Import the solver's package; one line tells how to get it if it is not there."""
        if not self.available():
            raise ValueError(f"solver {self.name!r} is not installed; {self.install_command}")
        if self.process is None:
            import_module(self.module)
        else:
            self.process.prepare()

    def load(self) -> Ask:
        """Import the solver and the function that drives it, so that no solve is charged for it."""
        self.import_solver()
        module, _, function = self.run.partition(":")
        solve: Solve = getattr(import_module(module), function)
        return scaled(solve)


def small_seed(limits: Limits) -> int:
    """Return the seed in the 31 bits that every solver takes."""
    return limits.seed % 2**31
