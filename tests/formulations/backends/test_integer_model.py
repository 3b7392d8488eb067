"""Matrix models on integers, and what CP-SAT's bounds are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.integer_model import OBJECTIVE_LIMIT, integer_model
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.matrix import ColumnKind
from tests.formulations.agreement import model_of as plain_model


def model_of(A, cost, *args, **kwargs):
    return plain_model(A, cost, *args, **kwargs, offset=-3.25)


def solved(name, model, gap=0.0):
    return backend(name).load()(SolveTask(model, Limits(gap=gap), seconds=300.0))


def fractional_model(seed):
    """Costs of many magnitudes, negative bounds, decimal rows."""
    rng = np.random.default_rng(seed)
    lower = rng.integers(-5, 3, 12)
    upper = lower + rng.integers(0, 7, 12)
    A = np.round(rng.normal(0, 2, (7, 12)), int(rng.integers(0, 4)))
    activity = A @ rng.integers(lower, upper + 1)
    cost = rng.normal(size=12) * 10.0 ** rng.integers(-6, 6)
    return model_of(A, cost, lower, upper, activity - rng.random(7), activity + rng.random(7))


@pytest.mark.solver
@pytest.mark.parametrize("seed", range(12))
def test_cpsat_bounds_are_valid_where_costs_are_fractional(seed):
    model = fractional_model(seed)
    truth, ours = solved("highs", model), solved("cpsat", model)
    near = 1e-6 * max(1.0, abs(truth.objective))
    assert truth.status == ours.status.capitalize() == "Optimal"
    assert ours.objective == pytest.approx(truth.objective, abs=near)
    assert ours.bound <= truth.objective + near
    assert ours.bound == pytest.approx(truth.objective, abs=near)


@given(
    cost=arrays(float, 4, elements=st.floats(-1e9, 1e9, allow_subnormal=False)),
    lower=arrays(np.int64, 4, elements=st.integers(-50, 50)),
    y=arrays(np.int64, 4, elements=st.integers(0, 9)),
)
def test_the_integer_objective_never_exceeds_the_true_one(cost, lower, y):
    model = model_of(np.ones((1, 4)), cost, lower, lower + 9)
    integers = integer_model(model, "cp-sat")
    x = integers.true_vector(y.tolist())
    rounding = 1e-12 * (np.abs(cost) @ np.abs(x) + np.abs(cost) @ np.abs(lower) + 1.0)
    assert integers.true_bound(float(integers.cost @ y)) <= model.objective(x) + rounding
    assert float(np.abs(integers.cost) @ integers.span) <= 1.01 * OBJECTIVE_LIMIT


def test_decimal_costs_lose_nothing():
    integers = integer_model(model_of([[1, 1, 1]], [0.29, -1.1, 3.0]), "cp-sat")
    assert (integers.scale, integers.cost.tolist()) == (100.0, [29, -110, 300])


def test_a_finished_search_with_floored_costs_has_not_reached_the_gap():
    # one third is no decimal, and the fixed size of the other cost leaves it few digits
    result = solved("cpsat", model_of([[1, 1]], [1e11 + 0.25, 1 / 3], row_lower=1))
    assert (result.status, result.stop) == ("OPTIMAL", Stop.ITERATIONS)
    assert result.objective == 1 / 3 - 3.25
    assert result.bound < result.objective


def test_rows_are_scaled_by_the_least_power_of_ten():
    model = model_of([[2, 3], [0.5, 1.25]], [1, 1], row_lower=[1, 0.3], row_upper=[4.9, np.inf])
    integers = integer_model(model, "cp-sat")
    assert integers.coefficient.tolist() == [2, 3, 50, 125]
    assert (integers.row_lower.tolist(), integers.row_upper[0]) == ([1, 30], 4)


def test_columns_are_shifted_to_zero():
    integers = integer_model(model_of([[2, 1]], [1, 1], [-3, 0.5], [4, 2], 0, 5), "cp-sat")
    assert (integers.shift.tolist(), integers.span.tolist()) == ([-3, 1], [7, 1])
    assert (integers.row_lower[0], integers.row_upper[0]) == (5, 10)
    assert integers.offset == -5.25


@pytest.mark.parametrize(
    "model",
    [
        model_of([[1]], [1], 0.2, 0.8),  # no integer in the column
        model_of([[2]], [1], row_lower=0.5, row_upper=1.5 - 1e-3),  # one in the row, none fits
        model_of([[2, 2]], [1, 1], row_lower=0.4, row_upper=0.6),  # no integer in the row
    ],
)
def test_no_integer_between_the_bounds_is_infeasible(model):
    assert solved("cpsat", model).stop is Stop.INFEASIBLE


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            model_of([[1, 1]], [1, 1], kind=[ColumnKind.INTEGER, ColumnKind.CONTINUOUS]),
            "cp-sat takes integer columns only; column 1 is continuous",
        ),
        (
            model_of([[1, 1]], [1, 1], 0, [np.inf, 1]),
            r"cp-sat takes bounded columns only; column 0 is in \[0, inf\]",
        ),
        (model_of([[1, 1], [1, 1 / 3]], [1, 1]), "cp-sat takes integer rows only; row 1 has 0.333"),
        (model_of([[1e13, 1]], [1, 1]), r"cp-sat takes integer rows only; row 0 has 1e\+13"),
        (
            model_of([[1e12, 1]], [1, 1], 0, 1e9),
            r"cp-sat takes rows up to 2\*\*60 only; row 0 can exceed that",
        ),
    ],
)
def test_what_cpsat_cannot_take_is_told_in_one_line(model, message):
    with pytest.raises(ValueError, match=message):
        solved("cpsat", model)


def test_implied_integers_are_integers_to_cpsat_and_continuous_to_others():
    model = model_of([[2, 2]], [-1, -1], row_upper=3, kind=ColumnKind.IMPLIED_INTEGER)
    assert solved("cpsat", model).objective == -4.25
    assert solved("highs", model).objective == -4.75
    assert solved("scip", model).objective == -4.75


def test_cpsat_ends_at_the_true_gap_limit():
    rng = np.random.default_rng(0)
    A = rng.random((30, 60)) < 0.2
    result = solved("cpsat", model_of(A, rng.uniform(1, 3, 60), row_lower=1.0), gap=0.5)
    assert (result.status, result.stop) == ("FEASIBLE", Stop.GAP)
    assert result.objective - result.bound <= 0.5 * max(abs(result.objective), abs(result.bound))
