"""
Models of the solver track: `python -m benchmarks.solver_track FILE` adds those of FILE.

Each line of FILE is a recipe, `["rsjs_nodes", "sts", {"nodes": 5, "jobs": 30, "seed": 1}]`: a
formulation, a generator and its arguments. Without FILE all models are made again, after a change
of a formulation: a model of another text is another one, and what is stored of the former no longer
counts, neither runs nor cost and bound. Those in `formulations/data/models.csv` only get better.
They come from stored runs of solvers on the model, from the best-known values, and else from runs
of `PROVERS` in turn until one proves the optimum, each verified: reformulations first, then the
formulation itself. Where changes cost something, a bound on the cost without them is one, too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rsjs.bks.evidence import is_wrong_answer, model_rows
from rsjs.bks.storage import lookup
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.formulations.hindsight import time_indexed
from rsjs.formulations.milp.export import export
from rsjs.formulations.milp.models import SUFFIX, TrackModel, drawn, models
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.csv_tables import write_rows
from rsjs.instances.mig.problems import MigProblem
from rsjs.instances.transform import with_change_costs
from rsjs.runs.gap import contradicts
from rsjs.runs.kinds.base import kind_of
from rsjs.runs.verified_run import run

FILE = Path(__file__).parents[1] / "formulations" / "data" / "models.csv"
LIMITS = Limits(time_limit=60.0, gap=0.0)
SEARCH = "ruin_recreate"  # a cost without a bound
PROVERS = {
    "jahani_literal": ("jahani_patterns", "jahani_dual", "jahani_literal@scip", SEARCH),
    "jahani_patterns": ("jahani_dual", "jahani_patterns"),
    "first_ending_nodes": (
        "first_ending_patterns",
        "rsjs_sifting",
        "first_ending_nodes",
        SEARCH,
    ),
    "first_ending_patterns": ("rsjs_sifting", "first_ending_patterns"),
    "rsjs_nodes": ("rsjs_sifting", "rsjs_nodes", SEARCH),
    "rsjs_gpu": ("rsjs_sifting", "rsjs_nodes"),
    "rsjs_classes": ("rsjs_classes",),
    "mig_placement": ("ilp",),
    "mig_reconfiguration": ("cpsat", "highs"),
    "mig_scheduling": ("cpsat:local_search",),
    "workload_steps": (),  # by its own program
}


def made(method: str, generator: str, arguments: dict[str, Any]) -> TrackModel:
    """Return the model of a recipe, nothing known of its optimum."""
    problem = drawn(generator, arguments)
    name = f"{method}-{problem.name}"
    with tempfile.TemporaryDirectory() as folder:
        written = export(method, problem, {}, Path(folder) / f"{name}{SUFFIX}")
    return TrackModel(
        name=name,
        generator=generator,
        arguments=arguments,
        instance_sha256=problem.digest,
        method=method,
        **written.counts,
        text_sha256=written.text_sha256,
        objective=None,
        bound=None,
        bound_by="",
    )


def proved(model: TrackModel) -> TrackModel:
    """Return the model with the best cost and bound that are known or found."""
    for row in model_rows().get(model.name, ()):
        if row["method"].startswith("solve@") and not is_wrong_answer(row, model):
            model = better(model, row["objective"], row["bound"], f"{model.method}@{row['solver']}")
    problem = model.problem()
    if isinstance(problem, Workload):
        steps = time_indexed.solve(time_indexed.data_of(problem), LIMITS)
        return better(model, steps.cost, steps.bound, f"{model.method}@highs")
    if isinstance(problem, Instance) and model.method != "rsjs_classes":
        known = lookup(problem)
        if known is not None:
            model = better(model, known.value, known.bound, "best-known values")
    for spelling in PROVERS[model.method]:
        if not model.closed and (found := _ran(problem, spelling)) is not None:
            model = better(model, *found, spelling)
    if isinstance(problem, Instance) and problem.objective.charges_changes and not model.closed:
        free = with_change_costs(problem, migration=0.0, start=0.0)
        for spelling in PROVERS[model.method]:
            if (found := _ran(free, spelling)) is not None:
                model = better(model, None, found[1], f"{spelling} without costs of changes")
    return model


def _ran(problem: Instance | MigProblem, spelling: str) -> tuple[float | None, float | None] | None:
    """Return cost and bound by a method; None if it does not serve the problem."""
    try:
        found = run(problem, kind_of(problem).request(spelling), LIMITS)
    except InputError:
        return None
    if found.verdict is not None and not found.verdict.feasible:
        return None
    valid = found.result.bound_variant == "instance"
    return found.objective, found.result.bound if valid else None


def better(model: TrackModel, cost: float | None, bound: float | None, by: str) -> TrackModel:
    """
    Return the model with a cost and a bound where they are better.

    InputError naming the model if the bound is then above the cost by more than rounding.
    """
    if cost is not None and (model.objective is None or cost < model.objective):
        model = replace(model, objective=cost)
    if bound is not None and (model.bound is None or bound > model.bound):
        model = replace(model, bound=bound, bound_by=by)
    if contradicts(model.objective, model.bound):
        found = described(f"bound {model.bound!r} by {model.bound_by}")
        raise InputError(model.name, found, f"at most the cost {model.objective!r}")
    if None not in (model.objective, model.bound) and model.bound > model.objective:
        model = replace(model, bound=model.objective)  # rounding
    return model


def add(recipes: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
    """Add models to the file, or make those there again; then prove their optima in turn."""
    chosen = {model.name: model for model in models()}
    again = [(model.method, model.generator, model.arguments) for model in chosen.values()]
    named = []
    for recipe in recipes or again:
        model = made(*recipe)
        named.append(model.name)
        old = chosen.get(model.name, model)
        same = (old.instance_sha256, old.text_sha256) == (model.instance_sha256, model.text_sha256)
        chosen[model.name] = old if same else model
    order = [*PROVERS]
    chosen = dict(sorted(chosen.items(), key=lambda item: order.index(item[1].method)))
    _write(chosen.values())
    for name in named:
        if not chosen[name].closed:
            chosen[name] = proved(chosen[name])
            print(name, chosen[name].objective, chosen[name].bound, flush=True)
            _write(chosen.values())


def _write(models: Iterable[TrackModel]) -> None:
    columns = [field.name for field in fields(TrackModel)]
    write_rows(FILE, columns, [_cells(model, columns) for model in models])


def _cells(model: TrackModel, columns: list[str]) -> list[Any]:
    cells = {**vars(model), "arguments": json.dumps(model.arguments)}
    return [cells[name] for name in columns]


if __name__ == "__main__":
    lines = [line for file in sys.argv[1:] for line in Path(file).read_text("utf-8").splitlines()]
    add([json.loads(line) for line in lines])
