"""The exact methods for RS-JS (Filippini et al. 2024), declared as data."""

from __future__ import annotations

from rsjs.core.method import Method, Option
from rsjs.formulations.backends.registry import BACKENDS

_FIRST_ENDING = frozenset({"first_ending"})
_AT_COMPLETION = frozenset({"completion"})
_PRINTED = ("corrected", "8", "12", "13", "16", "pi", "all")

METHODS = (
    Method(
        name="rsjs_nodes",
        summary="RS-JS node by node, GPUs counted, leaders and followers: exact to about 20 nodes",
        kind="exact",
        run="rsjs.formulations.rsjs.node_indexed:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=tuple(BACKENDS),
        warm_start=True,
    ),
    Method(
        name="rsjs_gpu",
        summary="RS-JS GPU by GPU, the paper's model made linear: a few nodes",
        kind="exact",
        run="rsjs.formulations.rsjs.gpu_indexed:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        right_sizing=False,
        solvers=tuple(BACKENDS),
        warm_start=True,
    ),
    Method(
        name="rsjs_minlp",
        summary="RS-JS (P1) as a nonlinear program, corrected; printed rows on demand",
        kind="exact",
        run="rsjs.formulations.rsjs.minlp_scip:run",
        prepare="rsjs.formulations.rsjs.minlp_scip:prepare",
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
    Method(
        name="rsjs_classes",
        summary="RS-JS by node classes (form E): a bound, and a schedule where followers fit",
        kind="exact",
        run="rsjs.formulations.rsjs.aggregated.model:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=tuple(BACKENDS),
        options={
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
        run="rsjs.formulations.rsjs.aggregated.column_generation:run",
        prepare="rsjs.formulations.rsjs.aggregated.column_generation:prepare",
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
        run="rsjs.formulations.rsjs.aggregated.search:run",
        prepare="rsjs.formulations.rsjs.aggregated.column_generation:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        idle_cost=False,
        solvers=("highs",),
        warm_start=True,
    ),
)
