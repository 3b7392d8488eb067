"""
Gurobi through gurobipy, from arrays.

The package comes with a licence for models up to 2000 rows and 2000 columns. No table or claim of
the suite depends on this backend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import Backend, Feature, RawResult, SolveTask
from rsjs.formulations.backends.callbacks import CallbackAdapter
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel

LARGEST_SEED = 2_000_000_000
TOLERANCE = 1e-6  # of HiGHS and SCIP, too


def options(limits: Limits) -> dict[str, Any]:
    """
    Return the limits in Gurobi's terms.

    Gurobi measures the gap by |p|, which is never smaller than by max(|p|, |d|). The absolute gap
    (1e-10 by default) is 0, so that it never ends the search.
    """
    asked = {
        "TimeLimit": float(limits.time_limit),
        "MIPGap": float(limits.gap),
        "MIPGapAbs": 0.0,
        "Threads": limits.threads,
        "Seed": limits.seed % (LARGEST_SEED + 1),
        "FeasibilityTol": TOLERANCE,
        "IntFeasTol": TOLERANCE,
    }
    if limits.memory_limit_mb is not None:
        asked["SoftMemLimit"] = limits.memory_limit_mb / 1000.0  # GB; ends with the incumbent
    return asked


GUROBI = Backend(
    name="gurobi",
    module="gurobipy",
    distribution="gurobipy",
    versions=">=12,<14",
    features=frozenset(Feature),
    status={
        "OPTIMAL": Stop.OPTIMAL,
        "INFEASIBLE": Stop.INFEASIBLE,
        "TIME_LIMIT": Stop.TIME_LIMIT,
        "MEM_LIMIT": Stop.MEMORY_LIMIT,
        "INTERRUPTED": Stop.INTERRUPTED,
    },
    options=options,
    run="rsjs.formulations.backends.gurobi:solve",
)


def solve(task: SolveTask) -> RawResult:
    """
    Solve with Gurobi; see `SolveTask`.

    Implied integers are continuous, as for HiGHS. Without a licence for a model of this size,
    ValueError.
    """
    import gurobipy

    relay, quiet = CallbackAdapter(task), {"OutputFlag": int(task.log)}
    try:
        with gurobipy.Env(params=quiet) as env, gurobipy.Model(env=env) as grb:
            x = _fill(grb, task.model)
            if task.start is not None:
                x.Start = task.start
            taken = _set(grb, options(relay.limits_left()))
            with relay.solving():
                grb.optimize(_listener(relay, x))

            if grb.SolCount > 0:
                relay.offer_incumbent(x.X)
            status = _status(grb.Status)
            if grb.IsMIP:
                relay.offer_bound(grb.ObjBound)
            elif status == "OPTIMAL":
                relay.offer_bound(grb.ObjVal)
            counts = {"nodes": int(grb.NodeCount), "iterations": int(grb.IterCount)}
    except gurobipy.GurobiError as error:
        rows, columns = task.model.A.shape
        text = f"Gurobi refused a model of {rows} rows and {columns} columns: {error}"
        raise ValueError(text) from error
    return relay.result(GUROBI.status.get(status, Stop.ERROR), status, counts, taken)


def _fill(grb: Any, model: MatrixModel) -> Any:
    """Add columns, offset and rows; return the columns. A row with two sides becomes two rows."""
    x = grb.addMVar(
        len(model.cost),
        lb=model.lower,
        ub=model.upper,
        obj=model.cost,
        vtype=np.where(model.kind == ColumnKind.INTEGER, "I", "C"),
    )
    grb.ObjCon = model.offset
    equal = model.row_lower == model.row_upper
    for sense, side, rows in (
        ("=", model.row_lower, equal),
        (">", model.row_lower, ~equal & (model.row_lower > -np.inf)),
        ("<", model.row_upper, ~equal & (model.row_upper < np.inf)),
    ):
        if rows.any():
            grb.addMConstr(model.A[rows], x, sense, side[rows])
    return x


def _set(grb: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Set options and read them back."""
    from gurobipy import GurobiError

    for name, value in asked.items():
        try:
            grb.setParam(name, value)
        except GurobiError as error:
            raise ValueError(f"Gurobi refused {name} = {value!r}") from error
    taken = {name: getattr(grb.Params, name) for name in asked}
    return {
        **taken,
        "feasibility_tolerance": taken["FeasibilityTol"],
        "integrality_tolerance": taken["IntFeasTol"],
    }


def _listener(relay: CallbackAdapter, x: Any) -> Callable[[Any, int], None]:
    from gurobipy import GRB

    where_bound = {
        GRB.Callback.MIP: GRB.Callback.MIP_OBJBND,
        GRB.Callback.MIPSOL: GRB.Callback.MIPSOL_OBJBND,
    }

    def listener(grb: Any, where: int) -> None:
        if where == GRB.Callback.MIPSOL:
            relay.offer_incumbent(grb.cbGetSolution(x))
        if where in where_bound:
            relay.offer_bound(grb.cbGet(where_bound[where]))
        if relay.stopping():
            grb.terminate()

    return listener


def _status(code: int) -> str:
    """Return Gurobi's word for a status."""
    from gurobipy import GRB

    words = {getattr(GRB.Status, word): word for word in dir(GRB.Status) if word.isupper()}
    return words.get(code, str(code))
