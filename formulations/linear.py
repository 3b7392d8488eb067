"""
From a linear formulation to a result: build, hand over, solve, extract; incumbents streamed.

Three routes lead to the solver: `standard_form` (Pyomo model -> arrays -> solver, the default),
`pyomo` (Pyomo's own solver interface) and `arrays` (assembled without Pyomo). A solver that takes
no arrays (Gurobi, CBC, GLPK) is reached by the route `pyomo`, whether named or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.backends.backend import Backend, RawResult
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.backends.relay import reached
from rsjs.formulations.linear_models import LINEAR
from rsjs.formulations.matrix import MatrixModel
from rsjs.formulations.primal_dual import Incumbent
from rsjs.instances.completion import complete
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import SolveResult, Stop

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

Array = NDArray[np.float64]

MARGIN = 0.2  # seconds of the limit kept for reading the answer and extracting the decision


@dataclass(frozen=True)
class Built:
    """A formulation handed over by one of the routes."""

    matrix: MatrixModel | None
    model: ConcreteModel | None
    order: NDArray[np.int64]  # formulation column -> matrix column
    columns: list[Any]


def run(
    name: str, instance: Instance, call: Call, report: Report, *, valid_bound: bool = True
) -> SolveResult:
    """Make the data of the formulation of this name in `linear_models`, and solve."""
    model = LINEAR[name]
    formulation = model.load()
    with report.phase("build"):
        data = model.data(formulation, instance, call.options)
    return solve(formulation, data, instance, call, report, valid_bound=valid_bound)


def solve(
    formulation: ModuleType,
    data: Any,
    instance: Instance,
    call: Call,
    report: Report,
    *,
    valid_bound: bool = True,
) -> SolveResult:
    """
    Solve an instance with a linear formulation.

    Parameters
    ----------
    formulation : module with build, columns, arrays, warm_start, extract
    data : the formulation's data
    valid_bound : bool
        Whether the model's bound is one for the instance; otherwise none is reported.
    """
    solver = chosen_solver(call)
    stream = _Stream(formulation, data, instance, report)
    begin = None if call.warm_start is None else complete(instance, call.warm_start)
    if begin is not None:
        stream.offer(begin)
    with report.phase("build"):
        built = _build(formulation, data, route(call))
        start = None if begin is None else formulation.warm_start(data, begin)
    stream.order = built.order
    seconds = report.remaining() - MARGIN
    if seconds <= 0:
        return stream.result(RawResult(stop=Stop.TIME_LIMIT, status="limit reached in the build"))
    with report.phase("solve"):
        if built.matrix is None:
            raw = _through_pyomo(built, solver, call, seconds, start)
        else:
            raw = solver.load()(
                built.matrix,
                call.limits,
                seconds=seconds,
                start=None if start is None else _permuted(start, built.order),
                on_incumbent=stream.incumbent,
                on_bound=report.bound if valid_bound else _ignore,
                stop=report.stop_requested,
                log=call.log,
            )
    report.seconds["handover"] = raw.handover_seconds
    with report.phase("extract"):
        if raw.x is not None:
            stream.incumbent(raw.x)
        elif raw.objective is not None:
            stream.offer(formulation.extract(data, _values(built)))
    bound = raw.bound if valid_bound else None
    if bound is not None:
        report.bound(bound)
    counts = {} if built.matrix is None else built.matrix.counts
    found = stream.result(replace(raw, bound=bound, counts={**counts, **raw.counts}))
    return replace(found, stop=reached(found.stop, found.objective, found.bound, call.limits.gap))


def chosen_solver(call: Call) -> Backend:
    """The backend a call names."""
    return backend(call.solver or "highs")


def route(call: Call) -> str:
    """The route of a call: `pyomo` for a solver that has no other."""
    solver, asked = chosen_solver(call), str(call.options["route"])
    if solver.run is not None:
        return asked
    if asked == "arrays":
        raise ValueError(f"{solver.name} is reached through Pyomo only, not by route=arrays")
    return "pyomo"


def prepare(method: Method, call: Call, _jobs: int) -> None:
    """Import the formulation, the solver and what the route needs."""
    LINEAR[method.name].load()
    solver, way = chosen_solver(call), route(call)
    if way != "arrays":
        import_module("rsjs.formulations.standard_form")
    if way == "pyomo":
        import_module("rsjs.formulations.pyomo_interface")
        solver.import_solver()
    else:
        solver.load()


def _build(formulation: ModuleType, data: Any, route: str) -> Built:
    if route == "arrays":
        matrix = formulation.arrays(data)
        return Built(matrix, None, np.arange(len(matrix.cost)), [])
    from rsjs.formulations import standard_form

    model = formulation.build(data)
    ours = formulation.columns(model)
    if route == "pyomo":
        return Built(None, model, np.arange(len(ours)), ours)
    matrix, theirs = standard_form.from_pyomo(model)
    position = {id(variable): i for i, variable in enumerate(theirs)}
    order = np.array([position.get(id(variable), -1) for variable in ours])
    return Built(matrix, None, order, [])  # lets go of the Pyomo model before the hand-over


def _through_pyomo(
    built: Built, solver: Backend, call: Call, seconds: float, start: Array | None
) -> RawResult:
    from rsjs.formulations import pyomo_interface, standard_form

    if start is not None:
        standard_form.set_values(built.columns, start)
    return pyomo_interface.solve(
        built.model,
        solver,
        call.limits,
        seconds=seconds,
        warm_start=start is not None,
        log=call.log,
    )


def _values(built: Built) -> Array:
    """The vector that Pyomo's interface left on the model."""
    from rsjs.formulations import standard_form

    return standard_form.values(built.columns)


class _Stream(Incumbent):
    """Turns the solver's vectors into decisions while it runs."""

    def __init__(
        self, formulation: ModuleType, data: Any, instance: Instance, report: Report
    ) -> None:
        super().__init__(instance, report)
        self.formulation, self.data = formulation, data
        self.order = np.empty(0, dtype=np.int64)

    def incumbent(self, x: Array) -> None:
        """A vector in the solver's column order."""
        self.offer(self.formulation.extract(self.data, _restored(x, self.order)))

    def result(self, raw: RawResult) -> SolveResult:
        """The best decision with what the solver said."""
        return SolveResult(
            stop=raw.stop,
            solution=self.best,
            objective=None if self.best is None else self.cost,
            bound=raw.bound,
            bound_source=None if raw.bound is None else "solver",
            bound_variant=None if raw.bound is None else "instance",
            counts=raw.counts,
            options=raw.options,
            message=raw.status,
        )


def _permuted(ours: Array, order: NDArray[np.int64]) -> Array:
    theirs = np.zeros(int((order >= 0).sum()))
    theirs[order[order >= 0]] = ours[order >= 0]
    return theirs


def _restored(theirs: Array, order: NDArray[np.int64]) -> Array:
    return np.where(order >= 0, theirs[order], 0.0)


def _ignore(bound: float) -> None:
    """For models whose bound says nothing about the instance."""
