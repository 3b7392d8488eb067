"""Single calls at 100 x 400: building, reading, checking, one greedy decision, `rsjs --help`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median

from benchmarks.targets.figures import Figure, seconds
from benchmarks.targets.jahani import CATALOGUES
from rsjs import rsjs_verify
from rsjs.core.call import Limits
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani import patterns
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.formulations.milp import from_pyomo
from rsjs.formulations.milp.matrix import MatrixModel
from rsjs.heuristics.greedy import greedy
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io import files
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.runs import compare


def measure() -> tuple[list[Figure], list[compare.Row]]:
    """Medians of repeated calls in this process; no rows."""
    return [*_build(), *_files(), *_greedy(), _help()], []


def _build() -> list[Figure]:
    instance = generate(nodes=100, jobs=400, seed=1)
    solve = backend("highs").load()

    def hand_over(model: MatrixModel) -> None:
        solve(SolveTask(model, Limits(), seconds=0.001, stop=lambda: True))

    def pyomo() -> None:
        model = patterns.build(PatternModel.of(instance))
        hand_over(from_pyomo.from_pyomo(model)[0])

    what = "jahani_patterns at 100 x 400 built and handed over"
    return [(f"{what}, from Pyomo", seconds(pyomo, 15), "s", "0.15", "0.3")]


def _files() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        path, solution_path = Path(name) / "instance.json", Path(name) / "solution.json"
        instance = generate(nodes=100, jobs=400, seed=1)
        solution = select_required_nodes(instance, greedy.decide(instance, "code"))
        files.write_instance(instance, path)
        files.write_solution(solution, instance.digest, solution_path)

        def exact() -> None:
            rsjs_verify.verify_pairs(path, [solution_path])

        read = seconds(lambda: files.read_instance(path), 25)
        checked = seconds(lambda: check(instance, solution), 50)
        return [
            ("read a 100 x 400 instance", 1e3 * read, "ms", "20", "60"),
            ("check a decision for it", 1e3 * checked, "ms", "5", "20"),
            ("check it exactly, reading included", seconds(exact, 9), "s", "0.3", "1"),
        ]


def _greedy() -> list[Figure]:
    times: dict[str, list[float]] = {"code": [], "paper": []}
    for catalogue, due, seed in product(CATALOGUES, ("base", "tight"), (1, 2, 3)):
        instance = generate(nodes=100, jobs=400, seed=seed, catalogue=catalogue, due=due)
        costs.cost_tables(instance)
        for rule, found in times.items():
            decide = partial(greedy.decide, instance, rule)
            decide()  # compiles
            found.append(seconds(decide, 25))
    return [
        (f"one decision of greedy:{rule}", 1e3 * median(found), "ms", "0.5", "2")
        for rule, found in times.items()
    ]


def _help() -> Figure:
    command = [sys.executable, "-m", "rsjs", "--help"]
    whole = seconds(lambda: subprocess.run(command, check=True, capture_output=True), 11)
    return "rsjs --help, whole process", whole, "s", "0.3", "0.5"
