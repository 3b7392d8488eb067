"""
The exact methods for RS-JS (Filippini et al. 2024), literal to reformulated, as data.

RS-JS by node classes: the relaxation, its bound by sifting, and schedules from it.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from rsjs.core.method import Call, Method, Option, Report, SolveResult, Stop
from rsjs.formulations.backends.callbacks import relative_gap, settled
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.jahani.methods import ROUTE
from rsjs.formulations.milp import solve
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes

_FIRST_ENDING = frozenset({"first_ending"})
_AT_COMPLETION = frozenset({"completion"})
_PRINTED = ("corrected", "8", "12", "13", "16", "pi", "all")

METHODS = (
    Method(
        name="rsjs_nodes",
        summary="RS-JS node by node, GPUs counted, leaders and followers: exact to about 20 nodes",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_nodes",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=tuple(BACKENDS),
        options={"route": ROUTE},
        warm_start=True,
    ),
    Method(
        name="rsjs_gpu",
        summary="RS-JS GPU by GPU, the paper's model made linear: a few nodes",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_gpu",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        right_sizing=False,
        solvers=tuple(BACKENDS),
        options={"route": ROUTE},
        warm_start=True,
    ),
    Method(
        name="rsjs_minlp",
        summary="RS-JS (P1) as a nonlinear program, corrected; printed rows on demand",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_minlp",
        prepare="rsjs.formulations.rsjs.methods:prepare_minlp",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        right_sizing=False,
        solvers=("scip",),
        options={
            "printed": Option(
                default="corrected",
                choices=_PRINTED,
                help="the row to leave as the paper prints it (pi: unbounded), or all; no bound",
            ),
        },
        warm_start=True,
    ),
)


def rsjs_nodes(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve form B."""
    return solve.run("rsjs_nodes", instance, call, report)


def rsjs_gpu(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve form A."""
    return solve.run("rsjs_gpu", instance, call, report)


def rsjs_minlp(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the MINLP."""
    from rsjs.formulations.rsjs import minlp_scip
    from rsjs.formulations.rsjs.minlp import MinlpModel, printed_rows

    with report.phase("build"):
        data = MinlpModel.of(instance, printed_rows(call.options["printed"]))
    return minlp_scip.solve(data, call, report)


def prepare_minlp(_method: Method, _call: Call, _jobs: int) -> None:
    """Import SCIP and the model."""
    BACKENDS["scip"].import_solver()
    import_module("rsjs.formulations.rsjs.minlp_scip")


BOUND, SIFTING = (
    "rsjs.formulations.rsjs.aggregated.column_generation",
    "rsjs.formulations.rsjs.aggregated.search",
)
TIGHTEST = 1e-9  # relative tolerance of the bound, however small the gap asked for
MARGIN = 0.02  # seconds of the limit kept for the answer

BOUND_METHODS = (
    Method(
        name="rsjs_classes",
        summary="RS-JS by node classes (form E): a bound, and a schedule where followers fit",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_classes",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=tuple(BACKENDS),
        options={
            "route": ROUTE,
            "packing": Option(
                default="rows",
                choices=("rows", "splits"),
                help="rows: a relaxation; splits: exact with dedicated GPUs and Table IV shares",
            ),
        },
        warm_start=True,
    ),
    Method(
        name="rsjs_bound",
        summary="certified bound for RS-JS by sifting form E with exact pricing; no schedule",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_bound",
        prepare="rsjs.formulations.rsjs.methods:prepare_bound",
        decides=False,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=("highs",),
    ),
    Method(
        name="rsjs_sifting",
        summary="RS-JS schedule with a proven gap: bound by sifting, few columns, packing",
        kind="exact",
        run="rsjs.formulations.rsjs.methods:rsjs_sifting",
        prepare="rsjs.formulations.rsjs.methods:prepare_sifting",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=("highs",),
        warm_start=True,
    ),
)


def rsjs_classes(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve form E; the schedule is proved optimal only where it costs what the bound says."""
    result = solve.run("rsjs_classes", instance, call, report)
    if result.stop not in (Stop.OPTIMAL, Stop.GAP):
        return result
    largest = float(cost_tables(instance).postponement.max())
    stop = settled(Stop.OPTIMAL, result.objective, result.bound, largest)
    gap = relative_gap(result.objective, result.bound)
    if stop is Stop.OPTIMAL or gap <= call.limits.gap:
        return replace(result, stop=stop)
    message = "the relaxation is solved; not all followers fit as it says"
    return replace(result, stop=Stop.ITERATIONS, message=message)


def rsjs_bound(instance: Instance, call: Call, report: Report) -> SolveResult:
    """The bound, until it meets form E's linear program within a tenth of the gap asked for."""
    lower_bound = import_module(BOUND).lower_bound
    if _infeasible(instance):
        return _no_decision()
    with report.phase("solve"):
        found = lower_bound(
            instance,
            tolerance=max(TIGHTEST, call.limits.gap / 10),
            on_bound=report.bound,
            seconds=lambda: report.remaining() - MARGIN,
            stop=lambda: report.remaining() <= MARGIN or report.stop_requested(),
        )
    stop = Stop.ITERATIONS
    if found.relaxed is None and report.stop_requested():
        stop = Stop.INTERRUPTED
    elif found.relaxed is None and report.remaining() <= MARGIN:
        stop = Stop.TIME_LIMIT
    return SolveResult(
        stop=stop,
        bound=found.bound,
        bound_source="lagrangian",
        bound_variant="instance",
        counts={"iterations": found.iterations, "columns": found.columns.shape[1]},
    )


def rsjs_sifting(instance: Instance, call: Call, report: Report) -> SolveResult:
    """The schedule."""
    if _infeasible(instance):
        return _no_decision()
    result: SolveResult = import_module(SIFTING).solve(instance, call, report)
    return result


def prepare_bound(_method: Method, _call: Call, _jobs: int) -> None:
    """Import HiGHS and the method."""
    BACKENDS["highs"].load()
    import_module(BOUND)


def prepare_sifting(_method: Method, _call: Call, _jobs: int) -> None:
    """Import HiGHS and the method."""
    BACKENDS["highs"].load()
    import_module(SIFTING)


def _infeasible(instance: Instance) -> bool:
    """Whether fewer nodes can have a job than "rsjs_eq" asks for."""
    if instance.objective.open_nodes != "rsjs_eq":
        return False
    feasible = replace(instance.objective, open_nodes="rsjs_eq_feasible")
    return required_nodes(replace(instance, objective=feasible)) < required_nodes(instance)


def _no_decision() -> SolveResult:
    return SolveResult(stop=Stop.INFEASIBLE, message="no decision satisfies open_nodes")
