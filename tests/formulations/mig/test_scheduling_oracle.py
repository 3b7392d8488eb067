"""Every method against the enumeration of tiny problems, for every reading and objective."""

from random import Random

import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.formulations.mig import scheduling_cpsat, scheduling_milp
from rsjs.formulations.mig.scheduling_bounds import quick_bounds, stage_bounds, term_bounds
from rsjs.formulations.mig.scheduling_enumeration import best_values
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import READINGS
from rsjs.instances.mig.scheduling.schedule import terms

OBJECTIVES = [*TERMS, "lexicographic", "completion+5*preemptions+5*migrations", "migrations,waste"]
LIMITS = Limits(time_limit=600, gap=0.0)  # a stop for hangs: each takes milliseconds
SOLVERS = ["cpsat", "highs", "scip"]


@pytest.mark.solver
@pytest.mark.parametrize(
    ("objective", "reading", "solver"), [*AllPairs([OBJECTIVES, READINGS, SOLVERS])]
)
def test_cpsat_and_both_mip_solvers_find_what_enumeration_finds(tiny, reading, objective, solver):
    for seed in range(2):
        problem = tiny(Random(f"{objective} {reading} {seed}"), reading, objective)
        start, best = best_fit(problem), best_values(problem)
        if solver == "cpsat":
            result = scheduling_cpsat.solve(problem, start, [None] * len(best), LIMITS)
        else:
            result = scheduling_milp.solve(problem, start, LIMITS, solver)
        assert result.schedule is not None
        verdict = check_schedule(problem, result.schedule, bound=result.bound)
        assert verdict.feasible, verdict.violations
        assert verdict.values == pytest.approx(best)
        assert result.bound == pytest.approx(best)
        assert result.stop is Stop.OPTIMAL


@given(
    rng=st.randoms(use_true_random=False),
    reading=st.sampled_from(READINGS),
    objective=st.sampled_from(OBJECTIVES),
)
def test_every_bound_is_below_every_schedule(tiny, rng, reading, objective):
    problem = tiny(rng, reading, objective)
    found = [best_fit(problem, rule, poll) for rule in RULES for poll in (1, 3)]
    found.append(local_search(problem, found[:1], iterations=50, seed=1)[0])
    best = best_values(problem)
    lowest = term_bounds(problem)
    bounds = [quick_bounds(problem), stage_bounds(problem, found[-1], iterations=60)]
    for schedule in found:
        priced = terms(problem, schedule)
        assert all(lowest[term] <= priced[term] for term in TERMS)
        values = check_schedule(problem, schedule).values
        assert values is not None
        assert values >= tuple(value - 1e-9 for value in best)
        for bound in bounds:
            assert bound[0] <= best[0] + 1e-9
            assert all(low <= value + 1e-9 for low, value in zip(bound, values, strict=True))


def test_a_problem_too_large_to_enumerate_or_for_the_program_is_refused(section_4):
    problem = section_4(2)
    with pytest.raises(InputError, match="found 50 jobs, 260 steps, expected at most 5 jobs"):
        best_values(problem)
    with pytest.raises(InputError, match="found 260 steps, 3 units, 112 minutes"):
        scheduling_milp.solve(problem, best_fit(problem), LIMITS)
