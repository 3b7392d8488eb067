"""
Solving through Pyomo's own solver interfaces instead of arrays.

For models that are no matrix (products of variables), and to check the array route. Nothing is
streamed, the hand-over is slow, and standard output is redirected while the solver runs.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Any

import pyomo.environ as pyo
from pyomo.common.timing import HierarchicalTimer
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.util import IncompatibleModelError

from rsjs.formulations import executables
from rsjs.formulations.backends.backend import Backend, RawResult
from rsjs.formulations.backends.relay import INFINITE, settled
from rsjs.formulations.standard_form import minimised
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop

STOPS = {
    "convergenceCriteriaSatisfied": Stop.OPTIMAL,
    "provenInfeasible": Stop.INFEASIBLE,
    "maxTimeLimit": Stop.TIME_LIMIT,
    "iterationLimit": Stop.ITERATIONS,
    "interrupted": Stop.INTERRUPTED,
}


def solve(
    model: pyo.ConcreteModel,
    backend: Backend,
    limits: Limits,
    *,
    seconds: float,
    warm_start: bool = False,
    log: bool = False,
) -> RawResult:
    """
    Solve a Pyomo model; afterwards its variables hold the incumbent, if there is one.

    `seconds` bounds hand-over and solve where the interface can be filled beforehand (HiGHS), the
    solve alone where it cannot (SCIP, Gurobi, programs). With `warm_start` the values of the
    discrete variables are a start, which HiGHS and GLPK do not take. The options are those given
    to the interface, and the counts bear its names.
    """
    if backend.pyomo_interface is None:
        raise ValueError(f"pyomo has no interface to {backend.name}")
    objective = minimised(model)
    if backend.program is not None:
        return executables.solve(
            model,
            backend,
            backend.program,
            limits,
            seconds=seconds,
            warm_start=warm_start,
            log=log,
        )
    backend.import_solver()
    backend.prepare()

    begin = time.monotonic()
    solver = SolverFactory(backend.pyomo_interface)
    _configure(solver, model, warm_start=warm_start, log=log)
    try:
        _fill_beforehand(solver, model)
        left = max(0.0, seconds - (time.monotonic() - begin))
        asked = backend.options(replace(limits, time_limit=left))
        solver.config.solver_options = asked
        results = solver.solve(model)
    except IncompatibleModelError as error:
        raise ValueError(f"{backend.name} cannot solve {model.name}: {error}") from error
    whole = time.monotonic() - begin

    inside = float(solver.config.timer.get_total_time("optimize"))
    value = None
    if results.solution_status.name != "noSolution":
        results.solution_loader.load_vars()
        value = float(pyo.value(objective))
    bound = results.objective_bound
    bound = None if bound is None or abs(bound) >= INFINITE else float(bound)
    status = results.termination_condition.name
    return RawResult(
        stop=settled(STOPS.get(status, Stop.ERROR), value, bound),
        status=status,
        objective=value,
        bound=bound,
        counts={name: int(count) for name, count in results.extra_info.items() if count >= 0},
        options=asked,
        handover_seconds=whole - inside,
        solve_seconds=inside,
    )


def _configure(solver: Any, model: pyo.ConcreteModel, *, warm_start: bool, log: bool) -> None:
    config = solver.config
    config.load_solutions = False
    config.raise_exception_on_nonoptimal_result = False
    config.timer = HierarchicalTimer()
    config.tee = log
    if warm_start and "warmstart_discrete_vars" in config:
        _require_values(model)
        config.warmstart_discrete_vars = True
    elif warm_start:
        logging.getLogger(__name__).warning("%s takes no start through pyomo", solver.name)


def _require_values(model: pyo.ConcreteModel) -> None:
    for variable in model.component_data_objects(pyo.Var, active=True, descend_into=True):
        if variable.is_integer() and variable.value is None:
            raise ValueError(f"warm start: {variable.name} has no value")


def _fill_beforehand(solver: Any, model: pyo.ConcreteModel) -> None:
    """Persistent interfaces are filled before the solve, and need not look for changes then."""
    if solver.is_persistent():
        for check in solver.config.auto_updates:
            solver.config.auto_updates[check] = False
        solver.set_instance(model)
