"""Bounds by hand and on the sets of the paper; prices never count too much."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.formulations.mig import scheduling_bounds
from rsjs.formulations.mig.scheduling_bounds import (
    assignment_bound,
    lagrangian_bound,
    makespan_bound,
    quick_bounds,
    stage_bounds,
    term_bounds,
)
from rsjs.formulations.mig.scheduling_enumeration import best_values
from rsjs.heuristics.mig.scheduling_rules import best_fit


def test_each_term_has_the_bound_of_jobs_that_do_not_meet(problem_of):
    rows = [(0, [900, 1200]), (2.5, [400])]
    problem = problem_of(rows, priority=[3, 2], deadline=[1.5, 4], units=(2000, 1000, 500))
    assert term_bounds(problem) == {
        "late": 1,  # the first ends at 2 or later
        "makespan": 4,
        "completion": 2 + 4,
        "weighted_completion": 3 * 2 + 2 * 4,
        "waste": 100 + 800 + 100,  # each step on the smallest unit that holds it
        "preemptions": 0,
        "migrations": 0,
    }
    bound = problem_of(rows, "B", units=(2000, 1000, 500))
    assert term_bounds(bound)["waste"] == 1100 + 800 + 100  # on one that holds its peak


def test_jobs_share_only_units_that_hold_them_in_the_assignment(problem_of):
    rows = [(1, [1500, 5]), (1, [1200]), (1, [5, 5, 1001])]
    for units, ends in (((2000, 1000), [1, 3, 6]), ((2000, 2000), [1, 4, 2])):  # from minute 1 on
        problem = problem_of(rows, "C", "completion", units=units)
        assert assignment_bound(problem) == 3 + sum(ends) == best_values(problem)[0]


def test_a_bound_that_is_too_large_is_left_out(problem_of, monkeypatch):
    problem = problem_of([(0, [5] * 2)] * 3, "C", "completion", units=(10,))
    schedule = best_fit(problem, "fcfs", 1)
    assert quick_bounds(problem) == stage_bounds(problem, schedule) == (2 + 4 + 6,)
    monkeypatch.setattr(scheduling_bounds, "MOST_CELLS", 1)
    assert quick_bounds(problem) == (3 * 2,)
    assert 3 * 2 < stage_bounds(problem, schedule)[0] <= 2 + 4 + 6
    monkeypatch.setattr(scheduling_bounds, "MOST_CHAIN_CELLS", 1)
    assert stage_bounds(problem, schedule) == (3 * 2,)


@pytest.mark.parametrize(
    "objective", ["completion", "late", "completion+2*preemptions", "5*late+weighted_completion"]
)
@pytest.mark.parametrize("stops", [True, False])
def test_prices_are_a_bound_whatever_horizon_and_target(problem_of, objective, stops):
    for lengths in ([2, 2, 2], [3, 1, 2], [1, 1, 1, 1], [4, 2]):
        problem = problem_of(
            [(0, [5] * length) for length in lengths],
            objective=objective,
            units=(10,),
            interruptible=[stops] * len(lengths),
            deadline=[2, 4, np.inf, 3][: len(lengths)],
            priority=[1, 3, 0, 2][: len(lengths)],
        )
        (best,), (stage,) = best_values(problem), problem.objective.stages
        found = lagrangian_bound(problem, stage, target=best + 50, horizon=0, iterations=200)
        assert found <= best + 1e-9


def test_heads_and_tails_of_big_steps_raise_the_makespan_bound(problem_of):
    big = [1, 1500, 1]
    assert makespan_bound(problem_of([(0, big), (0, big), (0, big)])) == 5
    assert makespan_bound(problem_of([(0, [1])] * 7)) == 3
    assert makespan_bound(problem_of([(0, [1]), (4, [1, 1])])) == 6


def test_a_job_that_may_not_move_counts_as_big_throughout(problem_of):
    rows = [(0, [1, 1500, 1])] * 2
    assert (makespan_bound(problem_of(rows, "A")), makespan_bound(problem_of(rows, "B"))) == (4, 6)


def test_the_makespan_bound_is_the_optimum_of_the_papers_sets(section_4):
    found = [makespan_bound(section_4(seed)) for seed in (2, 3, 5, 7)]
    assert found == [106, 121, 170, 106]


def test_the_assignment_bound_by_hand(problem_of):
    rows = [(0.5, [1500]), (0.5, [5, 5]), (1, [1500, 1500, 1500])]
    assert assignment_bound(problem_of(rows, "C", units=(2000, 1000))) == 3 + (1 + 4) + 2
    with pytest.raises(InputError, match="/jobs/0: found a job that may stop, expected reading C"):
        assignment_bound(problem_of(rows, "B"))


def test_the_lagrangian_bound_closes_where_the_relaxation_is_exact(problem_of):
    problem = problem_of([(0, [1500] * n) for n in (3, 1, 2)], objective="completion")
    assert 9 < lagrangian_bound(problem, {"completion": 1}, target=10, horizon=6) <= 10


def test_the_lagrangian_bound_counts_late_jobs_and_preemptions(problem_of):
    rows = [(0, [1500] * 2)] * 3
    late = problem_of(rows, deadline=[3, 3, 3])
    assert 0 < lagrangian_bound(late, {"late": 1}, target=2, horizon=6) <= 2
    stopping = problem_of([(0, [1500] * 4), (1, [1500])], deadline=[5, 2])
    weights = {"late": 10, "preemptions": 1}
    assert 0 < lagrangian_bound(stopping, weights, target=1, horizon=5) <= 1
