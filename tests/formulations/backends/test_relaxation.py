"""The backend `relaxation`: a bound, never a vector."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import vstack

from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani import milp
from rsjs.formulations.jahani import patterns as jahani_patterns
from rsjs.formulations.jahani.milp import LiteralModel
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.instances.generators.jahani import generate
from tests.formulations.agreement import Asked, matrix, model_of, optimum


def relaxed(model, **options):
    asked = Asked("relaxation", model, **options)
    assert not asked.incumbents
    return asked


def by_scipy(model):
    """The optimum of the relaxation, by another caller."""
    A = vstack([model.A, -model.A])
    rhs = np.concatenate([model.row_upper, -model.row_lower])
    kept = np.isfinite(rhs)
    bounds = np.column_stack([model.lower, model.upper])
    return linprog(model.cost, A_ub=A[kept], b_ub=rhs[kept], bounds=bounds).fun + model.offset


def half_cover(row_lower=1):
    """A triangle to be covered by its corners: 2 with integers, 1.5 without."""
    return model_of([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 1], row_lower=row_lower, offset=0.25)


def test_the_bound_is_the_optimum_with_fractions():
    asked = relaxed(half_cover())
    assert (asked.result.stop, asked.result.bound) == (Stop.ITERATIONS, 1.75)
    assert (asked.result.x, asked.result.objective) == (None, None)
    assert asked.bounds == [1.75]
    assert relaxed(half_cover(), start=np.ones(3)).result.bound == 1.75  # changes nothing


def test_without_time_there_is_no_bound():
    result = relaxed(half_cover(), seconds=0.0).result
    assert (result.stop, result.bound) == (Stop.TIME_LIMIT, None)


def test_a_relaxation_without_a_solution_proves_that_there_is_none():
    result = relaxed(half_cover(row_lower=4)).result
    assert (result.stop, result.bound) == (Stop.INFEASIBLE, None)


def test_it_does_not_claim_integers():
    assert Feature.INTEGER not in backend("relaxation").features


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 5))
@settings(max_examples=settings().max_examples // 2)
def test_relaxations_of_jahani_are_below_the_optimum(seed, nodes, jobs):
    instance = generate(nodes=nodes, jobs=jobs, seed=seed)
    best = optimum(instance)
    patterns = matrix(jahani_patterns, PatternModel.of(instance))
    for model in (patterns, matrix(milp, LiteralModel(instance))):
        bound = relaxed(model).result.bound
        assert bound <= best + 1e-6 * max(1.0, abs(best))
        assert bound == pytest.approx(by_scipy(model), rel=1e-6, abs=1e-6)
