"""Best-fit rules: orders by hand, and the figures of the paper's experiment."""

import numpy as np
import pytest

from rsjs.heuristics.mig.kernels import simulate, tables
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit, ranks
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.problem import READINGS
from rsjs.instances.mig.scheduling.schedule import terms

SEEDS = [2, 3, 5, 7]


@pytest.mark.parametrize(
    ("rule", "jobs"),
    [
        ("fcfs", [0, 1, 2, 3]),
        ("srpt", [1, 3, 0, 2]),
        ("lrpt", [2, 0, 1, 3]),
        ("bigrem", [2, 1, 0, 3]),
        ("ramdec", [1, 3, 0, 2]),
        ("edd", [3, 1, 0, 2]),
        ("bigfirst_srpt", [1, 3, 0, 2]),
        ("bigfirst_lrpt", [1, 2, 0, 3]),
        ("bigfirst_srbig", [1, 3, 0, 2]),
    ],
)
def test_each_rule_orders_the_first_steps_as_its_key_says(problem_of, rule, jobs):
    memory = [[500, 1], [1500], [400, 1200, 1200], [600]]
    problem = problem_of([(0, row) for row in memory], deadline=[9, 7, np.inf, 5])
    assert np.argsort(ranks(problem, rule)[problem.jobs.start[:-1]]).tolist() == jobs


def test_an_unknown_rule_is_answered_with_the_known_ones(problem_of):
    with pytest.raises(ValueError, match="unknown rule 'best' of best fit; known: fcfs, srpt"):
        best_fit(problem_of([(0, [1])]), "best")


def test_a_job_takes_the_smallest_free_unit_that_holds_its_step(problem_of):
    problem = problem_of([(0, [900, 1600]), (0, [500]), (0, [100])], units=(2000, 500, 1000))
    found = best_fit(problem)
    assert (found.minute.tolist(), found.unit.tolist()) == ([0, 1, 0, 0], [2, 0, 1, 0])


def test_readings_differ_in_what_interrupts_a_job(problem_of):
    rows = [(0, [1500, 100, 1500]), (1, [1500])]
    found = {r: best_fit(problem_of(rows, r), "bigfirst_srpt") for r in READINGS}
    assert found["A"].minute.tolist() == [0, 1, 2, 1]
    assert found["A"].unit.tolist()[1] == 1
    assert found["B"].minute.tolist() == [0, 2, 3, 1]
    assert found["C"].minute.tolist() == [0, 1, 2, 3]


def test_a_job_keeps_its_unit_among_those_of_a_size(problem_of):
    problem = problem_of([(0, [5, 5]), (0, [5, 5, 5, 5])], units=(1000, 1000))
    assert best_fit(problem, "lrpt").unit.tolist() == [1, 1, 0, 0, 0, 0]
    alone = problem_of([(0, [5]), (0, [5, 5])], units=(1000, 1000))
    assert best_fit(alone).unit.tolist() == [0, 1, 1]  # the first one is free again


@pytest.mark.parametrize(("stay", "units"), [(False, [2, 0]), (True, [2, 2])])
def test_a_job_may_prefer_its_unit_to_a_smaller_one(problem_of, stay, units):
    problem = problem_of([(0, [1500, 5])])
    minute, unit = np.empty((2, 2), dtype=np.int64)
    simulate(tables(problem), np.arange(2), stay, minute, unit)
    assert (minute.tolist(), unit.tolist()) == ([0, 1], units)  # of units in order of memory


def test_of_jobs_with_one_deadline_the_shortest_comes_first(problem_of):
    problem = problem_of([(0, [5, 5]), (0, [5]), (0, [5, 5])], deadline=[9, 9.5, 8], units=(10,))
    assert best_fit(problem, "edd").minute.tolist() == [3, 4, 2, 0, 1]


def test_the_consumer_sees_jobs_when_it_polls_the_queue(problem_of):
    problem = problem_of([(0, [5]), (0.5, [5]), (3, [5])])
    assert best_fit(problem, poll=3).minute.tolist() == [0, 3, 3]


def test_a_long_wait_for_the_next_job_costs_nothing(problem_of):
    assert best_fit(problem_of([(0, [5]), (1e6, [5])])).minute.tolist() == [0, 1_000_000]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reading", READINGS)
def test_rules_break_no_constraint_on_the_papers_sets(section_4, reading, rule):
    for seed in SEEDS:
        problem = section_4(seed, reading)
        assert check_schedule(problem, best_fit(problem, rule, poll=seed)).feasible


def test_the_makespan_of_fcfs_and_bigrem_on_the_papers_sets(section_4):
    found = [
        [terms(problem, best_fit(problem, rule))["makespan"] for rule in ("fcfs", "bigrem")]
        for problem in map(section_4, SEEDS)
    ]
    assert found == [[112, 106], [124, 121], [170, 170], [106, 106]]
