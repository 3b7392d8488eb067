"""Reading and checking a 100 x 400 instance."""

from __future__ import annotations

import pytest

from rsjs import rsjs_verify
from rsjs.heuristics.greedy import greedy
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io import files
from rsjs.instances.open_nodes import select_required_nodes


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    instance = generate(nodes=100, jobs=400, seed=1)
    solution = select_required_nodes(instance, greedy.decide(instance, "code"))
    files.write_instance(instance, folder / "instance.json")
    files.write_solution(solution, instance.digest, folder / "solution.json")
    return instance, solution, folder / "instance.json", folder / "solution.json"


def test_generate(benchmark):
    instance = benchmark(generate, nodes=100, jobs=400, seed=1)
    assert len(instance.jobs) == 400


def test_read(benchmark, stored):
    instance, _, path, _ = stored
    assert benchmark(files.read_instance, path).digest == instance.digest


def test_check(benchmark, stored):
    instance, solution, _, _ = stored
    verdict = benchmark(check, instance, solution)
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible


def test_exact_check(benchmark, stored):
    instance, solution, path, solution_path = stored
    report = benchmark(rsjs_verify.verify_pairs, path, [solution_path])
    [(*_, verdict)] = report.verdicts
    assert verdict.feasible
    assert float(verdict.objective) == pytest.approx(check(instance, solution).objective, rel=1e-9)
