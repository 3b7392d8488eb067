"""`rsjs mig place`: static workloads on GPUs that are divided into MIG instances."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.mig_options import say
from rsjs.cli.options import Json, TimeLimit, limits
from rsjs.cli.paths import writable
from rsjs.core.errors import InputError
from rsjs.formulations.mig import placement as mig_placement_bounds
from rsjs.formulations.mig.placement import PlacementModel, solve
from rsjs.heuristics.mig.placement import RULES
from rsjs.instances.mig.gpus import gpu_named, read_gpus
from rsjs.instances.mig.io import nearest_first
from rsjs.instances.mig.placement import check, problem

if TYPE_CHECKING:
    from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem

EXACT = "ilp"
File = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="Problem file; without it one is drawn.")
]
Gpu = Annotated[str, typer.Option("--gpu", metavar="NAME", help="GPU of what is drawn.")]
Gpus = Annotated[
    Path | None,
    typer.Option("--gpus", metavar="FILE", help="GPUs of rsjs-mig-gpus/1 instead of those known."),
]
DrawSeed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of what is drawn.")]
Save = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Write what was drawn, a problem.")
]
Solution = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the solution.")
]
Picture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="Draw it to .png, .svg or .pdf.")
]


def place(
    file: File = None,
    mix: Annotated[
        str,
        typer.Option(metavar="NAME", help="mixed, small, large, memheavy or elastic."),
    ] = "mixed",
    n: Annotated[int, typer.Option("-n", metavar="N", help="Workloads that are drawn.")] = 500,
    seed: DrawSeed = 1,
    gpu: Gpu = "A100-40",
    gpus: Gpus = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", help="ilp[@SOLVER], ff, bf, wf, ff_pref, flex, ffd."
        ),
    ] = EXACT,
    time_limit: TimeLimit = 60.0,
    save: Save = None,
    output: Solution = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """
    Place workloads on as few GPUs as possible, then with as little waste as possible.

    \b
    Example:
      rsjs mig place --mix mixed -n 500 --seed 1 --method ilp --picture map.png
      rsjs mig place --mix small -n 200 --gpu H100-80 --method flex
      rsjs mig place workloads.json --method ilp@scip -o placement.json

    Waste is stranded slices, which no further instance can use, and over-allocated ones, beyond
    what a workload with a choice needs.
    """

    for path in (save, output, picture):
        writable(path)
    if file is None:
        model = gpu_named(gpu, read_gpus(gpus) if gpus else None)
        workloads = problem.generate(model, mix, n, seed)
    else:
        workloads = problem.read_problem(file)
    if save is not None:
        problem.write_problem(workloads, save)
    placement, known = _placed(workloads, method, time_limit)
    facts: dict[str, Any] = {"name": workloads.name, "workloads": len(workloads), "method": method}
    if placement is None:
        say({**facts, **known}, as_json=as_json)
        raise typer.Exit(1)
    verdict = check.check(workloads, placement, bound=known["gpus bound"])
    facts |= {
        "feasible": verdict.feasible,
        "violations": [str(violation) for violation in verdict.violations] or None,
        "gpus": verdict.gpus,
        "stranded compute": verdict.stranded_compute,
        "stranded memory": verdict.stranded_memory,
        "over allocated": verdict.over_allocated,
    }
    if output is not None:
        claims = {"method": method, "gpus": verdict.gpus, "bound": known["gpus bound"]}
        problem.write_placement(workloads, placement, output, **claims)
    if picture is not None:
        from rsjs.reporting.figures.mig import placement_picture

        placement_picture(workloads, placement, picture)
    say({**facts, **known}, as_json=as_json)
    if not verdict.feasible:
        raise typer.Exit(1)


def _placed(
    workloads: PlacementProblem, method: str, time_limit: float
) -> tuple[MigPlacement | None, dict[str, Any]]:
    """The placement of a method, if it found one, and what it knows."""

    name, mark, solver = method.partition("@")
    if name in RULES and not mark:
        from rsjs.heuristics.mig.placement import place

        begin = time.monotonic()
        placement = place(workloads, name)
        spent = time.monotonic() - begin
        bound = mig_placement_bounds.best(PlacementModel.of(workloads))
        return placement, {"gpus bound": bound, "seconds": round(spent, 4)}
    if name != EXACT or bool(mark) != bool(solver):
        raise InputError("--method", method, f"one of {nearest_first(name, [EXACT, *RULES])}")

    asked = limits(time_limit, 0.0, 1, 0, None)
    found = solve(workloads, asked, solver=solver or "highs")
    return found.placement, {
        "gpus bound": found.gpus_bound,
        "waste bound": found.waste_bound,
        "stop": found.stop,
        "seconds": round(found.seconds, 4),
    }
