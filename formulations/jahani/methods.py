"""The exact methods for Jahani's objective, declared as data."""

from __future__ import annotations

from rsjs.core.method import Method, Option
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS

_PROPORTIONAL = frozenset({"proportional"})
_AT_COMPLETION = frozenset({"completion"})
_SELECTED = frozenset({"free", "jahani_eq"})
_OF_INTEGERS = tuple(
    name for name, declared in BACKENDS.items() if Feature.INTEGER in declared.features
)
METHODS = (
    Method(
        name="jahani_patterns",
        summary="exact pattern model of Jahani's MILP: a few dozen integers",
        kind="exact",
        run="rsjs.formulations.jahani.patterns:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        sharing=False,
        solvers=tuple(BACKENDS),
        warm_start=True,
    ),
    Method(
        name="jahani_literal",
        summary="Jahani's MILP (1)-(14) as printed, node by node",
        kind="exact",
        run="rsjs.formulations.jahani.milp:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        expectation=frozenset({"worst_case", "mean"}),
        sharing=False,
        solvers=tuple(name for name in BACKENDS if name != "cpsat"),
        options={
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
        run="rsjs.formulations.jahani.dual_search:run",
        prepare="rsjs.formulations.jahani.dual_search:prepare",
        energy=_PROPORTIONAL,
        tardiness_at=_AT_COMPLETION,
        open_nodes=_SELECTED,
        sharing=False,
        solvers=_OF_INTEGERS,
        warm_start=True,
    ),
)
