"""
Solve an instance with a linear formulation: Pyomo model, matrix, solver, solution.

A formulation is a module:

    INDEX_LETTERS                a letter for each index of its components, for model files
    data_of(instance, **options) the data of the model; `options` are those of the method
    build(data)                  the Pyomo model; its variables in order of declaration are the
                                 columns of the vectors below
    warm_start(data, solution)   the column vector of a feasible solution
    extract(data, x)             the solution in a column vector
    run(instance, call, report)  the function behind the method, which calls `solve` below
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.backend import Backend, RawResult, SolveTask, ignore
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.backends.stop import reached, settled
from rsjs.formulations.milp.incumbent import Incumbent
from rsjs.formulations.milp.matrix import MatrixModel
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes

MARGIN = 0.2  # seconds of the limit kept for reading the answer and extracting the decision


def solve(
    name: str, instance: Instance, call: Call, report: Report, *, valid_bound: bool = True
) -> SolveResult:
    """
    Solve an instance with the formulation of this module name.

    `valid_bound` says whether the model's bound is one for the instance; otherwise none is
    reported.
    """
    formulation = import_module(name)
    with report.phase("build"):
        data = formulation.data_of(instance, **call.options)
    solver = chosen_solver(call)
    stream = _VectorStream(formulation, data, instance, report)
    begin = None if call.warm_start is None else select_required_nodes(instance, call.warm_start)
    if begin is not None:
        stream.offer(begin)
    from rsjs.formulations.milp.from_pyomo import InfeasibleRowError

    with report.phase("build"):
        try:
            matrix, stream.positions = matrix_of(formulation, data)
        except InfeasibleRowError as error:
            return stream.result(RawResult(stop=Stop.INFEASIBLE, status=str(error)))
        start = None if begin is None else formulation.warm_start(data, begin)
    seconds = report.remaining() - MARGIN
    if seconds <= 0:
        return stream.result(RawResult(stop=Stop.TIME_LIMIT, status="limit reached in the build"))
    with report.phase("solve"):
        task = SolveTask(
            matrix,
            call.limits,
            seconds=seconds,
            start=None if start is None else to_matrix(start, stream.positions),
            on_incumbent=stream.vector,
            on_bound=report.bound if valid_bound else ignore,
            stop=report.stop_requested,
            log=call.log,
        )
        raw = solver.load()(task)
    report.add_seconds({"handover": raw.handover_seconds})
    with report.phase("extract"):
        if raw.x is not None:
            stream.vector(raw.x)
    bound = raw.bound if valid_bound else None
    if bound is not None:
        report.bound(bound)
    result = stream.result(replace(raw, bound=bound, counts={**matrix.counts, **raw.counts}))
    # the solution may cost more than the vector, and a bound of another problem is none
    largest = float(cost_tables(instance).postponement.max())
    stop = settled(result.stop, result.objective, bound, largest)
    return replace(result, stop=reached(stop, result.objective, bound, call.limits.gap))


def chosen_solver(call: Call) -> Backend:
    """Return the backend that a call names."""
    return backend(call.solver or "highs")


def formulation_of(method: Method) -> ModuleType:
    """Import the formulation of a method that has one: the module of its `run`."""
    assert isinstance(method.run, str)  # a module is what makes a method linear
    return import_module(method.run.partition(":")[0])


def prepare(_method: Method, call: Call, _jobs: int) -> None:
    """Import Pyomo and the solver."""
    import_module("rsjs.formulations.milp.from_pyomo")
    chosen_solver(call).load()


def matrix_of(formulation: ModuleType, data: Any) -> tuple[MatrixModel, Ints]:
    """Return the matrix, and the position in it of each of the formulation's columns or -1."""
    from rsjs.formulations.milp.from_pyomo import from_pyomo, variables_of

    model = formulation.build(data)
    matrix, variables = from_pyomo(model)
    position = {id(variable): i for i, variable in enumerate(variables)}
    return matrix, np.array([position.get(id(variable), -1) for variable in variables_of(model)])


def to_matrix(x: Floats, positions: Ints) -> Floats:
    """Return a formulation's column vector in the order of the matrix."""
    vector = np.zeros(int((positions >= 0).sum()))
    vector[positions[positions >= 0]] = x[positions >= 0]
    return vector


def from_matrix(vector: Floats, positions: Ints) -> Floats:
    """Return a vector of the matrix in the order of the formulation's columns."""
    return np.where(positions >= 0, vector[positions], 0.0)


class _VectorStream(Incumbent):
    """The incumbents of a solver, extracted from its vectors while it runs."""

    def __init__(
        self, formulation: ModuleType, data: Any, instance: Instance, report: Report
    ) -> None:
        super().__init__(instance, report)
        self.formulation, self.data = formulation, data
        self.positions = np.empty(0, dtype=np.int64)

    def vector(self, x: Floats) -> None:
        """Offer the solution in a vector of the matrix."""
        self.offer(self.formulation.extract(self.data, from_matrix(x, self.positions)))

    def result(self, raw: RawResult) -> SolveResult:
        """Return the best solution with what the solver reported."""
        return self.solver_result(raw, raw.stop, raw.bound, raw.status)
