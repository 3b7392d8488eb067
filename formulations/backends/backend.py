"""What a solver backend declares, what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from importlib import import_module, metadata
from importlib.util import find_spec
from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.stop import reached
from rsjs.formulations.milp.matrix import MatrixModel

if TYPE_CHECKING:
    from rsjs.formulations.backends.solver_process import SolverProcess


class Feature(StrEnum):
    """Capabilities of a backend."""

    INTEGER = "integer"
    CONTINUOUS = "continuous"
    WARM_START = "warm_start"
    STREAMS_INCUMBENTS = "streams_incumbents"
    STREAMS_BOUNDS = "streams_bounds"
    THREADS = "threads"  # more than one thread makes a difference


@dataclass(frozen=True, kw_only=True, eq=False)
class RawResult:
    """Result of a solver; a missing number is None."""

    stop: Stop  #: why it ended; OPTIMAL only if objective and bound meet
    status: str  #: the solver's own word for it
    #: (columns,) the best vector, integer only within the solver's tolerance
    x: Floats | None = None
    #: cost of the best vector, evaluated with the model's own costs; None = no solution
    objective: float | None = None
    bound: float | None = None  #: a lower bound on the cost of every feasible vector
    #: nodes, iterations and the like, in the solver's terms
    counts: Mapping[str, int] = field(default_factory=dict)
    #: options as read back from the solver; its tolerances, where it has any, are
    #: `feasibility_tolerance` and `integrality_tolerance`
    options: Mapping[str, Any] = field(default_factory=dict)
    handover_seconds: float = 0.0  #: wall-clock time to fill the solver with the model
    solve_seconds: float = 0.0  #: wall-clock time inside the solver


def ignore(_said: object) -> None:
    """Ignore incumbents or bounds."""


def never() -> bool:
    """Return that nobody asks to end."""
    return False


@dataclass(frozen=True, eq=False)
class SolveTask:
    """A model to solve, its limits and its callbacks."""

    model: MatrixModel
    limits: Limits  #: gap, threads and seed; the time is in `seconds`
    _: KW_ONLY
    seconds: float  #: what remains for hand-over and solve together
    #: (columns,) a vector that the solver may begin from; it is not reported back before the solver
    #: itself accepts it
    start: Floats | None = None
    #: told each better vector, read-only, perhaps from another thread, but never two at once; an
    #: exception ends the solve and is raised again
    on_incumbent: Callable[[Floats], None] = ignore
    on_bound: Callable[[float], None] = ignore  #: told each better bound in the same way
    stop: Callable[[], bool] = never  #: whether to end early; polled
    log: bool = False  #: whether the solver prints its log to standard output

    @property
    def silent(self) -> SolveTask:
        """The task without callbacks, which can be sent to another process."""
        return replace(self, on_incumbent=ignore, on_bound=ignore, stop=never)


Solve = Callable[[SolveTask], RawResult]


@dataclass(frozen=True, kw_only=True)
class Backend:
    """A solver, declared as data."""

    name: str
    module: str  #: what `load` imports; its first part tells whether the solver is there
    distribution: str  #: name on the package index
    versions: str  #: the releases this backend was written for
    features: frozenset[Feature]
    #: the solver's word -> Stop; a word that is missing here is an ERROR
    status: Mapping[str, Stop]
    #: limits -> the solver's own options, time limit included
    options: Callable[[Limits], dict[str, Any]]
    run: str  #: "module:function" of a `Solve`
    #: where the solver is loaded, if it cannot share a process with the others
    process: SolverProcess | None = None

    @property
    def notes(self) -> list[str]:
        """Remarks on the solver, for lists of solvers."""
        return [] if Feature.INTEGER in self.features else ["a bound only, no solution"]

    @property
    def install_command(self) -> str:
        """Command that installs the solver."""
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

    def load(self) -> Solve:
        """Import the solver and the function that drives it, so that no solve is charged for it."""
        self.import_solver()
        module, _, function = self.run.partition(":")
        return scaled(getattr(import_module(module), function))


def small_seed(limits: Limits) -> int:
    """Return the seed in the 31 bits that every solver takes."""
    return limits.seed % 2**31


EPSILON = float(np.finfo(float).eps)


def scale_of(cost: Floats) -> float:
    """Return the power of two that brings the largest cost to at least 1; 1 if all costs are 0."""
    largest = float(np.abs(cost).max(initial=0.0))
    return 2.0 ** max(0, 1 - frexp(largest)[1]) if largest else 1.0


def scaled(solve: Solve) -> Solve:
    """
    Wrap a solver so that it takes costs of any magnitude and its bounds survive its arithmetic.

    Solvers compare with absolute tolerances (HiGHS: 1e-7 on reduced costs): costs that are all far
    below 1 are multiplied by a power of two, which is exact, and divided by it again. A bound loses
    the last digits of the constant in the objective: that much is subtracted.
    """

    def run(task: SolveTask) -> RawResult:
        model = task.model
        factor, lost = scale_of(model.cost), EPSILON * abs(model.offset)
        if factor != 1.0:
            model = replace(model, cost=factor * model.cost, offset=factor * model.offset)
        raw = solve(replace(task, model=model, on_bound=lambda b: task.on_bound(b / factor - lost)))
        objective = None if raw.x is None else task.model.objective(raw.x)
        bound = None if raw.bound is None else raw.bound / factor - lost
        stop = reached(raw.stop, objective, bound, task.limits.gap)
        return replace(raw, objective=objective, bound=bound, stop=stop)

    return run
