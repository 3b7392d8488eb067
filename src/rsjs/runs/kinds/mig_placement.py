"""Placements: static workloads on as few GPUs as possible, each divided into MIG instances."""

from __future__ import annotations

from typing import Any

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.mig.placement import problem as problems
from rsjs.instances.mig.placement.check import check
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem
from rsjs.runs.kinds.base import FileKind, claimed

RULES = {
    "ff": "the first GPU and start that fit",
    "bf": "the GPU with the least free memory",
    "wf": "the GPU with the most free memory",
    "ff_pref": "the first GPU, starts in order of preference",
    "flex": "GPU and start that leave most placements possible",
    "ffd": "the first GPU, large workloads first",
}
METHODS = {
    "ilp": Method(
        name="ilp",
        summary="fewest GPUs, then least waste, over sets of placements",
        kind="exact",
        run="rsjs.runs.kinds.mig_placement:by_ilp",
        prepare="rsjs.formulations.milp.solve:prepare",
        solvers=("highs", "scip"),
    )
} | {
    name: Method(
        name=name,
        summary=f"each workload in turn: {summary}",
        kind="heuristic",
        run="rsjs.runs.kinds.mig_placement:by_rule",
        rules=(name,),
    )
    for name, summary in RULES.items()
}


def by_rule(
    problem: PlacementProblem, call: Call, report: Report
) -> tuple[SolveResult, MigPlacement, dict[str, Any]]:
    """Place all workloads by a rule, and bound the number of GPUs."""
    from rsjs.formulations.mig.placement import PlacementModel, best
    from rsjs.heuristics.mig.placement import place

    with report.phase("solve"):
        placement = place(problem, str(call.rule))
        bound = best(PlacementModel.of(problem))
    return claimed(Stop.ITERATIONS, _gpus(placement), bound, "combinatorial"), placement, {}


def by_ilp(
    problem: PlacementProblem, call: Call, report: Report
) -> tuple[SolveResult, MigPlacement | None, dict[str, Any]]:
    """Solve both stages, GPUs and waste, by a solver."""
    from rsjs.formulations.mig.placement import solve

    with report.phase("solve"):
        found = solve(problem, call.limits, solver=str(call.solver))
    gpus = None if found.placement is None else _gpus(found.placement)
    result = claimed(found.stop, gpus, found.gpus_bound, "solver")
    return result, found.placement, {"waste_bound": found.waste_bound}


def _gpus(placement: MigPlacement) -> float:
    return float(placement.gpu.max() + 1)


KIND = FileKind(
    name="mig_placement",
    keys=("mig_placement", "methods"),
    solution_file="placement.json.gz",
    unit="GPUs",
    terms=("stranded_compute", "stranded_memory", "over_allocated"),
    metrics=("waste_bound",),
    read=problems.read_problem,
    write=problems.write_problem,
    methods=METHODS.copy,
    claim="gpus",
    load=problems.read_placement,
    store=problems.write_placement,
    checker=check,
)
