"""Solvers are given costs they can tell apart, and their claims are weighed."""

import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import EPSILON, RawResult, scale_of, scaled
from tests.formulations.agreement import Asked, model_of


def knapsack(cost, offset=0.0):
    """Two of three columns at most."""
    return model_of(np.ones((1, 3)), cost, row_upper=2.0, offset=offset)


def ask(solve, model, gap=0.0):
    asked = Asked(solve, model, Limits(gap=gap))
    return asked.result, asked.bounds


@pytest.mark.parametrize(
    ("largest", "factor"), [(0.0, 1.0), (1.0, 1.0), (3e9, 1.0), (0.75, 2.0), (2.0**-20, 2.0**20)]
)
def test_costs_are_brought_to_one_by_a_power_of_two(largest, factor):
    assert scale_of(np.array([-largest, largest / 2])) == factor


@pytest.mark.solver
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
@pytest.mark.parametrize("size", [1.0, 1e-12])
def test_the_optimum_is_found_whatever_the_size_of_the_costs(solver, size):
    raw, bounds = ask(solver, knapsack([-3 * size, -2 * size, -2.5 * size]))
    assert raw.stop is Stop.OPTIMAL
    np.testing.assert_allclose(raw.x, [1, 0, 1], atol=1e-6)
    assert raw.objective == pytest.approx(-5.5 * size)
    assert raw.bound == pytest.approx(-5.5 * size)
    assert all(bound <= -5.5 * size * (1 - 1e-9) for bound in bounds)


def claims(**said):
    """A solver that says so."""
    answer = RawResult(stop=Stop.GAP, status="so it says", x=np.array([1.0, 0, 0]), **said)
    return scaled(lambda *_args, **_more: answer)


def test_a_bound_loses_what_the_constant_in_the_objective_hides():
    raw, _ = ask(claims(bound=-3.0), knapsack([-3, -2, -2], offset=1e12))
    assert raw.bound == pytest.approx(-3.0 - EPSILON * 1e12)


@pytest.mark.parametrize(("bound", "stop"), [(-3.02, Stop.GAP), (-3.5, Stop.ITERATIONS)])
def test_the_gap_is_reached_only_where_it_is(bound, stop):
    raw, _ = ask(claims(bound=bound), knapsack([-3, -2, -2]), gap=0.01)
    assert raw.stop is stop
    assert raw.objective == -3.0


def test_other_claims_are_left_alone():
    answer = RawResult(stop=Stop.INFEASIBLE, status="infeasible")
    raw, _ = ask(scaled(lambda *_args, **_more: answer), knapsack([-3, -2, -2]))
    assert (raw.stop, raw.objective, raw.bound) == (Stop.INFEASIBLE, None, None)
