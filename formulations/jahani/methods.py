"""The exact methods for Jahani's objective, declared as data."""

from __future__ import annotations

from importlib import import_module

from rsjs.core.method import Call, Method, Option, Report, SolveResult
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.milp import solve
from rsjs.instances.instance import Instance

DUAL = "rsjs.formulations.jahani.dual_search"
_PROPORTIONAL = frozenset({"proportional"})
_AT_COMPLETION = frozenset({"completion"})
_SELECTED = frozenset({"free", "jahani_eq"})
_OF_INTEGERS = tuple(
    name for name, declared in BACKENDS.items() if Feature.INTEGER in declared.features
)
ROUTE = Option(
    default="standard_form",
    choices=("standard_form", "arrays"),
    help="Pyomo model -> arrays -> solver, or arrays without Pyomo",
)

METHODS = (
    Method(
        name="jahani_patterns",
        summary="exact pattern model of Jahani's MILP: a few dozen integers",
        kind="exact",
        run="rsjs.formulations.jahani.methods:jahani_patterns",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        sharing=False,
        solvers=tuple(BACKENDS),
        options={"route": ROUTE},
        warm_start=True,
    ),
    Method(
        name="jahani_literal",
        summary="Jahani's MILP (1)-(14) as printed, node by node",
        kind="exact",
        run="rsjs.formulations.jahani.methods:jahani_literal",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        expectation=frozenset({"worst_case", "mean"}),
        sharing=False,
        solvers=tuple(name for name in BACKENDS if name != "cpsat"),
        options={
            "route": ROUTE,
            "printed": Option(
                default="corrected",
                choices=("corrected", "overdue"),
                help="overdue: rows (7) and (8) as printed also for overdue jobs; no bound",
            ),
        },
        warm_start=True,
    ),
    Method(
        name="jahani_dual",
        summary="Jahani's problem at 100 to 10 000 nodes: Lagrangian dual, then few columns",
        kind="exact",
        run="rsjs.formulations.jahani.methods:jahani_dual",
        prepare="rsjs.formulations.jahani.methods:prepare_dual",
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        sharing=False,
        solvers=_OF_INTEGERS,
        warm_start=True,
    ),
)


def jahani_patterns(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the pattern model."""
    return solve.run("jahani_patterns", instance, call, report)


def jahani_literal(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the literal model; with rows as printed for overdue jobs, no bound is claimed."""
    printed = call.options["printed"] == "overdue"
    overdue = bool((instance.jobs.due < instance.now).any())
    return solve.run(
        "jahani_literal", instance, call, report, valid_bound=not (printed and overdue)
    )


def jahani_dual(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve by the Lagrangian dual; HiGHS maximises it, the solver asked for does the rest."""
    result: SolveResult = import_module(DUAL).solve(instance, call, report)
    return result


def prepare_dual(_method: Method, call: Call, _jobs: int) -> None:
    """Import HiGHS, the solver and the method."""
    BACKENDS["highs"].import_solver()
    solve.chosen_solver(call).load()
    import_module(DUAL)
