"""
The RS-JS MINLP by SCIP: Pyomo translates the model, PySCIPOpt solves it and streams.

Pyomo's own `solve` of its interface scip_direct has no callbacks, holds the interpreter's lock to
the end and redirects standard output, so only its translation is used (private names of the pinned
release; solvers.md 4). It minimises one more variable, bounded from below by the objective: the
last column here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyomo.common.timing import HierarchicalTimer
from pyomo.contrib.solver.solvers.scip.scip_direct import ScipDirect
from scipy.sparse import csr_array

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends import scip as backend
from rsjs.formulations.backends.backend import RawResult, SolveTask, ignore
from rsjs.formulations.backends.callbacks import CallbackAdapter
from rsjs.formulations.backends.stop import reached, settled
from rsjs.formulations.milp.from_pyomo import variables_of
from rsjs.formulations.milp.incumbent import Incumbent
from rsjs.formulations.milp.matrix import MatrixModel
from rsjs.formulations.milp.solve import MARGIN
from rsjs.formulations.rsjs import minlp
from rsjs.formulations.rsjs.minlp import MinlpModel, printed_rows
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Solve the model; solutions are priced by `costs`, never by SCIP.

    With the published rows there is no bound for the instance, and a vector of the model need not
    be a solution of it; the message then gives the objective of the model.
    """
    with report.phase("build"):
        data = MinlpModel.of(instance, printed_rows(call.options["printed"]))
    stream = _ScipStream(data, report)
    if call.warm_start is not None:
        stream.offer(call.warm_start)
    with report.phase("build"):
        model = minlp.build(data)
    start = None
    if call.warm_start is not None:
        start = np.append(minlp.warm_start(data, call.warm_start), stream.cost)
    seconds = report.remaining() - MARGIN
    if seconds <= 0:
        return stream.result(RawResult(stop=Stop.TIME_LIMIT, status="limit reached in the build"))
    with report.phase("solve"):
        task = SolveTask(
            _last_column(len(data.positions) + 1),
            call.limits,
            seconds=seconds,
            start=start,
            on_incumbent=stream.vector,
            on_bound=report.bound if stream.valid_bound else ignore,
            stop=report.stop_requested,
            log=call.log,
        )
        raw = _solve(model, task)
    report.add_seconds({"handover": raw.handover_seconds})
    found = stream.result(raw)
    return replace(found, stop=reached(found.stop, found.objective, found.bound, call.limits.gap))


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Import SCIP."""
    backend.SCIP.import_solver()


def translated(model: ConcreteModel) -> tuple[Any, list[Any]]:
    """Return SCIP's model of a Pyomo model; its variables in our order, then the objective's."""
    solver = ScipDirect()
    config = solver.config(value={}, preserve_implicit=True)
    config.timer = HierarchicalTimer()
    scip, _, _ = solver._create_solver_model(model, config)
    known = solver._pyomo_var_to_solver_var_map
    variables = [known[v] if v in known else solver._add_var(v) for v in variables_of(model)]
    return scip, [*variables, solver._obj_var]


def _solve(model: ConcreteModel, task: SolveTask) -> RawResult:
    relay = CallbackAdapter(task)
    scip, variables = translated(model)
    counts = {
        "rows": scip.getNConss(transformed=False),
        "columns": scip.getNVars(transformed=False),
    }
    raw = backend.run(scip, variables, relay)
    return replace(raw, counts={**counts, **raw.counts})


def _last_column(columns: int) -> MatrixModel:
    """Return the objective of the translation: its last column."""
    cost = np.zeros(columns)
    cost[-1] = 1.0
    free = np.full(columns, np.inf)
    return MatrixModel(
        A=csr_array((0, columns)),
        cost=cost,
        lower=-free,
        upper=free,
        row_lower=np.zeros(0),
        row_upper=np.zeros(0),
        kind=np.zeros(columns, dtype=np.uint8),
    )


class _ScipStream(Incumbent):
    """The incumbents of SCIP, extracted from its vectors and checked while it runs."""

    def __init__(self, data: MinlpModel, report: Report) -> None:
        super().__init__(data.instance, report)
        self.data, self.valid_bound = data, not data.printed

    def vector(self, x: Floats) -> None:
        """Offer a vector of the model, a solution of the instance unless rows are as printed."""
        self.offer(minlp.extract(self.data, x))

    def offer(self, solution: Solution) -> None:
        """Keep and report a decision if it is feasible and the best so far."""
        if check(self.instance, solution).feasible:
            super().offer(solution)

    def result(self, raw: RawResult) -> SolveResult:
        """Return the best solution with what SCIP reported."""
        objective = None if self.best is None else self.cost
        bound, stop, status = raw.bound, settled(raw.stop, objective, raw.bound), raw.status
        if not self.valid_bound:
            rows = ", ".join(sorted(self.data.printed))
            bound, stop = None, raw.stop
            if stop in (Stop.OPTIMAL, Stop.GAP):
                stop = Stop.ITERATIONS  # what is solved is another problem
            status = f"{status} with rows as printed ({rows}), at {raw.objective}"
        return self.solver_result(raw, stop, bound, status)
