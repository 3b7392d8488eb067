"""The checker: every constraint it states, every term it prices, every claim it refuses."""

import numpy as np
import pytest

from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.schedule import Schedule

ROWS = [(0, [1500, 400, 400]), (0.5, [900, 900])]
GOOD = ([0, 1, 2, 1, 2], [0, 1, 1, 2, 2])


def made(minute, unit):
    """A schedule from lists."""
    return Schedule(minute=np.array(minute), unit=np.array(unit))


def test_terms_of_a_schedule_by_hand(problem_of):
    problem = problem_of(
        ROWS, objective="lexicographic", deadline=[3, 4], priority=[1, 10], units=(2000, 1000)
    )
    verdict = check_schedule(problem, made([0, 1, 3, 2, 4], [0, 0, 1, 1, 0]))
    assert verdict.feasible
    assert verdict.terms == {
        "late": 2,  # 4 > 3, 5 > 4
        "makespan": 5,
        "completion": 9,
        "weighted_completion": 54,
        "waste": 500 + 1600 + 600 + 100 + 1100,
        "preemptions": 2,
        "migrations": 2,
    }
    assert verdict.values == (2, 5, 9, 3900, 4)


@pytest.mark.parametrize(
    ("reading", "minute", "unit", "constraint", "where"),
    [
        ("A", [0, 1, 2, 1], GOOD[1], "length", "minute"),
        ("A", GOOD[0], [0, 1, 1, 2, 3], "unit", "job 1 step 1 unit 3 minute 2"),
        ("A", GOOD[0], [0, 1, 1, 2, -1], "unit", "job 1 step 1 unit -1 minute 2"),
        ("A", GOOD[0], [1, 0, 0, 2, 2], "memory", "job 0 step 0 unit 1 minute 0"),
        ("A", [0, 1, 2, 0, 2], GOOD[1], "release", "job 1 step 0 unit 2 minute 0"),
        ("A", [0, 2, 1, 1, 2], GOOD[1], "order", "job 0 step 2 unit 1 minute 1"),
        ("A", [0, 1, 1, 1, 2], [0, 1, 0, 2, 2], "order", "job 0 step 2 unit 0 minute 1"),
        ("C", [0, 1, 3, 1, 2], [0, 0, 0, 2, 2], "stop", "job 0 step 2 unit 0 minute 3"),
        ("B", GOOD[0], GOOD[1], "move", "job 0 step 1 unit 1 minute 1"),
        ("A", GOOD[0], [0, 2, 1, 2, 2], "overlap", "unit 2 minute 1"),
    ],
)
def test_each_broken_constraint_is_stated_with_its_place(
    problem_of, reading, minute, unit, constraint, where
):
    verdict = check_schedule(problem_of(ROWS, reading), made(minute, unit))
    assert [(v.constraint, v.where) for v in verdict.violations] == [(constraint, where)]
    assert verdict.terms is None


def test_a_job_that_may_not_be_interrupted_must_not_stop_in_any_reading(problem_of):
    split = made([0, 1, 3, 1, 2], [0, 0, 0, 2, 2])
    assert check_schedule(problem_of(ROWS), split).feasible
    fixed = problem_of(ROWS, interruptible=[False, True])
    assert [v.constraint for v in check_schedule(fixed, split).violations] == ["stop"]


@pytest.mark.parametrize(
    ("objective", "bound", "wrong"),
    [
        ([3, 6], [3, 6], []),
        ([2, 6], None, ["/objective/0"]),
        (None, [4, None], ["/bound/0"]),
        (None, [3, 7], ["/bound/1"]),
        (None, [2, 7], []),  # the second stage may be better where the first one is worse
        (None, [None, 7], []),
        ([3], None, ["/objective"]),
    ],
)
def test_wrong_claims_are_violations(problem_of, objective, bound, wrong):
    problem = problem_of(ROWS, objective="makespan,completion")
    verdict = check_schedule(problem, made(*GOOD), objective=objective, bound=bound)
    assert verdict.values == (3, 6)
    assert [v.where for v in verdict.violations] == wrong


def test_large_values_are_claimed_to_the_last_unit(problem_of):
    problem = problem_of(ROWS, objective="1000000*waste+completion")
    (value,) = check_schedule(problem, made(*GOOD)).values or ()
    assert value > 1e8
    assert check_schedule(problem, made(*GOOD), objective=[value], bound=[value]).feasible
    for claim in (value - 1, value + 1):
        assert not check_schedule(problem, made(*GOOD), objective=[claim]).feasible
    assert not check_schedule(problem, made(*GOOD), bound=[value + 1]).feasible
