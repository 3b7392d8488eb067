"""The exact methods, declared as data."""

from __future__ import annotations

from functools import partial
from typing import Any

from rsjs.core.call import Option
from rsjs.core.method import Method
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS

# What the methods of a family share. Jahani 2019: each job pays for its GPUs until it ends.
_jahani = partial(
    Method,
    kind="exact",
    energy=frozenset({"proportional"}),
    tardiness_at=frozenset({"completion"}),
    open_nodes=frozenset({"free", "jahani_eq"}),
    sharing=False,
    warm_start=True,
)
# ANDREAS 2021, Kiros 2020: nodes are charged until their first job ends.
_first_ending = partial(
    Method,
    kind="exact",
    energy=frozenset({"first_ending"}),
    tardiness_at=frozenset({"completion"}),
)
# RS-JS, Filippini et al. 2024: the same with shares of GPUs, and without a price for idle ones.
_rsjs = partial(_first_ending, idle_cost=False)
_LINEAR: dict[str, Any] = {
    "prepare": "rsjs.formulations.milp.solve:prepare",
    "linear": True,
    "solvers": tuple(BACKENDS),
    "warm_start": True,
}

_DECLARED = (
    _jahani(
        name="jahani_patterns",
        summary="exact pattern model of Jahani's MILP by arc flow, however many nodes",
        run="rsjs.formulations.jahani.patterns:run",
        **_LINEAR,
    ),
    _jahani(
        name="jahani_literal",
        summary="Jahani's MILP (1)-(14) as published, node by node",
        run="rsjs.formulations.jahani.milp:run",
        expectation=frozenset({"worst_case", "mean"}),
        options={
            "printed": Option(
                default="corrected",
                choices=("corrected", "overdue"),
                help="overdue: rows (7) and (8) as published also for overdue jobs; no bound",
            ),
        },
        **{**_LINEAR, "solvers": tuple(name for name in BACKENDS if name != "cpsat")},
    ),
    _jahani(
        name="jahani_dual",
        migration=False,
        summary="Jahani's problem at 100 to 10 000 nodes: Lagrangian dual, then few columns",
        run="rsjs.formulations.jahani.dual_search:run",
        prepare="rsjs.formulations.jahani.dual_search:prepare",
        solvers=tuple(
            name for name, solver in BACKENDS.items() if Feature.INTEGER in solver.features
        ),
    ),
    _first_ending(
        name="first_ending_patterns",
        migration=False,
        summary="exact pattern model with leaders by arc flow: dedicated GPUs, however many nodes",
        run="rsjs.formulations.first_ending.patterns:run",
        sharing=False,
        **_LINEAR,
    ),
    _first_ending(
        name="first_ending_nodes",
        summary="the same problem node by node: the reference on small instances",
        run="rsjs.formulations.first_ending.node_indexed:run",
        sharing=False,
        **_LINEAR,
    ),
    _rsjs(
        name="rsjs_nodes",
        summary="RS-JS node by node, GPUs counted, leaders and followers",
        run="rsjs.formulations.rsjs.node_indexed:run",
        **_LINEAR,
    ),
    _rsjs(
        name="rsjs_gpu",
        summary="RS-JS GPU by GPU, the paper's model made linear: a few nodes",
        run="rsjs.formulations.rsjs.gpu_indexed:run",
        right_sizing=False,
        **_LINEAR,
    ),
    _rsjs(
        name="rsjs_minlp",
        migration=False,
        start=False,
        summary="RS-JS (P1) as a nonlinear program, corrected; published rows on demand",
        run="rsjs.formulations.rsjs.minlp_scip:run",
        prepare="rsjs.formulations.rsjs.minlp_scip:prepare",
        right_sizing=False,
        solvers=("scip",),
        options={
            "printed": Option(
                default="corrected",
                choices=("corrected", "8", "12", "13", "16", "pi", "all"),
                help="the row to leave as published (pi: unbounded), or all; no bound",
            ),
        },
        warm_start=True,
    ),
    _rsjs(
        name="rsjs_classes",
        migration=False,
        summary="RS-JS by node classes (form E): a bound, and a solution where followers fit",
        run="rsjs.formulations.rsjs.aggregated.model:run",
        options={
            "packing": Option(
                default="rows",
                choices=("rows", "splits"),
                help="rows: a relaxation; splits: exact",
            ),
        },
        **_LINEAR,
    ),
    _rsjs(
        name="rsjs_bound",
        migration=False,
        summary="certified bound for RS-JS by sifting form E with exact pricing; no solution",
        run="rsjs.formulations.rsjs.aggregated.column_generation:run",
        prepare="rsjs.formulations.rsjs.aggregated.column_generation:prepare",
        decides=False,
        solvers=("highs",),
    ),
    _rsjs(
        name="rsjs_sifting",
        migration=False,
        summary="RS-JS solution with a proven gap: bound by sifting, few columns, packing",
        run="rsjs.formulations.rsjs.aggregated.search:run",
        prepare="rsjs.formulations.rsjs.aggregated.column_generation:prepare",
        solvers=("highs",),
        warm_start=True,
    ),
    Method(
        name="enumeration",
        summary="every solution of a tiny instance, by subsets: the oracle",
        kind="exact",
        run="rsjs.formulations.enumeration:run",
        max_jobs=10,
    ),
)
METHODS = {method.name: method for method in _DECLARED}
