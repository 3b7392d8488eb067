"""Pyomo models as arrays."""

import numpy as np
import pyomo.environ as pyo
import pytest

from rsjs.core.call import Limits
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.from_pyomo import from_pyomo
from rsjs.formulations.milp.matrix import ColumnKind


@pytest.fixture
def model():
    """Two continuous, one integer and one binary variable; optimum x = (2, 0), k = -1, b = 0."""
    model = pyo.ConcreteModel(name="sample")
    model.x = pyo.Var([0, 1], bounds=(0, 4))
    model.k = pyo.Var(within=pyo.Integers, bounds=(-1, None))
    model.b = pyo.Var(within=pyo.Binary)
    model.fixed = pyo.Var(initialize=2.0)
    model.fixed.fix()
    model.unused = pyo.Var()
    model.window = pyo.Constraint(expr=(3, model.x[0] + 2 * model.x[1] + model.fixed, 9))
    model.link = pyo.Constraint(expr=model.x[0] - model.k - model.b == 3)
    model.cost = pyo.Objective(
        expr=model.x[0] + 3 * model.x[1] + 2 * model.k - 0.5 * model.b + 5 * model.fixed + 1
    )
    return model


def by_name(columns, entries):
    return {variable.name: entry for variable, entry in zip(columns, entries, strict=True)}


def set_values(columns, x):
    for variable, value in zip(columns, x.tolist(), strict=True):
        variable.set_value(value, skip_validation=True)


def test_columns_carry_cost_bounds_and_kind(model):
    matrix, columns = from_pyomo(model)
    assert by_name(columns, matrix.cost) == {"x[0]": 1.0, "x[1]": 3.0, "k": 2.0, "b": -0.5}
    assert by_name(columns, matrix.lower) == {"x[0]": 0.0, "x[1]": 0.0, "k": -1.0, "b": 0.0}
    assert by_name(columns, matrix.upper) == {"x[0]": 4.0, "x[1]": 4.0, "k": np.inf, "b": 1.0}
    kinds = {"x[0]": ColumnKind.CONTINUOUS, "x[1]": ColumnKind.CONTINUOUS}
    assert by_name(columns, matrix.kind) == {
        **kinds,
        "k": ColumnKind.INTEGER,
        "b": ColumnKind.INTEGER,
    }


def test_fixed_variables_are_constants_and_unused_ones_no_columns(model):
    matrix, columns = from_pyomo(model)
    assert {"fixed", "unused"}.isdisjoint(variable.name for variable in columns)
    assert matrix.offset == 11.0


def test_a_range_becomes_two_rows_and_an_equality_one(model):
    matrix, _ = from_pyomo(model)
    rows = sorted(zip(matrix.row_lower.tolist(), matrix.row_upper.tolist(), strict=True))
    assert rows == [(-np.inf, 7.0), (1.0, np.inf), (3.0, 3.0)]
    assert (matrix.A.indices.dtype, matrix.A.indptr.dtype) == (np.int32, np.int32)


def test_the_matrix_has_the_costs_of_the_model(model):
    matrix, columns = from_pyomo(model)
    x = np.array([1.5, 0.25, 3.0, 1.0])[: len(columns)]
    set_values(columns, x)
    assert matrix.objective(x) == pytest.approx(pyo.value(model.cost))


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_a_solution_of_the_matrix_is_one_of_the_model(model, solver):
    matrix, columns = from_pyomo(model)
    result = backend(solver).load()(SolveTask(matrix, Limits(gap=0.0), seconds=60.0))
    set_values(columns, result.x)
    assert pyo.value(model.cost) == pytest.approx(result.objective)
    assert pyo.value(model.x[0]) == pytest.approx(2.0)
    assert pyo.value(model.k) == pytest.approx(-1.0)


@pytest.mark.parametrize("whole_container", [True, False])
def test_a_suffix_marks_implied_integers(model, whole_container):
    model.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    marked = model.x if whole_container else model.x[1]
    model.implied_integer.set_value(marked, True, expand=False)
    matrix, columns = from_pyomo(model)
    first = ColumnKind.IMPLIED_INTEGER if whole_container else ColumnKind.CONTINUOUS
    kinds = {
        "x[0]": first,
        "x[1]": ColumnKind.IMPLIED_INTEGER,
        "k": ColumnKind.INTEGER,
        "b": ColumnKind.INTEGER,
    }
    assert by_name(columns, matrix.kind) == kinds


def test_an_integer_stays_one_when_marked(model):
    model.implied_integer = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    model.implied_integer[model.k] = True
    matrix, columns = from_pyomo(model)
    assert by_name(columns, matrix.kind)["k"] == ColumnKind.INTEGER


def test_maximisation_is_refused(model):
    model.cost.sense = pyo.maximize
    with pytest.raises(ValueError, match="sample: cost is maximised, expected a minimisation"):
        from_pyomo(model)


def test_a_model_without_objective_is_refused(model):
    model.cost.deactivate()
    with pytest.raises(ValueError, match="sample: expected one active objective, found 0"):
        from_pyomo(model)
