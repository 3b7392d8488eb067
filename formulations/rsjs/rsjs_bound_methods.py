"""RS-JS by node classes: the relaxation, its bound by sifting, and schedules from it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from rsjs.formulations.backends.callbacks import relative_gap, settled
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.jahani.methods import ROUTE
from rsjs.formulations.milp import solve
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Method, Option, Report
from rsjs.instances.required_nodes import required_nodes
from rsjs.instances.solution import SolveResult, Stop

_FIRST_ENDING = frozenset({"first_ending"})
_AT_COMPLETION = frozenset({"completion"})
BOUND, SIFTING = (
    "rsjs.formulations.rsjs.aggregated.rsjs_bound",
    "rsjs.formulations.rsjs.aggregated.search",
)
TIGHTEST = 1e-9  # relative tolerance of the bound, however small the gap asked for
MARGIN = 0.02  # seconds of the limit kept for the answer

METHODS = (
    Method(
        name="rsjs_classes",
        summary="RS-JS by node classes (form E): a bound, and a schedule where followers fit",
        kind="exact",
        run="rsjs.formulations.rsjs.rsjs_bound_methods:rsjs_classes",
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
        run="rsjs.formulations.rsjs.rsjs_bound_methods:rsjs_bound",
        prepare="rsjs.formulations.rsjs.rsjs_bound_methods:prepare_bound",
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
        run="rsjs.formulations.rsjs.rsjs_bound_methods:rsjs_sifting",
        prepare="rsjs.formulations.rsjs.rsjs_bound_methods:prepare_sifting",
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
    largest = float(tables(instance).postponement.max())
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
