"""Local search: what it compares is what the checker says, and it never gets worse."""

from random import Random

import numpy as np
import pytest

from rsjs.heuristics.mig.kernels import JobOrder, price, schedule, tables
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.schedule import Schedule, terms

EVERY = "+".join(f"{10 ** (i % 3)}*{term}" for i, term in enumerate(TERMS))


@pytest.mark.parametrize("objective", [*TERMS, EVERY, "lexicographic"])
def test_the_value_of_an_order_is_that_of_its_schedule(tiny, objective):
    for seed in range(8):
        rng = Random(seed)
        problem = tiny(rng, rng.choice("ABC"), objective)
        p, jobs = tables(problem), np.arange(len(problem.jobs))
        rng.shuffle(jobs)
        order = JobOrder(jobs, np.array([rng.random() < 0.5]), np.empty(len(p.weights)))
        rank, minute, unit = np.empty((3, problem.steps), dtype=np.int64)
        price(p, order, rank, minute, unit, np.empty(len(TERMS)))
        verdict = check_schedule(problem, schedule(problem, minute, unit))
        assert verdict.values == pytest.approx(order.value)


def test_a_start_that_no_order_makes_is_kept_if_it_is_better(problem_of):
    problem = problem_of([(0, [5, 5]), (0, [5])], "B", "waste", units=(9, 7))
    waiting = Schedule(minute=np.array([0, 1, 2]), unit=np.array([1, 1, 1]))
    found, _ = local_search(problem, [best_fit(problem), waiting], iterations=200)
    assert check_schedule(problem, found).values == (6,)
    assert check_schedule(problem, best_fit(problem)).values == (8,)


@pytest.mark.parametrize(
    "objective", ["completion", "late,makespan", "completion+5*preemptions+5*migrations"]
)
def test_local_search_is_no_worse_than_its_starts_and_reproducible(section_4, objective):
    problem = section_4(2, "A", objective)
    starts = [best_fit(problem, rule) for rule in ("fcfs", "srpt")]
    found = [local_search(problem, starts, iterations=1000, seed=7)[0] for _ in range(2)]
    assert np.array_equal(found[0].minute, found[1].minute)
    verdict = check_schedule(problem, found[0])
    assert verdict.feasible
    values = [problem.objective.values(terms(problem, start)) for start in starts]
    assert verdict.values is not None
    assert verdict.values < min(values)


def test_local_search_stops_when_told(section_4):
    problem = section_4(2, "A", "completion")
    found, iterations = local_search(problem, [best_fit(problem)], stop=lambda: True)
    assert iterations == 0
    assert check_schedule(problem, found).feasible
