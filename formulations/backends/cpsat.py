"""
CP-SAT of OR-tools, on integers; see `integer_model` for what that does to a model.

OR-tools runs in a process of its own (`solver_process`), as it cannot share one with HiGHS.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import Backend, Feature, RawResult, SolveTask, small_seed
from rsjs.formulations.backends.callbacks import CallbackAdapter
from rsjs.formulations.backends.integer_model import IntegerModel, integer_model
from rsjs.formulations.backends.solver_process import SolverProcess
from rsjs.formulations.backends.stop import relative_gap


def options(limits: Limits) -> dict[str, Any]:
    """
    Return limits in CP-SAT's terms.

    Both gap limits are 0, as CP-SAT would measure floored costs; `solve` compares the true cost
    of each incumbent with each bound and ends the search at `limits.gap` itself.
    """
    return {
        "max_time_in_seconds": float(limits.time_limit),
        "relative_gap_limit": 0.0,
        "absolute_gap_limit": 0.0,
        "num_workers": limits.threads,
        "random_seed": small_seed(limits),
        "linearization_level": 2,  # pattern models: the bound comes from the LP
    }


ORTOOLS = SolverProcess("ortools.sat.python.cp_model_helper")
CPSAT = Backend(
    name="cpsat",
    module=ORTOOLS.module,
    process=ORTOOLS,
    distribution="ortools",
    versions=">=9.15,<9.16",
    features=frozenset(Feature) - {Feature.CONTINUOUS},
    status={
        "OPTIMAL": Stop.OPTIMAL,
        "INFEASIBLE": Stop.INFEASIBLE,
        "FEASIBLE": Stop.TIME_LIMIT,
        "UNKNOWN": Stop.TIME_LIMIT,
    },
    options=options,
    run="rsjs.formulations.backends.cpsat:solve",
)


def solve(task: SolveTask) -> RawResult:
    """Solve with CP-SAT in the process of OR-tools; see `SolveTask`."""
    begin = time.monotonic()
    result: RawResult = ORTOOLS.call(
        f"{__name__}:solve_here",
        {"task": task.silent},
        {"on_incumbent": task.on_incumbent, "on_bound": task.on_bound, "on_log": print},
        task.stop,
    )
    handover = time.monotonic() - begin - result.solve_seconds
    return replace(result, handover_seconds=handover)


def solve_here(task: SolveTask, on_log: Callable[[str], None], **callbacks: Any) -> RawResult:
    """
    Solve with CP-SAT in this process, with the task's callbacks; lines of its log go to `on_log`.

    Driven through `cp_model_helper`, the module under `cp_model`, which does without pandas.
    Where costs are not exact on integers, the bound may stay below the optimum by the floors,
    and a finished search is a GAP.
    """
    cp = _cp()
    relay, gap = CallbackAdapter(replace(task, **callbacks)), task.limits.gap
    integers = integer_model(task.model, "cp-sat")
    if integers.empty:
        return RawResult(stop=Stop.INFEASIBLE, status="no integer between the bounds")
    proto = _fill(integers)
    if task.start is not None:
        hint = np.rint(task.start).astype(np.int64) - integers.shift
        proto.solution_hint.vars.extend(range(len(hint)))
        proto.solution_hint.values.extend(hint.tolist())
    if reason := cp.CpSatHelper.validate_model(proto):
        raise ValueError(f"cp-sat refused the model: {' '.join(reason.split())[:200]}")
    search = cp.SolveWrapper()
    listener = _listen(search, integers, relay, gap)
    parameters = cp.SatParameters()
    asked = {**options(relay.limits_left()), "log_search_progress": task.log}
    taken = _set(parameters, asked)
    parameters.log_to_stdout = False
    if task.log:
        search.add_log_callback(on_log)
    search.set_parameters(parameters)
    with relay.watching(search.stop_search):
        response = search.solve(proto)
    search.clear_solution_callback(listener)

    status = cp.status_name(response.status)
    if status == "MODEL_INVALID":  # the model was checked: ranges of options are checked this late
        raise ValueError(f"cp-sat refused its options: {response.solution_info}")
    if status in ("OPTIMAL", "FEASIBLE"):
        relay.offer_incumbent(integers.true_vector(response.solution))
    if status == "OPTIMAL":
        relay.offer_bound(integers.true_bound(response.best_objective_bound))
    why = CPSAT.status.get(status, Stop.ERROR)
    if why is Stop.TIME_LIMIT and _closed(relay, gap):
        why = Stop.OPTIMAL
    elif why is Stop.TIME_LIMIT and relay.interrupted:
        why = Stop.INTERRUPTED
    counts = {"branches": response.num_branches, "conflicts": response.num_conflicts}
    return relay.result(why, status, counts, taken)


@cache
def _cp() -> Any:
    """Return what drives CP-SAT: one module of OR-tools 9.15, several up to 9.12."""
    driver = import_module(CPSAT.module)
    if hasattr(driver, "CpModelProto"):
        return SimpleNamespace(**vars(driver), status_name=attrgetter("name"))
    if not hasattr(driver, "SolveWrapper"):
        driver = import_module("ortools.sat.python.swig_helper")
    model = import_module("ortools.sat.cp_model_pb2")
    parameters = import_module("ortools.sat.sat_parameters_pb2")
    return SimpleNamespace(
        SolveWrapper=driver.SolveWrapper,
        CpSatHelper=driver.CpSatHelper,
        SolutionCallback=driver.SolutionCallback,
        CpModelProto=model.CpModelProto,
        IntegerVariableProto=model.IntegerVariableProto,
        SatParameters=parameters.SatParameters,
        status_name=model.CpSolverStatus.Name,
    )


def _fill(integers: IntegerModel) -> Any:
    """Build the message from Python lists; each distinct column is made once."""
    cp = _cp()
    proto = cp.CpModelProto()
    column = {}
    for span in np.unique(integers.span).tolist():
        column[span] = cp.IntegerVariableProto()
        column[span].domain.extend((0, span))
    proto.variables.extend([column[span] for span in integers.span.tolist()])
    first, index = integers.first.tolist(), integers.index.tolist()
    coefficient = integers.coefficient.tolist()
    bounds = zip(integers.row_lower.tolist(), integers.row_upper.tolist(), strict=True)
    for (begin, end), domain in zip(pairwise(first), bounds, strict=True):
        row = proto.constraints.add().linear
        row.vars.extend(index[begin:end])
        row.coeffs.extend(coefficient[begin:end])
        row.domain.extend(domain)
    priced = np.flatnonzero(integers.cost)
    proto.objective.vars.extend(priced.tolist())
    proto.objective.coeffs.extend(integers.cost[priced].tolist())
    return proto


def _set(parameters: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Set options and read them back."""
    for name, value in asked.items():
        try:
            setattr(parameters, name, value)
        except (AttributeError, TypeError) as error:
            raise ValueError(f"cp-sat refused {name} = {value!r}") from error
    return {name: getattr(parameters, name) for name in asked}


def _closed(relay: CallbackAdapter, gap: float) -> bool:
    return relative_gap(relay.objective, relay.bound) <= gap


def _listen(search: Any, integers: IntegerModel, relay: CallbackAdapter, gap: float) -> Any:
    """Relay solutions and bounds; CP-SAT does not keep the listener alive, the caller must."""
    cp = _cp()
    trivial = integers.box_bound

    class CpSatListener(cp.SolutionCallback):  # type: ignore[misc,name-defined]
        def OnSolutionCallback(self) -> None:
            relay.offer_incumbent(integers.true_vector(self.Response().solution))
            if _closed(relay, gap):
                self.StopSearch()

    listener = CpSatListener()

    def on_bound(bound: float) -> None:
        if bound > trivial:  # before presolve ends, CP-SAT knows the column bounds only
            relay.offer_bound(integers.true_bound(bound))
        if _closed(relay, gap):
            listener.StopSearch()  # `search` in here would be a cycle that is never collected

    search.add_solution_callback(listener)
    search.add_best_bound_callback(on_bound)
    return listener
