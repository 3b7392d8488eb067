"""The bound on the expected cost: draws of W_j, means and their intervals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.instances.transform import redrawn
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.expectation import draws_of, expected_bound, mean, ratio
from rsjs.simulation.policies.registry import policy

WORKLOAD = sts.workload(nodes=2, jobs=8, seed=1, gap_seconds=12000.0)


def test_draws_are_of_the_distributions_and_repeat():
    draws = draws_of(WORKLOAD, 200)
    assert draws[3].digest == redrawn(WORKLOAD, 4).digest != draws[4].digest
    assert len({one.name for one in draws}) == 200
    epochs = np.array([one.realised_epochs for one in draws])
    for j, law in enumerate(WORKLOAD.jobs.law):
        distribution = WORKLOAD.laws[law]
        error = distribution.deviation / len(draws) ** 0.5
        assert abs(epochs[:, j].mean() - distribution.mean) < 5 * error
    for part in ("release", "due", "epochs_max"):
        assert (getattr(draws[0].jobs, part) == getattr(WORKLOAD.jobs, part)).all()


def test_the_epochs_of_the_workload_do_not_enter():
    other = redrawn(WORKLOAD, 9).realised_epochs
    moved = replace(WORKLOAD, realised_epochs=other.copy())
    assert moved.digest != WORKLOAD.digest
    assert expected_bound(moved, draws=2) == expected_bound(WORKLOAD, draws=2)


def test_no_policy_costs_less_on_any_draw_nor_on_average():
    draws = draws_of(WORKLOAD, 5)
    found = expected_bound(WORKLOAD, draws=5)
    bounds = [workload_bound(one).value for one in draws]
    assert found.value == pytest.approx(np.mean(bounds), rel=1e-12)
    costs = [simulate(one, policy("queue:pedf", one)).totals.cost for one in draws]
    assert all(bound <= cost for bound, cost in zip(bounds, costs, strict=True))
    over = ratio(costs, bounds).value
    assert over == pytest.approx(np.mean(costs) / found.value)
    assert over > 1


@given(st.lists(st.floats(1.0, 100.0), min_size=3, max_size=20))
def test_the_interval_of_a_mean_is_that_of_students_t(values):
    found = mean(values)
    error = stats.sem(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.half == pytest.approx(stats.t.ppf(0.975, len(values) - 1) * error, abs=1e-9)


def test_what_varies_alike_has_a_certain_ratio():
    assert ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) == (2.0, 0.0)
    assert np.isnan(ratio([2.0], [1.0]).half)


def test_there_is_at_least_one_draw():
    with pytest.raises(InputError, match="/draws: found 0, expected an integer >= 1"):
        expected_bound(WORKLOAD, draws=0)
