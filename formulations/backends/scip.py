"""SCIP through PySCIPOpt."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.backend import Backend, Feature, RawResult, SolveTask, small_seed
from rsjs.formulations.backends.callbacks import INFINITE, CallbackAdapter
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel


def options(limits: Limits) -> dict[str, Any]:
    """
    Return limits in SCIP's terms.

    SCIP measures the gap by min(|p|, |d|), which is never smaller than by max(|p|, |d|); the
    absolute gap is 0 (its default) so that it never ends the search. Its tree search has one
    thread: `lp/threads` is for the LP solver.
    """
    return {
        "limits/time": min(float(limits.time_limit), INFINITE),
        "limits/gap": float(limits.gap),
        "limits/absgap": 0.0,
        "lp/threads": limits.threads,
        "randomization/randomseedshift": small_seed(limits),
        "timing/clocktype": 2,  # wall clock
    }


SCIP = Backend(
    name="scip",
    module="pyscipopt",
    distribution="pyscipopt",
    versions=">=6.3,<6.4",
    features=frozenset(Feature) - {Feature.THREADS},
    status={
        "optimal": Stop.OPTIMAL,
        "gaplimit": Stop.OPTIMAL,  # `settled` tells the two apart
        "infeasible": Stop.INFEASIBLE,
        "timelimit": Stop.TIME_LIMIT,
        "memlimit": Stop.MEMORY_LIMIT,
        "userinterrupt": Stop.INTERRUPTED,
    },
    options=options,
    run="rsjs.formulations.backends.scip:solve",
)


def solve(task: SolveTask) -> RawResult:
    """
    Solve with SCIP; see `SolveTask`.

    Implied integers are continuous, as for HiGHS. A start that violates the model is dropped.
    SCIP does not look at `stop` within an LP or a heuristic's sub-problem, which may take seconds.
    """
    import pyscipopt

    relay = CallbackAdapter(task)
    scip = pyscipopt.Model()
    return run(scip, _fill(scip, task.model), relay)


def run(scip: Any, variables: list[Any], relay: CallbackAdapter) -> RawResult:
    """Solve SCIP's model of the task of `relay`; `variables` are the columns of its vectors."""
    scip.hideOutput(not relay.task.log)
    if relay.task.start is not None:
        _offer_start(scip, variables, relay.task.start)
    _listen(scip, variables, relay)
    taken = _set(scip, options(relay.limits_left()))
    with relay.watching(scip.interruptSolve):
        # optimize() holds the interpreter's lock to the end; PySCIPOpt 5.2 has nothing else
        getattr(scip, "optimizeNogil", scip.optimize)()

    if scip.getNSols() > 0:
        relay.offer_incumbent(_values(scip.getBestSol(), variables))
    relay.offer_bound(scip.getDualbound())
    status = scip.getStatus()
    counts = {"nodes": scip.getNTotalNodes(), "iterations": scip.getNLPIterations()}
    result = relay.result(SCIP.status.get(status, Stop.ERROR), status, counts, taken)
    # Model and listener are a cycle that may be collected late. Only after `result`: SCIP fires
    # bound events while it is torn down, with the incumbent's value as the bound.
    getattr(scip, "free", scip.freeProb)()  # PySCIPOpt 5 has the latter only
    return result


def _fill(scip: Any, model: MatrixModel) -> list[Any]:
    """Add columns, then rows entry by entry: half the time of adding up expressions."""
    from pyscipopt.scip import Expr, ExprCons

    lower = np.maximum(model.lower, -INFINITE)
    upper = np.minimum(model.upper, INFINITE)
    integer = model.kind == ColumnKind.INTEGER
    kinds = np.where(integer, np.where((lower >= 0) & (upper <= 1), "B", "I"), "C")
    columns = zip(kinds.tolist(), lower.tolist(), upper.tolist(), model.cost.tolist(), strict=True)
    variables = [scip.addVar("", kind, lb, ub, cost) for kind, lb, ub, cost in columns]
    if model.offset:
        scip.addObjoffset(model.offset)
    first, index, value = model.A.indptr.tolist(), model.A.indices.tolist(), model.A.data.tolist()
    lhs = np.maximum(model.row_lower, -INFINITE).tolist()
    rhs = np.minimum(model.row_upper, INFINITE).tolist()
    for row, (begin, end) in enumerate(pairwise(first)):
        constraint = scip.addCons(ExprCons(Expr(), lhs=lhs[row], rhs=rhs[row]))
        for entry in range(begin, end):
            scip.addCoefLinear(constraint, variables[index[entry]], value[entry])
    return variables


def _offer_start(scip: Any, variables: list[Any], start: Floats) -> None:
    solution = scip.createSol()
    for variable, value in zip(variables, start.tolist(), strict=True):
        solution[variable] = value
    if scip.checkSol(solution, printreason=False, original=True):
        scip.addSol(solution)
    else:
        scip.freeSol(solution)


def _set(scip: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Set options and read them back; one tolerance holds for rows, bounds and integers."""
    for name, value in asked.items():
        try:
            scip.setParam(name, value)
        except (KeyError, ValueError) as error:
            raise ValueError(f"SCIP refused {name} = {value!r}") from error
    tolerance = scip.getParam("numerics/feastol")
    return {
        **{name: scip.getParam(name) for name in asked},
        "feasibility_tolerance": tolerance,
        "integrality_tolerance": tolerance,
    }


def _listen(scip: Any, variables: list[Any], relay: CallbackAdapter) -> None:
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    bounds = getattr(SCIP_EVENTTYPE, "DUALBOUNDIMPROVED", SCIP_EVENTTYPE.NODESOLVED)  # PySCIPOpt 5
    events = (SCIP_EVENTTYPE.BESTSOLFOUND, bounds)

    class ScipListener(Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            for event in events:
                self.model.catchEvent(event, self)

        def eventexec(self, event: Any) -> None:
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
                relay.offer_incumbent(_values(self.model.getBestSol(), variables))
            relay.offer_bound(self.model.getDualbound())

    scip.includeEventhdlr(ScipListener(), "relay", "incumbents and bounds")


def _values(solution: Any, variables: list[Any]) -> Floats:
    return np.array([solution[variable] for variable in variables])
