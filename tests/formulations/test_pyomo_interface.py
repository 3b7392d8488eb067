"""Solving through Pyomo's own interfaces."""

import logging

import numpy as np
import pyomo.environ as pyo
import pytest

from rsjs.formulations import pyomo_interface
from rsjs.formulations.backends.registry import BACKENDS, backend
from rsjs.formulations.standard_form import from_pyomo
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop

pytestmark = pytest.mark.solver
EXACT = Limits(gap=0.0)
TRIED = [name for name in sorted(BACKENDS) if BACKENDS[name].tried]


@pytest.fixture(params=[name for name in TRIED if BACKENDS[name].pyomo_interface])
def solver(request):
    return backend(request.param)


def knapsack(items=12, domain=pyo.Binary, seed=0):
    rng = np.random.default_rng(seed)
    value, weight = rng.uniform(1, 5, items), rng.integers(1, 9, items)
    model = pyo.ConcreteModel(name="knapsack")
    model.x = pyo.Var(range(items), within=domain, bounds=(0, 1))
    model.room = pyo.Constraint(
        expr=sum(int(weight[i]) * model.x[i] for i in range(items)) <= int(weight.sum() // 2)
    )
    model.cost = pyo.Objective(expr=7.5 - sum(float(value[i]) * model.x[i] for i in range(items)))
    return model


def market_split():
    """Equations that solvers find no vector for in seconds, and a vector."""
    rng = np.random.default_rng(0)
    A, x = rng.integers(0, 100, (4, 40)), rng.integers(0, 2, 40)
    model = pyo.ConcreteModel(name="split")
    model.x = pyo.Var(range(40), within=pyo.Binary)
    model.rows = pyo.ConstraintList()
    for row in A:
        model.rows.add(sum(int(row[i]) * model.x[i] for i in range(40)) == int(row @ x))
    model.cost = pyo.Objective(expr=sum(model.x[i] for i in range(40)))
    return model, x


@pytest.mark.parametrize("domain", [pyo.Binary, pyo.Reals])
def test_both_routes_agree(solver, domain):
    model = knapsack(domain=domain)
    result = pyomo_interface.solve(model, solver, EXACT, seconds=300.0)
    native = solver.load()(from_pyomo(model)[0], EXACT, seconds=300.0)
    assert result.stop in (Stop.OPTIMAL, Stop.GAP)  # SCIP is given the objective as a row
    assert result.objective == pytest.approx(native.objective, abs=1e-5)
    assert result.bound == pytest.approx(native.bound, abs=1e-5)
    assert pyo.value(model.cost) == result.objective


def test_options_are_those_of_the_array_route(solver):
    limits = Limits(gap=0.01, threads=1, seed=5)
    result = pyomo_interface.solve(knapsack(), solver, limits, seconds=300.0)
    expected = solver.options(limits)
    clock = {"time_limit", "limits/time"}
    assert set(result.options) == set(expected)
    assert all(result.options[key] == expected[key] for key in set(expected) - clock)
    assert all(result.options[key] <= 300.0 for key in clock & set(expected))


def test_an_infeasible_model_has_neither_objective_nor_bound(solver):
    model = knapsack()
    model.impossible = pyo.Constraint(expr=model.x[0] + model.x[1] >= 3)
    result = pyomo_interface.solve(model, solver, EXACT, seconds=300.0)
    assert result.stop is Stop.INFEASIBLE
    assert (result.objective, result.bound) == (None, None)


def test_no_bound_is_invented_when_time_runs_out(solver):
    result = pyomo_interface.solve(market_split()[0], solver, EXACT, seconds=0.3)
    assert (result.stop, result.objective) == (Stop.TIME_LIMIT, None)
    assert result.bound is None or 0.0 <= result.bound <= 40.0
    result = pyomo_interface.solve(market_split()[0], solver, EXACT, seconds=0.0)
    assert (result.stop, result.objective, result.bound) == (Stop.TIME_LIMIT, None, None)


def test_scip_keeps_a_start_where_nothing_else_is_found():
    model, x = market_split()
    for i, variable in model.x.items():
        variable.value = int(x[i])
    limits = Limits(gap=1.0)  # is met as soon as there is a vector
    result = pyomo_interface.solve(model, backend("scip"), limits, seconds=300.0, warm_start=True)
    assert result.objective == x.sum()


def test_a_start_with_a_missing_value_is_refused():
    with pytest.raises(ValueError, match=r"warm start: x\[0\] has no value"):
        pyomo_interface.solve(knapsack(), backend("scip"), EXACT, seconds=300.0, warm_start=True)


def test_highs_says_that_it_takes_no_start(caplog):
    with caplog.at_level(logging.WARNING):
        pyomo_interface.solve(knapsack(), backend("highs"), EXACT, seconds=300.0, warm_start=True)
    assert "highs takes no start through pyomo" in caplog.text


def products():
    model = pyo.ConcreteModel(name="products")
    model.x = pyo.Var([0, 1], within=pyo.Integers, bounds=(0, 3))
    model.area = pyo.Constraint(expr=model.x[0] * model.x[1] >= 3)
    model.cost = pyo.Objective(expr=2 * model.x[0] + model.x[1])
    return model


def test_scip_solves_products_of_variables():
    model = products()
    result = pyomo_interface.solve(model, backend("scip"), EXACT, seconds=300.0)
    assert result.objective == pytest.approx(5.0)
    assert [round(model.x[i].value) for i in (0, 1)] == [1, 3]


def test_highs_refuses_products_of_variables():
    with pytest.raises(ValueError, match="highs cannot solve products: "):
        pyomo_interface.solve(products(), backend("highs"), EXACT, seconds=300.0)


def test_pyomo_has_no_interface_to_cpsat():
    with pytest.raises(ValueError, match="pyomo has no interface to cpsat"):
        pyomo_interface.solve(knapsack(), backend("cpsat"), EXACT, seconds=300.0)


def test_maximisation_is_refused(solver):
    model = knapsack()
    model.cost.sense = pyo.maximize
    with pytest.raises(ValueError, match="knapsack: cost is maximised"):
        pyomo_interface.solve(model, solver, EXACT, seconds=300.0)


def test_highs_through_pyomo_and_from_arrays_may_differ_in_threads():
    highs = backend("highs")
    limits = [Limits(gap=0.0, threads=k) for k in (1, 2, 1)]
    stops = [pyomo_interface.solve(knapsack(), highs, one, seconds=300.0).stop for one in limits]
    assert stops == [Stop.OPTIMAL] * 3
