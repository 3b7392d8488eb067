"""The single-file verifier on a 100 x 400 instance with GPU shares."""

from __future__ import annotations

import pytest

from rsjs.heuristics import greedy
from rsjs.instances import files, rsjs_verify
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.generators.sts import generate


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    instance = generate(nodes=100, jobs=400, seed=1, mix="kma", sharing="paper")
    solution = complete(instance, greedy.decide(instance, "paper"))
    files.write_instance(instance, folder / "instance.json.gz")
    files.write_solution(solution, instance.digest, folder / "solution.json")
    cost = check(instance, solution).objective
    return folder / "instance.json.gz", folder / "solution.json", cost


def test_read_and_verify(benchmark, stored):
    instance, solution, cost = stored
    report = benchmark(rsjs_verify.verify_pairs, instance, [solution])
    assert report.exit_code == 0
    [(*_, verdict)] = report.verdicts
    assert float(verdict.objective) == pytest.approx(cost, rel=1e-9)
