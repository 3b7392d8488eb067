"""The exact methods for RS-JS (Filippini et al. 2024), literal to reformulated, as data."""

from __future__ import annotations

from importlib import import_module

from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.jahani.methods import ROUTE
from rsjs.formulations.milp import solve
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Method, Option, Report
from rsjs.instances.solution import SolveResult

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
    from rsjs.formulations.rsjs.rsjs_minlp_data import MinlpModel, printed_rows

    with report.phase("build"):
        data = MinlpModel.of(instance, printed_rows(call.options["printed"]))
    return minlp_scip.solve(data, call, report)


def prepare_minlp(_method: Method, _call: Call, _jobs: int) -> None:
    """Import SCIP and the model."""
    BACKENDS["scip"].import_solver()
    import_module("rsjs.formulations.rsjs.minlp_scip")
