"""Bounds on the paper's sets, and the methods by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rsjs.experiments.mig_schedule_rows import row, verdict_of
from rsjs.experiments.mig_scheduling import METHODS, schedule
from rsjs.formulations.mig_schedule_assignment import assignment_bound
from rsjs.formulations.mig_schedule_bounds import makespan_bound
from rsjs.formulations.mig_schedule_lagrangian import lagrangian_bound
from rsjs.heuristics.mig_rules import best_fit
from rsjs.instances.errors import InputError
from rsjs.instances.method import Limits
from rsjs.instances.mig.schedule import terms
from rsjs.instances.mig.scheduling import SchedulingProblem
from rsjs.instances.solution import Stop

Build = Callable[..., SchedulingProblem]
LIMITS = Limits(time_limit=60)


def test_heads_and_tails_of_big_steps_raise_the_makespan_bound(problem_of: Build) -> None:
    big = [1, 1500, 1]
    assert makespan_bound(problem_of([(0, big), (0, big), (0, big)])) == 5
    assert makespan_bound(problem_of([(0, [1])] * 7)) == 3
    assert makespan_bound(problem_of([(0, [1]), (4, [1, 1])])) == 6


def test_a_job_that_may_not_move_counts_as_big_throughout(problem_of: Build) -> None:
    rows = [(0, [1, 1500, 1])] * 2
    assert (makespan_bound(problem_of(rows, "A")), makespan_bound(problem_of(rows, "B"))) == (4, 6)


def test_the_makespan_bound_is_the_optimum_of_the_papers_sets(section_4: Build) -> None:
    found = [makespan_bound(section_4(seed)) for seed in (2, 3, 5, 7)]
    assert found == [106, 121, 170, 106]


def test_the_assignment_bound_by_hand(problem_of: Build) -> None:
    rows = [(0.5, [1500]), (0.5, [5, 5]), (1, [1500, 1500, 1500])]
    problem = problem_of(rows, "C", units=(2000, 1000))
    assert assignment_bound(problem) == 3 + (1 + 4) + 2
    with pytest.raises(InputError, match="/jobs/0: found a job that may stop, expected reading C"):
        assignment_bound(problem_of(rows, "B"))


def test_the_lagrangian_bound_closes_where_the_relaxation_is_exact(problem_of: Build) -> None:
    problem = problem_of([(0, [1500] * n) for n in (3, 1, 2)], objective="completion")
    value = lagrangian_bound(problem, {"completion": 1}, target=10, horizon=6)
    assert 9 < value <= 10


def test_the_lagrangian_bound_counts_late_jobs_and_preemptions(problem_of: Build) -> None:
    rows = [(0, [1500] * 2)] * 3
    late = problem_of(rows, deadline=[3, 3, 3])
    assert 0 < lagrangian_bound(late, {"late": 1}, target=2, horizon=6) <= 2
    stopping = problem_of([(0, [1500] * 4), (1, [1500])], deadline=[5, 2])
    weights = {"late": 10, "preemptions": 1}
    assert 0 < lagrangian_bound(stopping, weights, target=1, horizon=5) <= 1


def test_the_gap_of_local_search_on_a_set_of_the_paper(section_4: Build) -> None:
    problem = section_4(13, "A", "completion")
    result = schedule(problem, "local_search", LIMITS)
    verdict = verdict_of(problem, result)
    assert verdict is not None
    assert verdict.values == (1700,)
    assert result.bound[0] is not None
    assert 1697 <= result.bound[0] <= 1700


@pytest.mark.parametrize("seed", [2, 101, 127])
def test_cpsat_proves_the_makespan_from_fcfs(section_4: Build, seed: int) -> None:
    problem = section_4(seed)
    assert terms(problem, best_fit(problem))["makespan"] > makespan_bound(problem)
    result = schedule(problem, "cpsat:fcfs", LIMITS)
    verdict = verdict_of(problem, result)
    assert verdict is not None
    assert verdict.feasible
    assert (result.stop, verdict.values) == (Stop.OPTIMAL, (makespan_bound(problem),))
    assert result.counts["branches"] > 0


def test_a_solver_is_skipped_where_a_rule_meets_the_bound(section_4: Build) -> None:
    result = schedule(section_4(2), "cpsat:bigrem", LIMITS)
    assert result.stop is Stop.OPTIMAL
    assert "solve" not in result.seconds


@pytest.mark.parametrize("method", [*METHODS, "cpsat:fcfs", "milp@scip"])
def test_every_method_solves_a_small_problem_and_is_checked(problem_of: Build, method: str) -> None:
    problem = problem_of([(0, [500, 1500]), (0.5, [1500])], objective="completion")
    result = schedule(problem, method, LIMITS)
    found = row(problem, method, result, verdict_of(problem, result))
    assert (found["status"], found["objective"], found["goal"]) == ("ok", 5, "completion")
    assert found["bound"] <= 5


def test_a_false_bound_makes_a_row_wrong(problem_of: Build) -> None:
    from dataclasses import replace

    problem = problem_of([(0, [500])])
    result = replace(schedule(problem, "fcfs", LIMITS), bound=(2.0,))
    assert row(problem, "fcfs", result, verdict_of(problem, result))["status"] == "wrong"


@pytest.mark.parametrize(
    "method", ["best", "fcfs:x", "cpsat:", "cpsat:best", "milp@", "cpsat@scip"]
)
def test_unknown_methods_are_refused_with_the_known_ones(problem_of: Build, method: str) -> None:
    with pytest.raises(InputError, match=r"--method: found .*, expected fcfs, srpt"):
        schedule(problem_of([(0, [1])]), method, LIMITS)


def test_only_rules_poll_the_queue(problem_of: Build) -> None:
    with pytest.raises(InputError, match="--poll: found 5, expected 1 for cpsat"):
        schedule(problem_of([(0, [1])]), "cpsat", LIMITS, poll=5)
