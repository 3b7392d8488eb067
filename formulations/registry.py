"""The exact methods, declared as data."""

from __future__ import annotations

from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.method import Call, Method, Option, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import SolveResult

_PROPORTIONAL = frozenset({"proportional"})
_AT_COMPLETION = frozenset({"completion"})
_SELECTED = frozenset({"free", "jahani_eq"})
_ROUTE = Option(
    default="standard_form",
    choices=("standard_form", "arrays", "pyomo"),
    help="Pyomo model -> arrays -> solver, arrays without Pyomo, or Pyomo's own interface",
)

METHODS = {
    method.name: method
    for method in (
        Method(
            name="jahani_patterns",
            summary="exact pattern model of Jahani's MILP: a few dozen integers",
            kind="exact",
            run="rsjs.formulations.registry:jahani_patterns",
            energy=_PROPORTIONAL,
            tardiness_at=_AT_COMPLETION,
            open_nodes=_SELECTED,
            sharing=False,
            solvers=tuple(BACKENDS),
            options={"route": _ROUTE},
            warm_start=True,
        ),
        Method(
            name="jahani_literal",
            summary="Jahani's MILP (1)-(14) as printed, node by node",
            kind="exact",
            run="rsjs.formulations.registry:jahani_literal",
            energy=_PROPORTIONAL,
            tardiness_at=_AT_COMPLETION,
            open_nodes=_SELECTED,
            expectation=frozenset({"worst_case", "mean"}),
            sharing=False,
            solvers=tuple(name for name in BACKENDS if name != "cpsat"),
            options={
                "route": _ROUTE,
                "printed": Option(
                    default="corrected",
                    choices=("corrected", "overdue"),
                    help="overdue: rows (7) and (8) as printed also for overdue jobs; no bound",
                ),
            },
            warm_start=True,
        ),
        Method(
            name="enumeration",
            summary="every decision of a tiny instance, by subsets: the oracle",
            kind="exact",
            run="rsjs.formulations.enumeration:run",
            max_jobs=10,
        ),
    )
}


def jahani_patterns(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the pattern model."""
    with report.phase("import"):
        from rsjs.formulations import jahani_patterns as formulation
        from rsjs.formulations import linear

        linear.load(call)
    report.start_clock()
    with report.phase("build"):
        data = formulation.PatternModel.of(instance)
    return linear.solve(formulation, data, instance, call, report)


def jahani_literal(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the literal model; with rows as printed for overdue jobs, no bound is claimed."""
    with report.phase("import"):
        from rsjs.formulations import jahani_literal as formulation
        from rsjs.formulations import linear

        linear.load(call)
    report.start_clock()
    printed = call.options["printed"] == "overdue"
    data = formulation.LiteralModel(instance, overdue_as_printed=printed)
    changed = printed and bool((data.due < 0).any())
    return linear.solve(formulation, data, instance, call, report, valid_bound=not changed)
