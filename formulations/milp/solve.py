"""
From a linear formulation to a result: build, hand over, solve, extract; incumbents streamed.

Two routes lead to the solver: `standard_form` (Pyomo model -> arrays -> solver, the default) and
`arrays` (assembled without Pyomo).

The formulations behind the exact methods that are linear, by the methods' names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.method import Call, Method, Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.backend import Backend, RawResult
from rsjs.formulations.backends.callbacks import reached
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.incumbent import Incumbent
from rsjs.formulations.milp.matrix import MatrixModel
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

    from rsjs.formulations.milp.export import Labels


Options = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class LinearModel:
    """
    A formulation that `rsjs.formulations.milp.solve` solves.

    Attributes
    ----------
    name : str
        Of the method, and of its labels in `model_names`.
    module : str
        In `rsjs.formulations`.
    data : callable
        (module, instance, the method's options) -> the formulation's data.
    """

    name: str
    module: str
    data: Callable[[ModuleType, Instance, Options], Any]

    def load(self) -> ModuleType:
        """Import the formulation."""
        return import_module(f"rsjs.formulations.{self.module}")

    def build(self, instance: Instance, options: Options) -> tuple[ConcreteModel, Labels]:
        """The Pyomo model of an instance and what its indices stand for."""
        formulation = self.load()
        names = getattr(import_module("rsjs.formulations.milp.export"), self.name)
        data = self.data(formulation, instance, options)
        return formulation.build(data), names(data)


_MODELS = (
    LinearModel(
        name="jahani_patterns",
        module="jahani.patterns",
        data=lambda f, instance, _: f.PatternModel.of(instance),
    ),
    LinearModel(
        name="jahani_literal",
        module="jahani.milp",
        data=lambda f, instance, options: f.LiteralModel(
            instance, overdue_as_printed=options["printed"] == "overdue"
        ),
    ),
    LinearModel(
        name="first_ending_patterns",
        module="first_ending.patterns",
        data=lambda f, instance, _: f.LeaderModel.of(instance),
    ),
    LinearModel(
        name="first_ending_nodes",
        module="first_ending.node_indexed",
        data=lambda f, instance, _: f.NodeModel(instance),
    ),
    LinearModel(
        name="rsjs_nodes",
        module="rsjs.node_indexed",
        data=lambda f, instance, _: f.NodeModel.of(instance),
    ),
    LinearModel(
        name="rsjs_gpu",
        module="rsjs.gpu_indexed",
        data=lambda f, instance, _: f.GpuModel.of(instance),
    ),
    LinearModel(
        name="rsjs_classes",
        module="rsjs.aggregated.model",
        data=lambda f, instance, options: f.ClassModel.of(instance, options["packing"]),
    ),
)
LINEAR = {model.name: model for model in _MODELS}


MARGIN = 0.2  # seconds of the limit kept for reading the answer and extracting the decision


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
    begin = None if call.warm_start is None else select_required_nodes(instance, call.warm_start)
    if begin is not None:
        stream.offer(begin)
    with report.phase("build"):
        matrix, stream.order = _build(formulation, data, call.options["route"])
        start = None if begin is None else formulation.warm_start(data, begin)
    seconds = report.remaining() - MARGIN
    if seconds <= 0:
        return stream.result(RawResult(stop=Stop.TIME_LIMIT, status="limit reached in the build"))
    with report.phase("solve"):
        raw = solver.load()(
            matrix,
            call.limits,
            seconds=seconds,
            start=None if start is None else _permuted(start, stream.order),
            on_incumbent=stream.incumbent,
            on_bound=report.bound if valid_bound else _ignore,
            stop=report.stop_requested,
            log=call.log,
        )
    report.add_seconds({"handover": raw.handover_seconds})
    with report.phase("extract"):
        if raw.x is not None:
            stream.incumbent(raw.x)
    bound = raw.bound if valid_bound else None
    if bound is not None:
        report.bound(bound)
    found = stream.result(replace(raw, bound=bound, counts={**matrix.counts, **raw.counts}))
    return replace(found, stop=reached(found.stop, found.objective, found.bound, call.limits.gap))


def chosen_solver(call: Call) -> Backend:
    """The backend a call names."""
    return backend(call.solver or "highs")


def prepare(method: Method, call: Call, _jobs: int) -> None:
    """Import the formulation, the solver and what the route needs."""
    LINEAR[method.name].load()
    if call.options["route"] != "arrays":
        import_module("rsjs.formulations.milp.from_pyomo")
    chosen_solver(call).load()


def _build(formulation: ModuleType, data: Any, route: str) -> tuple[MatrixModel, Ints]:
    """Return the matrix and the position in it of each column of the formulation, or -1."""
    if route == "arrays":
        matrix: MatrixModel = formulation.arrays(data)
        return matrix, np.arange(len(matrix.cost))
    from rsjs.formulations.milp import from_pyomo

    model = formulation.build(data)
    matrix, theirs = from_pyomo.from_pyomo(model)
    position = {id(variable): i for i, variable in enumerate(theirs)}
    ours = formulation.columns(model)
    return matrix, np.array([position.get(id(variable), -1) for variable in ours])


class _Stream(Incumbent):
    """Turns the solver's vectors into decisions while it runs."""

    def __init__(
        self, formulation: ModuleType, data: Any, instance: Instance, report: Report
    ) -> None:
        super().__init__(instance, report)
        self.formulation, self.data = formulation, data
        self.order = np.empty(0, dtype=np.int64)

    def incumbent(self, x: Floats) -> None:
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


def _permuted(ours: Floats, order: Ints) -> Floats:
    theirs = np.zeros(int((order >= 0).sum()))
    theirs[order[order >= 0]] = ours[order >= 0]
    return theirs


def _restored(theirs: Floats, order: Ints) -> Floats:
    return np.where(order >= 0, theirs[order], 0.0)


def _ignore(bound: float) -> None:
    """For models whose bound says nothing about the instance."""
