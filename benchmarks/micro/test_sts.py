"""The stochastic scheduler at 100 x 400: laws, profiles, decisions."""

from __future__ import annotations

import pytest

from benchmarks import sts_cases
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.speed_profile import FEASIBLE, solve
from rsjs.heuristics.survival_steps import steps_of_jobs
from rsjs.instances.check import check

ENGINES = ("numba", "numpy") if AVAILABLE else ("numpy",)


def test_survival_steps(benchmark):
    instance = sts_cases.instance(400)
    assert len(benchmark(steps_of_jobs, instance).done) == 400


@pytest.mark.parametrize("engine", ENGINES)
def test_1200_profiles(benchmark, engine):
    arguments = sts_cases.single_jobs()
    found = benchmark(solve, *arguments, engine)
    assert (found.status == FEASIBLE).all()


@pytest.mark.parametrize("jobs", sts_cases.LOADS)
@pytest.mark.parametrize("mix", sts_cases.MIXES)
@pytest.mark.parametrize("method", sts_cases.DECISIONS)
def test_decision(benchmark, method, mix, jobs):
    instance = sts_cases.instance(jobs, mix)
    solution = benchmark(sts_cases.decision(method, instance))
    verdict = check(instance, solution)
    benchmark.extra_info["objective"] = verdict.objective
    assert verdict.feasible
