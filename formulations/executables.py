"""
Solvers that are programs, called by Pyomo with an LP file: CBC, GLPK.

Nothing is streamed. What such a program tells of its bound is taken as its backend says.
"""

from __future__ import annotations

import time
from dataclasses import replace
from math import isfinite
from typing import Any

import pyomo.environ as pyo
from pyomo.opt import SolverFactory

from rsjs.formulations.backends.backend import Backend, Feature, RawResult
from rsjs.formulations.backends.program import Program
from rsjs.formulations.backends.relay import INFINITE, settled
from rsjs.formulations.standard_form import minimised
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop


def solve(
    model: pyo.ConcreteModel,
    backend: Backend,
    program: Program,
    limits: Limits,
    *,
    seconds: float,
    warm_start: bool = False,
    log: bool = False,
) -> RawResult:
    """
    Solve a Pyomo model; afterwards its variables hold the incumbent, if there is one.

    `seconds` bounds the program; writing the model comes before. With `warm_start` the values of
    the discrete variables are a start for a program that takes one.
    """
    objective = minimised(model)
    backend.import_solver()
    if seconds <= 0:
        return RawResult(stop=Stop.TIME_LIMIT, status="no time left")
    asked = backend.options(replace(limits, time_limit=seconds))
    solver = SolverFactory(backend.pyomo_interface)
    solver.options.update(asked)
    start = {"warmstart": True} if warm_start and Feature.WARM_START in backend.features else {}

    begin = time.monotonic()
    results = solver.solve(model, load_solutions=False, tee=log, **start)
    whole = time.monotonic() - begin

    inside = float(results.solver.time)
    status = str(results.solver.termination_condition)
    stop = backend.status.get(status, Stop.ERROR)
    if stop is Stop.GAP and inside > seconds - 1.0:
        stop = Stop.TIME_LIMIT  # GLPK has one word for both, and a limit in whole seconds
    value = None
    if len(results.solution) > 0 and status != "intermediateNonInteger":
        model.solutions.load_from(results)
        value = float(pyo.value(objective))
    bound = None
    if stop not in (Stop.INFEASIBLE, Stop.ERROR):
        bound = program.bound(_number(results.problem.lower_bound), value, stop, limits.gap)
    nodes = _number(results.solver.statistics.branch_and_bound.number_of_created_subproblems)
    return RawResult(
        stop=settled(stop, value, bound),
        status=status,
        objective=value,
        bound=bound,
        counts={} if nodes is None else {"nodes": int(nodes)},
        options=asked,
        handover_seconds=whole - inside,
        solve_seconds=inside,
    )


def _number(value: Any) -> float | None:
    """What Pyomo read, if it is a number that says something."""
    try:
        number = float(getattr(value, "value", value))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) and abs(number) < INFINITE else None
