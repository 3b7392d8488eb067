"""The methods for jobs on MIG instances by name."""

from dataclasses import replace
from random import Random

import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Report, Stop
from rsjs.formulations.mig.scheduling_bounds import makespan_bound
from rsjs.formulations.mig.scheduling_enumeration import best_values
from rsjs.heuristics.mig.scheduling_local_search import ITERATIONS
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit
from rsjs.instances.mig.scheduling.schedule import terms
from rsjs.rows import build
from rsjs.runs import verified_run
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.runs.kinds.mig_schedule import KIND

LIMITS = Limits(time_limit=600)  # a stop for hangs: each takes a second


def schedule(problem, method):
    """Run a method in this process."""
    asked = KIND.request(method)
    verified_run.refuse(problem, asked)
    call = Call(solver=asked.solver, rule=asked.rule, options=asked.options, limits=LIMITS)
    ready, report = KIND.prepared(asked, problem, call), Report(LIMITS.time_limit)
    found = asked.method.function()(problem, replace(call, ready=ready), report)
    return replace(found, seconds=report.seconds)


def _verified(problem, method, found, folder):
    asked = KIND.request(method)
    result = KIND.keep(problem, asked, found, Report(LIMITS.time_limit), folder)
    return KIND.verify(problem, method, {}, result, folder)


def _row(problem, method, found, folder):
    verified = _verified(problem, method, found, folder)
    found = verified_run.outcome(problem, KIND.request(method), verified)
    (row,) = build.rows([found], LIMITS)
    return row


def test_the_registry_knows_what_the_heuristics_offer():
    assert {*METHODS} > {*RULES}
    assert METHODS["local_search"].options["iterations"].default == ITERATIONS


@pytest.mark.slow
def test_the_gap_of_local_search_on_a_set_of_the_paper(section_4, tmp_path):
    problem = section_4(13, "A", "completion")
    result = schedule(problem, "local_search")
    assert _row(problem, "local_search", result, tmp_path)["objective"] == 1700
    assert result.bound[0] is not None
    assert 1697 <= result.bound[0] <= 1700


@pytest.mark.solver
@pytest.mark.parametrize("seed", [2, 101])
def test_cpsat_proves_the_makespan_from_fcfs(section_4, seed, tmp_path):
    problem = section_4(seed)
    assert terms(problem, best_fit(problem))["makespan"] > makespan_bound(problem)
    result = schedule(problem, "cpsat:fcfs")
    row = _row(problem, "cpsat:fcfs", result, tmp_path)
    assert (row["status"], row["stop"]) == ("ok", Stop.OPTIMAL)
    assert row["objective"] == makespan_bound(problem)
    assert result.counts["branches"] > 0


def test_a_solver_is_skipped_where_a_rule_meets_the_bound(section_4):
    result = schedule(section_4(2), "cpsat:bigrem")
    assert result.stop is Stop.OPTIMAL
    assert "solve" not in result.seconds


@pytest.mark.solver
@pytest.mark.parametrize("method", [*METHODS, "cpsat:fcfs", "milp@scip", "fcfs?poll=1"])
def test_every_method_solves_a_small_problem_and_is_checked(problem_of, method, tmp_path):
    problem = problem_of([(0, [500, 1500]), (0.5, [1500])], objective="completion")
    found = _row(problem, method, schedule(problem, method), tmp_path)
    assert (found["status"], found["objective"], found["goal"]) == ("ok", 5, "completion")
    assert found["bound"] <= 5


@pytest.mark.parametrize("objective", ["makespan", "completion", "late,migrations,waste"])
def test_enumeration_gives_the_schedule_of_its_values(tiny, objective, tmp_path):
    for seed in range(4):
        problem = tiny(Random(seed), "ABC"[seed % 3], objective)
        result = schedule(problem, "enumeration")
        found = _verified(problem, "enumeration", result, tmp_path)
        row = _row(problem, "enumeration", result, tmp_path)
        assert found.verdict is not None
        assert found.verdict.feasible
        assert found.result.stop is Stop.OPTIMAL
        assert found.figures["stage_values"] == pytest.approx(best_values(problem))
        assert row["own_gap"] == 0


def test_a_false_bound_makes_a_row_wrong(problem_of, tmp_path):
    problem = problem_of([(0, [500])])
    result = replace(schedule(problem, "fcfs"), bound=(2.0,))
    assert _row(problem, "fcfs", result, tmp_path)["status"] == "wrong"


def test_the_gap_of_several_stages_is_that_of_the_first_open_one(problem_of, tmp_path):
    problem = problem_of([(0, [500]), (0, [500])], units=(1000,), objective="late,completion")
    result = replace(schedule(problem, "fcfs"), bound=(0.0, 2.0))
    row = _row(problem, "fcfs", result, tmp_path)
    assert (row["objective"], row["bound"]) == (0, 0)
    assert (row["stages"], row["stage_bounds"]) == ("[0, 3]", "[0.0, 2.0]")
    assert row["own_gap"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("best", "found method 'best', expected e.g. "),
        ("fcfs:x", "found 'fcfs with rule x', expected no rule for fcfs"),
        ("cpsat:best", "found rule of cpsat 'best', expected e.g. "),
        ("cpsat@scip", "found 'cpsat with solver scip', expected no solver for cpsat"),
        ("milp@cbc", "found solver of milp 'cbc', expected e.g. highs"),
        ("cpsat?poll=5", "found 'cpsat with option poll', expected no option for cpsat"),
        ("fcfs?poll=0", "found 'poll=0', expected poll >= 1"),
        ("greedy", "found method 'greedy', expected e.g. "),
        ("enumeration", "enumeration serves up to 5 jobs, not 6"),
    ],
)
def test_unknown_methods_and_sizes_are_refused_as_by_all_methods(problem_of, method, told):
    with pytest.raises(InputError) as error:
        schedule(problem_of([(0, [1])] * 6), method)
    assert told in str(error.value)


def test_a_method_whose_solver_is_missing_is_refused_with_the_command(problem_of, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    with pytest.raises(InputError, match="solver cpsat is not installed: pip install"):
        schedule(problem_of([(0, [1])]), "cpsat")
