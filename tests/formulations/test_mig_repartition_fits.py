"""A makespan of the assignment is found or refuted."""

from __future__ import annotations

import pytest

from rsjs.formulations import mig_repartition_nested
from rsjs.formulations.mig_repartition import solve
from rsjs.formulations.mig_repartition_fits import fits
from rsjs.formulations.mig_repartition_nested import Nested
from rsjs.formulations.mig_repartition_places import places
from rsjs.instances.method import Limits
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.repartition import Schedule
from rsjs.instances.mig.repartition_check import check
from rsjs.instances.mig.repartition_generator import generate

EXACT = Limits(gap=0.0, time_limit=20.0)


@pytest.mark.parametrize(("seed", "delta"), [(1, 0), (2, 3), (4, 0)])
def test_the_optimum_fits_and_one_less_does_not(seed: int, delta: int) -> None:
    jobs = generate(gpu_named("A100-40"), 8, seed, delta=delta)
    best = solve(jobs, EXACT, solver="scip").bound
    model = Nested.of(places(jobs))
    stop, x = fits(model, best, EXACT, 20.0)
    assert (stop, x is None) == ("optimal", False)
    schedule = Schedule.of(jobs, mig_repartition_nested.extract(model, x))
    assert check(jobs, schedule, makespan=best).feasible
    assert fits(model, best - 1, EXACT, 20.0) == ("infeasible", None)


def test_a_question_without_time_stays_open() -> None:
    jobs = generate(gpu_named("A100-40"), 60, 1)
    model = Nested.of(places(jobs))
    assert fits(model, 700, EXACT, 0.0) == ("time_limit", None)
