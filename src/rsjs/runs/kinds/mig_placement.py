"""Placements: static workloads on as few GPUs as possible, each divided into MIG instances."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.mig.placement import check as checker
from rsjs.instances.mig.placement import problem as problems
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem
from rsjs.runs.kinds.base import Claimed, FileKind, Json, Verified, claimed, whole

if TYPE_CHECKING:
    from rsjs.core.call import Call
    from rsjs.rows.columns import Row

RULES = {
    "ff": "the first GPU and start that fit",
    "bf": "the GPU with the least free memory",
    "wf": "the GPU with the most free memory",
    "ff_pref": "the first GPU, starts in order of preference",
    "flex": "GPU and start that leave most placements possible",
    "ffd": "the first GPU, large workloads first",
}
METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="ilp",
            summary="fewest GPUs, then least waste, over sets of placements",
            kind="exact",
            run="rsjs.runs.kinds.mig_placement:by_ilp",
            prepare="rsjs.runs.kinds.mig_placement:prepare_ilp",
            solvers=("highs", "scip"),
        ),
        *(
            Method(
                name=name,
                summary=f"each workload in turn: {summary}",
                kind="heuristic",
                run="rsjs.runs.kinds.mig_placement:by_rule",
                rules=(name,),
            )
            for name, summary in RULES.items()
        ),
    )
}
TERMS = ("stranded_compute", "stranded_memory", "over_allocated")
Found = tuple[SolveResult, MigPlacement | None, dict[str, Any]]


class _Placements(FileKind):
    name = "mig_placement"
    solution_file = "placement.json.gz"
    unit = "GPUs"

    def read(self, path: str | Path) -> PlacementProblem:
        return problems.read_problem(path)

    def write(self, problem: PlacementProblem, path: str | Path) -> None:
        problems.write_problem(problem, path)

    def methods(self) -> Mapping[str, Method]:
        return METHODS

    def save(self, problem: PlacementProblem, method: str, found: Verified, path: Path) -> None:
        if found.solution is not None:
            gpus, bound = whole(found.result.objective), whole(found.result.bound)
            problems.write_placement(
                problem, found.solution, path, method=method, gpus=gpus, bound=bound
            )

    def read_solution(self, problem: PlacementProblem, path: Path) -> Claimed:
        placement, claims = problems.read_placement(problem, path)
        return Claimed(placement, *map(claims.get, ("method", "gpus", "bound")))

    def check(self, problem: PlacementProblem, claimed: Claimed) -> Verdict:
        solution, _, gpus, bound = claimed
        found = checker.check(problem, solution, gpus=gpus, bound=bound)
        terms = {name: getattr(found, name) for name in TERMS}
        return Verdict(
            feasible=found.feasible,
            violations=found.violations,
            terms=None if None in terms.values() else terms,
            objective=float(found.gpus),
            counts={"executed": len(problem)},
        )

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        found = (verdict and verdict.terms) or {}
        terms = cast("Row", {name: found.get(name) for name in TERMS})
        return {**terms, "waste_bound": figures.get("waste_bound")}


def by_rule(problem: PlacementProblem, call: Call, report: Report) -> Found:
    """Place all workloads by a rule, and bound the number of GPUs."""
    from rsjs.formulations.mig.placement import PlacementModel, best
    from rsjs.heuristics.mig.placement import place

    with report.phase("solve"):
        placement = place(problem, str(call.rule))
        bound = best(PlacementModel.of(problem))
    return claimed(Stop.ITERATIONS, _gpus(placement), bound, "combinatorial"), placement, {}


def by_ilp(problem: PlacementProblem, call: Call, report: Report) -> Found:
    """Solve both stages, GPUs and waste, by a solver."""
    from rsjs.formulations.mig.placement import solve

    with report.phase("solve"):
        found = solve(problem, call.limits, solver=str(call.solver))
    gpus = None if found.placement is None else _gpus(found.placement)
    result = claimed(found.stop, gpus, found.gpus_bound, "solver")
    return result, found.placement, {"waste_bound": found.waste_bound}


def prepare_ilp(_method: Method, call: Call, _jobs: int) -> None:
    """Import Pyomo and the solver."""
    from rsjs.formulations.backends.registry import backend
    from rsjs.formulations.milp import from_pyomo  # noqa: F401

    backend(str(call.solver)).load()


def _gpus(placement: MigPlacement) -> float:
    return float(placement.gpu.max() + 1)


KIND = _Placements()
