"""Bounds of placement and repartitioning hold also where a search ends early or begins badly."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import RawResult
from rsjs.formulations.mig import placement, reconfiguration
from rsjs.formulations.mig.placement import PlacementModel
from rsjs.formulations.mig.reconfiguration import tail
from rsjs.formulations.mig.reconfiguration_bounds import find_candidates
from rsjs.heuristics.mig.placement import place
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.instances.mig.gpus import document_of, gpu_named
from rsjs.instances.mig.placement.problem import generate as workloads
from rsjs.instances.mig.reconfiguration.check import check
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationSchedule, generate, to_problem
from tests.mig_problems import vector_of

A100 = gpu_named("A100-40")
NAMES = [profile.name for profile in A100.profiles]
EXACT = Limits(gap=0.0, time_limit=300.0)

pytestmark = pytest.mark.solver


def jobs_of(*rows):
    """Release and options of each job."""
    jobs = [
        {
            "id": f"j{j}",
            "release": release,
            "options": [{"profile": p, "duration": d} for p, d in options.items()],
        }
        for j, (release, options) in enumerate(rows)
    ]
    head = {"name": "some", "time_unit": "minute", "delta": 0, "gpu": document_of(A100)}
    return to_problem(head | {"jobs": jobs})


def test_a_bound_of_the_end_of_a_schedule_is_none_of_all_schedules():
    jobs = jobs_of((0, {"1g": 30, "7g": 2}), (1, {"7g": 3}))
    profile = np.array([NAMES.index("1g"), NAMES.index("7g")])
    start = ReconfigurationSchedule(
        profile=profile, start=np.array([0, 0]), begin=np.array([0, 30])
    )
    found = reconfiguration.solve(jobs, EXACT, start=start)
    assert (found.stop, found.bound) == (Stop.OPTIMAL, 5)
    assert found.schedule is not None
    assert check(jobs, found.schedule).makespan == 5


def test_jobs_that_all_begin_late_give_no_bound_of_all_schedules():
    jobs, large = jobs_of((0, {"7g": 5}), (1, {"7g": 3})), NAMES.index("7g")
    start = ReconfigurationSchedule(
        profile=np.array([large, large]), start=np.array([0, 0]), begin=np.array([1, 6])
    )
    found = reconfiguration.solve(jobs, EXACT, start=start)
    assert (found.stop, found.bound) == (Stop.OPTIMAL, 8)


def test_a_slice_is_free_when_the_last_job_on_it_is_over():
    jobs = jobs_of((0, {"1g": 5}), (0, {"1g": 4}), (3, {"1g": 1}))
    small = NAMES.index("1g")
    schedule = ReconfigurationSchedule(
        profile=np.full(3, small), start=np.zeros(3, dtype=int), begin=np.array([4, 0, 9])
    )
    assert tail(find_candidates(jobs), schedule)[0].free.tolist() == [
        4,
        *[3] * 7,
    ]  # the first is no early
    schedule = replace(schedule, begin=np.array([2, -2, 9]))
    model, before = tail(find_candidates(jobs), schedule)
    assert model.free.tolist() == [7, *[3] * 7]
    assert before == {0: (small, 0, 2), 1: (small, 0, -2)}


@pytest.mark.parametrize("seed", range(2))
def test_makespans_that_are_tried_end_at_the_optimum(monkeypatch, seed):
    jobs = generate(A100, 6, seed)
    best = reconfiguration.solve(jobs, EXACT).bound
    monkeypatch.setattr(
        reconfiguration._ReconfigurationSearch, "_solve_assignment", lambda *given: Stop.TIME_LIMIT
    )
    for bound in (best - 3, best):
        monkeypatch.setattr(
            reconfiguration.reconfiguration_bounds, "best", lambda among, bound=bound: bound
        )
        for start in (None, best_greedy(jobs)[1]):
            found = reconfiguration.solve(jobs, EXACT, start=start)
            assert (found.stop, found.bound) == (Stop.OPTIMAL, best)
            assert found.schedule is not None
            assert check(jobs, found.schedule).makespan == best


def test_waste_has_no_bound_before_the_number_of_gpus_is_proven(monkeypatch):
    asked = workloads(A100, "mixed", 100, 1)
    data = PlacementModel.of(asked)
    made = place(asked, "wf")  # more GPUs than needed
    answer = RawResult(stop=Stop.TIME_LIMIT, status="", x=vector_of(data, made), bound=1.0)
    known = SimpleNamespace(load=lambda: lambda *given, **options: answer)
    monkeypatch.setattr(placement, "backend", lambda name: known)
    found = placement.solve(asked, EXACT)
    assert (found.stop, found.waste_bound) == (Stop.TIME_LIMIT, None)
    assert found.placement is not None
    assert found.gpus_bound < len(np.unique(found.placement.gpu)) == len(np.unique(made.gpu))
