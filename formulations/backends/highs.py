"""
HiGHS through highspy, from arrays.

The backend `RELAXATION` solves the linear relaxation of a model: its optimum is a bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import (
    Backend,
    Feature,
    RawResult,
    SolveTask,
    ignore,
    small_seed,
)
from rsjs.formulations.backends.callbacks import CallbackAdapter
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel


def options(limits: Limits) -> dict[str, Any]:
    """
    Return limits in HiGHS' terms.

    HiGHS measures the gap by |p|, which is never smaller than by max(|p|, |d|). The absolute gap
    (1e-6 by default) is 0: costs near zero would end the search before the relative gap is met.
    """
    return {
        "time_limit": float(limits.time_limit),
        "mip_rel_gap": float(limits.gap),
        "mip_abs_gap": 0.0,
        "threads": limits.threads,
        "random_seed": small_seed(limits),
    }


def reset_scheduler() -> None:
    """Reset HiGHS' threads, global to the process: otherwise another count is an error."""
    from highspy import Highs

    Highs.resetGlobalScheduler(True)


HIGHS = Backend(
    name="highs",
    module="highspy",
    distribution="highspy",
    versions=">=1.15.1,<1.16",
    features=frozenset(Feature),
    status={
        "Optimal": Stop.OPTIMAL,
        "Empty": Stop.OPTIMAL,
        "Infeasible": Stop.INFEASIBLE,
        "Time limit reached": Stop.TIME_LIMIT,
        "Memory limit reached": Stop.MEMORY_LIMIT,
        "Interrupted by user": Stop.INTERRUPTED,
    },
    options=options,
    run="rsjs.formulations.backends.highs:solve",
)


def solve(task: SolveTask) -> RawResult:
    """
    Solve with HiGHS; see `SolveTask`.

    Implied integers are continuous: HiGHS finds out by itself what follows from the rest.
    """
    import highspy

    reset_scheduler()
    relay = CallbackAdapter(task)
    highs = handed_over(task.model, {"output_flag": task.log})
    if task.start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = task.start
        solution.value_valid = True
        highs.setSolution(solution)
    _listen(highs, relay)
    taken = {**_set(highs, options(relay.limits_left())), **_tolerances(highs, task.model)}
    with relay.solving():
        highs.run()

    status = highs.modelStatusToString(highs.getModelStatus())
    info, end = highs.getInfo(), highs.getSolution()
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible.value:
        relay.offer_incumbent(np.array(end.col_value))
    elif status == "Empty":
        relay.offer_incumbent(np.zeros(len(task.model.cost)))
    if info.mip_node_count >= 0:
        relay.offer_bound(info.mip_dual_bound)
    elif status in ("Optimal", "Empty") and relay.objective is not None:
        relay.offer_bound(relay.objective)  # an LP: HiGHS reports 0.0 as its dual bound
    return relay.result(HIGHS.status.get(status, Stop.ERROR), status, _counts(info), taken)


def handed_over(model: MatrixModel, asked: dict[str, Any]) -> Any:
    """Return HiGHS with a model and these options; implied integers are continuous."""
    import highspy

    highs = highspy.Highs()
    _set(highs, asked)
    rows, columns = model.A.shape
    passed = highs.passModel(
        columns,
        rows,
        model.A.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        model.offset,
        model.cost,
        model.lower,
        model.upper,
        model.row_lower,
        model.row_upper,
        model.A.indptr[:-1].astype(np.int32),
        model.A.indices.astype(np.int32),
        model.A.data,
        (model.kind == ColumnKind.INTEGER).astype(np.int32),
    )
    if passed == highspy.HighsStatus.kError:
        raise ValueError("HiGHS refused the model")
    return highs


def _set(highs: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Set options and read them back: HiGHS keeps the old value without a word."""
    import highspy

    taken = {}
    for name, value in asked.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise ValueError(f"HiGHS refused {name} = {value!r}")
        taken[name] = highs.getOptionValue(name)[1]
    return taken


def _tolerances(highs: Any, model: MatrixModel) -> dict[str, float]:
    """Return the tolerances: one for rows, bounds and integers, an LP has its own."""
    if not (model.kind == ColumnKind.INTEGER).any():
        return {"feasibility_tolerance": highs.getOptionValue("primal_feasibility_tolerance")[1]}
    value = highs.getOptionValue("mip_feasibility_tolerance")[1]
    return {"feasibility_tolerance": value, "integrality_tolerance": value}


def _listen(highs: Any, relay: CallbackAdapter) -> None:
    from highspy import cb

    kinds = cb.HighsCallbackType
    improving, in_tree = int(kinds.kCallbackMipImprovingSolution), int(kinds.kCallbackMipInterrupt)

    def callback(kind: int, _message: str, out: Any, back: Any, _data: Any) -> None:
        if kind == improving:
            found = np.array(out.mip_solution)
            if found.ndim:  # highspy 1.9 has the first entry only; the best vector comes at the end
                relay.offer_incumbent(found)
            return
        if kind == in_tree:
            relay.offer_bound(out.mip_dual_bound)
        back.user_interrupt = relay.stopping()

    highs.setCallback(callback, None)
    for kind in (
        kinds.kCallbackMipImprovingSolution,
        kinds.kCallbackMipInterrupt,
        kinds.kCallbackSimplexInterrupt,
        kinds.kCallbackIpmInterrupt,
    ):
        highs.startCallback(kind)


def _counts(info: Any) -> dict[str, int]:
    counts = {"iterations": max(0, info.simplex_iteration_count)}
    if info.mip_node_count >= 0:
        counts["nodes"] = info.mip_node_count
    return counts


RELAXATION = replace(
    HIGHS,
    name="relaxation",
    features=frozenset({Feature.CONTINUOUS}),
    run="rsjs.formulations.backends.highs:solve_relaxation",
)


def solve_relaxation(task: SolveTask) -> RawResult:
    """
    Solve the relaxation with HiGHS; see `SolveTask`.

    There is a bound once the relaxation is solved, and never a vector: `stop` is then ITERATIONS.
    A relaxation without a solution proves that the model has none.
    """
    relaxed = replace(task.model, kind=np.full_like(task.model.kind, ColumnKind.CONTINUOUS))
    ended = solve(replace(task, model=relaxed, start=None, on_incumbent=ignore))
    solved = ended.stop in (Stop.OPTIMAL, Stop.GAP)
    why = Stop.ITERATIONS if solved else ended.stop
    return replace(ended, stop=why, x=None, objective=None)
