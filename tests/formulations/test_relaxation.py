"""The backend `relaxation`: a bound, never a vector."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from rsjs.formulations import enumeration, jahani_literal, jahani_patterns
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani_literal_data import LiteralModel
from rsjs.formulations.jahani_patterns_data import PatternModel
from rsjs.formulations.matrix import Kind, MatrixModel
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop


def relaxed(model, seconds=20.0, start=None, bounds=None):
    return backend("relaxation").load()(
        model,
        Limits(),
        seconds=seconds,
        start=start,
        on_incumbent=lambda x: pytest.fail("a vector"),
        on_bound=(bounds if bounds is not None else []).append,
        stop=lambda: False,
        log=False,
    )


def by_scipy(model):
    """The optimum of the relaxation, by another caller."""
    A = vstack([model.A, -model.A])
    rhs = np.concatenate([model.row_upper, -model.row_lower])
    kept = np.isfinite(rhs)
    bounds = np.column_stack([model.lower, model.upper])
    return linprog(model.cost, A_ub=A[kept], b_ub=rhs[kept], bounds=bounds).fun + model.offset


def half_cover():
    """A triangle to be covered by its corners: 2 with integers, 1.5 without."""
    A = csr_array(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]]))
    one = np.ones(3)
    return MatrixModel(
        A=A,
        cost=one,
        lower=0 * one,
        upper=one,
        row_lower=one,
        row_upper=np.inf * one,
        kind=np.full(3, Kind.INTEGER, np.uint8),
        offset=0.25,
    )


def test_the_bound_is_the_optimum_with_fractions():
    bounds = []
    result = relaxed(half_cover(), bounds=bounds)
    assert (result.stop, result.bound) == (Stop.ITERATIONS, 1.75)
    assert (result.x, result.objective) == (None, None)
    assert bounds == [1.75]


def test_a_start_changes_nothing():
    assert relaxed(half_cover(), start=np.ones(3)).bound == 1.75


def test_without_time_there_is_no_bound():
    result = relaxed(half_cover(), seconds=0.0)
    assert (result.stop, result.bound) == (Stop.TIME_LIMIT, None)


def test_a_relaxation_without_a_solution_proves_that_there_is_none():
    model = half_cover()
    result = relaxed(replace(model, row_lower=4 * np.ones(3)))
    assert (result.stop, result.bound) == (Stop.INFEASIBLE, None)


def test_it_does_not_claim_integers():
    assert Feature.INTEGER not in backend("relaxation").features


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 5))
def test_relaxations_of_jahani_are_below_the_optimum(seed, nodes, jobs):
    instance = generate(nodes=nodes, jobs=jobs, seed=seed)
    best = check(instance, enumeration.best(instance)).objective
    for model in (
        jahani_patterns.arrays(PatternModel.of(instance)),
        jahani_literal.arrays(LiteralModel(instance)),
    ):
        bound = relaxed(model).bound
        assert bound <= best + 1e-6 * max(1.0, abs(best))
        assert bound == pytest.approx(by_scipy(model), rel=1e-6, abs=1e-6)
