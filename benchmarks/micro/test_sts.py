"""The stochastic scheduler at 100 x 400: laws, profiles, decisions."""

from __future__ import annotations

import pytest

from benchmarks import sts_cases
from rsjs.heuristics.sts.single_job import FEASIBLE, steps_of_jobs
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.check import check


def test_survival_steps(benchmark):
    instance = sts_cases.instance(400)
    assert len(benchmark(steps_of_jobs, instance).done) == 400


def test_1200_profiles(benchmark):
    arguments = sts_cases.single_jobs()
    found = benchmark(profiles, *arguments)
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
