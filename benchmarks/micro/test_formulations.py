"""Build, hand-over and solution of the pattern model at 100 x 400."""

from __future__ import annotations

import pytest

from rsjs.core.call import Limits
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani import patterns
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.formulations.milp import from_pyomo
from rsjs.formulations.milp.solve import from_matrix, matrix_of
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate

GAPS = {"highs": 1e-4, "scip": 1e-4, "cpsat": 1e-2}


@pytest.fixture(scope="module")
def instance():
    return generate(nodes=100, jobs=400, seed=1)


def test_build_from_pyomo(benchmark, instance):
    model, _ = benchmark(lambda: from_pyomo.from_pyomo(patterns.build(PatternModel.of(instance))))
    benchmark.extra_info.update(model.counts)
    assert model.counts == {"rows": 433, "columns": 11124, "nonzeros": 22298, "integers": 62}


@pytest.mark.parametrize("solver", sorted(GAPS))
def test_solve(benchmark, instance, solver):
    data = PatternModel.of(instance)
    model, positions = matrix_of(patterns, data)
    solve = backend(solver).load()

    def run():
        return solve(SolveTask(model, Limits(gap=GAPS[solver]), seconds=60))

    result = benchmark.pedantic(run, rounds=3)
    cost = check(instance, patterns.extract(data, from_matrix(result.x, positions))).objective
    benchmark.extra_info.update(cost=cost, bound=result.bound, handover=result.handover_seconds)
    assert result.bound <= cost
    assert cost - result.bound <= GAPS[solver] * cost
