"""What counts as proven, and what a solver's answer may replace."""

from types import SimpleNamespace

import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import RawResult
from rsjs.formulations.backends.cpsat import ORTOOLS
from rsjs.formulations.mig import scheduling_cpsat, scheduling_milp
from rsjs.formulations.mig import scheduling_milp as mig_schedule_milp_stages
from rsjs.formulations.mig.scheduling_cpsat import ScheduleModel, fitted_units
from rsjs.formulations.mig.scheduling_enumeration import best_values
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.instances.mig.scheduling.schedule import best_of, met

LIMITS = Limits(time_limit=600, gap=0.0)  # a stop for hangs: each takes milliseconds
pytestmark = pytest.mark.solver


@pytest.mark.parametrize("value", [7.0, 4e6, 3e9, 9e13])
def test_a_bound_proves_a_value_to_the_last_unit(value):
    assert met(value, value)
    assert not met(value, value - 1)
    assert not met(value, None)
    assert met(value + 0.7, float(np.nextafter(value + 0.7, 0)))  # memory that is no integer


def test_what_a_solver_finds_replaces_the_start_only_if_it_is_better(problem_of, monkeypatch):
    problem = problem_of([(0, [5, 5]), (0, [5])], objective="late,completion", units=(10,))
    start, worse = best_fit(problem, "srpt"), best_fit(problem, "lrpt")
    assert best_of(problem, worse, start) is start
    assert best_of(problem, start, worse) is start
    monkeypatch.setattr(scheduling_milp, "extract", lambda *given: worse)
    assert mig_schedule_milp_stages.solve(problem, start, LIMITS).schedule is start
    assert ORTOOLS.call(
        "tests.formulations.mig.test_scheduling_proofs:start_is_kept",
        {"problem": problem, "start": start, "worse": worse},
    )


def start_is_kept(problem, start, worse):
    """Whether CP-SAT returns the start if all it finds is worse."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScheduleModel, "schedule", lambda *given: worse)
        found = scheduling_cpsat.solve_here(problem, start, [None, None], LIMITS)
    return found.schedule is start


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_a_program_of_large_values_has_a_bound_that_is_one(problem_of, solver):
    rows = [(0, [1, 10**9]), (0, [10**9, 3.5]), (0, [5, 6])]
    problem = problem_of(rows, objective="waste", units=(10**9, 10**9 - 1))
    found = mig_schedule_milp_stages.solve(problem, best_fit(problem), LIMITS, solver)
    (bound,), (optimum,) = found.bound, best_values(problem)
    assert bound is not None
    assert bound <= optimum
    assert found.stop is (Stop.OPTIMAL if met(optimum, bound) else Stop.GAP)


@pytest.mark.parametrize(
    ("theirs", "ours"), [(Stop.OPTIMAL, Stop.GAP), (Stop.MEMORY_LIMIT, Stop.MEMORY_LIMIT)]
)
def test_a_program_that_is_not_proven_says_why_it_stopped(problem_of, monkeypatch, theirs, ours):
    answer = RawResult(stop=theirs, status="", bound=1.0)
    known = SimpleNamespace(load=lambda: lambda *given, **options: answer)
    monkeypatch.setattr(mig_schedule_milp_stages, "backend", lambda name: known)
    problem = problem_of([(0, [5, 5])], objective="completion,late")
    found = mig_schedule_milp_stages.solve(problem, best_fit(problem), LIMITS)
    assert (found.stop, found.bound) == (ours, (1, None))


@pytest.mark.parametrize("units", [(10,), (10, 10), (10, 10, 10)])
def test_one_step_more_than_there_are_units_takes_a_minute_more(problem_of, units):
    problem = problem_of([(0, [5])] * (len(units) + 1), units=units)
    found = scheduling_cpsat.solve(problem, best_fit(problem), [None], LIMITS)
    assert (found.stop, found.bound) == (Stop.OPTIMAL, (2,))


def test_steps_without_units_stay_on_theirs_where_they_can(problem_of):
    problem = problem_of([(0, [5]), (0, [5, 5, 800])], units=(1000, 500, 500))
    assert fitted_units(problem, np.array([0, 0, 1, 2])).tolist() == [1, 2, 2, 0]
